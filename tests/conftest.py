"""Fixtures that every kind of test may use. Nothing here starts anything until a test asks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.deadline import wait_until


def _answers(socket: Path) -> bool:
    import redis

    try:
        return bool(redis.Redis(unix_socket_path=str(socket)).ping())
    except redis.ConnectionError:
        return False


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """The URL of a real Valkey of this test process: broker, channel layer and cache of the settings."""
    from agentsite.embedded.valkey import spawn

    server = spawn(settings.VALKEY_SOCKET)
    try:
        wait_until(lambda: _answers(settings.VALKEY_SOCKET), "Valkey answers", seconds=10)
        yield settings.REDIS_URL
    finally:
        server.terminate()
        server.wait(timeout=5)


@pytest.fixture
def empty_valkey(valkey: str) -> str:
    """The same server without anything in it."""
    import redis

    redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET)).flushall()
    return valkey
