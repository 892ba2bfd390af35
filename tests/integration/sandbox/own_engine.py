"""A container engine that a test may kill, because no other test uses it.

Its image is kept for the next run, because building it takes longer than most tests.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pytest

from sandbox.disk.workspace_disks import release_all
from sandbox.engine.private import PrivateEngine
from tests.support.engine import CACHE, REPOSITORY
from tests.support.sandbox_jobs import Site

STATE: Final = REPOSITORY / "var" / "test" / "kills"
SECOND: Final = REPOSITORY / "var" / "test" / "second"
"""State of another engine beside the shared one, so that its users need not wait for the long runs of kills."""
SOAK: Final = "SOAK" in os.environ
"""Whether this is the long lane, `make soak`."""
SEED: Final = int(os.environ.get("KILL_SEED", "4"))


@contextmanager
def own_engine(state: Path = STATE) -> Iterator[tuple[PrivateEngine, str]]:
    """Run an engine for one test process at a time; others wait. Each `state` has an engine and a lock of its own."""
    from sandbox.image.build import ensure_image

    if os.getuid() != 0:
        pytest.skip("only root can start an engine")
    state.mkdir(parents=True, exist_ok=True)
    with (state / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        engine = PrivateEngine(state / "docker")
        release_all(state / "workspaces")
        engine.start()
        try:
            image = ensure_image(CACHE, docker_host=engine.host)
            _remove_containers(engine)
            yield engine, image
        finally:
            engine.stop()
            release_all(state / "workspaces")
            shutil.rmtree(state / "workspaces", ignore_errors=True)


def _remove_containers(engine: PrivateEngine) -> None:
    """Remove all containers that an earlier run has left behind in the engine."""
    import docker

    with closing(docker.DockerClient(base_url=engine.host)) as client:
        for container in client.api.containers(all=True):
            client.api.remove_container(container["Id"], force=True)


def own_site(engine: PrivateEngine, image: str, name: str) -> Site:
    return Site(engine.host, image, str(STATE / "workspaces" / name), name)
