"""A container engine with the sandbox image, shared by all test processes of this checkout.

Import the session fixture `docker_engine` in a conftest; programs use `running_engine`. Both use the engine at
DOCKER_HOST if it answers, otherwise a private engine under var/test/engine. The first process starts the private
engine, and the last one stops it.
"""

import fcntl
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from sandbox.disk.workspace_disks import release_all
from sandbox.engine import api

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
STATE: Final = REPOSITORY / "var" / "test" / "engine"
CACHE: Final = REPOSITORY / "var" / "cache"
ENGINE: Final = REPOSITORY / "deploy" / "bin" / "engine"


@dataclass(frozen=True, slots=True)
class TestEngine:
    """A running engine, the tag of its sandbox image, and an unused site id."""

    __test__ = False

    host: str
    image: str
    site: str


@pytest.fixture(scope="session")
def docker_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestEngine]:
    """Run the engine for all tests. At its end, unmount the disks that tests left mounted."""
    try:
        with running_engine() as engine:
            yield engine
    finally:
        release_all(tmp_path_factory.getbasetemp())


@contextmanager
def running_engine() -> Iterator[TestEngine]:
    with _engine_host() as host:
        from sandbox.image.build import ensure_image

        image = ensure_image(CACHE, docker_host=host)
        yield TestEngine(host, image, f"test-{uuid.uuid4().hex[:8]}")


@contextmanager
def _engine_host() -> Iterator[str]:
    named = os.environ.get("DOCKER_HOST")
    if named and api.answers(named):
        yield named
        return
    STATE.mkdir(parents=True, exist_ok=True)
    with (STATE / "users").open("w") as users:
        with _gate():
            host = _run_engine("start")
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield host
        finally:
            with _gate():
                fcntl.flock(users, fcntl.LOCK_UN)
                if _was_last(users.fileno()):
                    _run_engine("stop")


@contextmanager
def _gate() -> Iterator[None]:
    with (STATE / "gate").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield


def _was_last(users: int) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _run_engine(verb: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "DOCKER_HOST"}
    command = [str(ENGINE), verb, "--state", str(STATE)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"no container engine: {result.stderr.strip()}")
    return result.stdout.strip()
