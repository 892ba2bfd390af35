"""The limit of PostgreSQL connections of a process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRINT = "from agentsite import settings; print(settings.DATABASES['default']['OPTIONS']['pool']['max_size'])"


def max_connections(state: Path, role: str, threads: int) -> int:
    """Return the highest number of database connections in a new process of the role."""
    numbers = {"AGENTSITE_AGENT_THREADS": str(threads), "AGENTSITE_SANDBOX_THREADS": str(threads)}
    places = {"DATABASE_URL": "postgres://somebody@localhost/site", "AGENTSITE_STATE": str(state)}
    environment = {**os.environ, **numbers, **places, "AGENTSITE_ROLE": role}
    result = subprocess.run([sys.executable, "-c", PRINT], env=environment, capture_output=True, text=True, check=True)
    return int(result.stdout)


@pytest.mark.parametrize("role", ["agent", "sandbox"])
def test_every_thread_of_a_worker_and_of_asyncio_can_have_a_connection(tmp_path: Path, role: str) -> None:
    assert max_connections(tmp_path, role, threads=100) >= 100 + 32 + 1


def test_threads_of_workers_do_not_change_the_web_server(tmp_path: Path) -> None:
    assert max_connections(tmp_path, "web", threads=100) == 32
