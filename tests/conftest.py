"""Fixtures for all tests. None of them starts a process before a test requests it."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import hypothesis
import pytest
import redis
from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests.support import lanes
from tests.support.deadline import wait_until
from tests.support.lanes import ON_POSTGRES
from tests.support.one_site import share_middleware
from tests.support.own_database import empty_at_the_end, keep_copy, one_migrates, take_copy
from tests.support.postgres_copy import keep_dump, take_clone
from tests.support.runtimes import pytest_report_teststatus, pytest_runtest_setup

__all__ = ["pytest_report_teststatus", "pytest_runtest_setup"]
# Property tests say what holds, not how quickly: a busy machine must not fail them.
hypothesis.settings.register_profile("steady", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("steady")
gc.disable()  # until everything is collected
share_middleware()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Return True for files of other test lanes, which pytest then ignores. Return None for files of this lane, about
    which other plugins decide."""
    return True if lanes.is_left_out(collection_path) else None


@pytest.hookimpl(tryfirst=True)  # before `-m` looks at the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that another lane runs."""
    kept = lanes.select(items)
    if len(kept) < len(items):
        selected = set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item not in selected])
        items[:] = kept


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, which otherwise takes a tenth of the time of tests."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@cache
def _connection() -> redis.Redis:
    return redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET))


def _answers() -> bool:
    try:
        return bool(_connection().ping())
    except redis.ConnectionError:
        return False


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    """Run a real Valkey for this test process and return its URL. It is the broker, channel layer and cache of the
    settings."""
    from agentsite.embedded.valkey import spawn

    server = spawn(settings.VALKEY_SOCKET)
    try:
        wait_until(_answers, "Valkey answers", seconds=10)
        yield settings.REDIS_URL
    finally:
        server.terminate()
        server.wait(timeout=5)


@pytest.fixture
def empty_valkey(valkey: str) -> str:
    """Empty the Valkey of this test process and return its URL."""
    _connection().flushall()
    return valkey


@pytest.fixture(scope="session")
def while_migrating() -> Iterator[ExitStack]:
    """Hold locks that other test processes wait for until the test database is migrated."""
    with ExitStack() as held:
        yield held


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None, while_migrating: ExitStack) -> bool:
    """Copy a migrated test database if there is one, and return whether it was copied.

    The test database is not deleted at the end: it disappears with the state of this process, or with the database
    server of this run.
    """
    name = settings.DATABASES["default"]["TEST"]["NAME"]
    if not ON_POSTGRES:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        if take_copy(Path(name)):
            return True
    while_migrating.enter_context(one_migrates())
    return take_clone(name) if ON_POSTGRES else take_copy(Path(name))


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, while_migrating: ExitStack
) -> Iterator[None]:
    """Provide the test database. Before it is dropped, close its other connections, because PostgreSQL does not drop a
    database in use."""
    with django_db_blocker.unblock():
        if ON_POSTGRES:
            keep_dump(connection.settings_dict["NAME"])
        else:
            keep_copy(connection)
    while_migrating.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_at_the_end)
        yield
    with django_db_blocker.unblock():
        if ON_POSTGRES:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
