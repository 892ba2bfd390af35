"""Provide a container engine and an image for measurements: the running engine, or else a temporary private one."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.docker import DockerDeployment
from sandbox.docker.container import SITE_LABEL, container_name
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from sandbox.image.build import ensure_image
from sandbox.limits import Limits
from sandbox.ports import SandboxSpec

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
SITE: Final = "bench"


@dataclass(frozen=True)
class Bench:
    host: str
    image: str
    folder: Path
    deployment: DockerDeployment

    def spec(self, name: str, limits: Limits | None = None) -> SandboxSpec:
        return SandboxSpec(f"wsp_{name}", self.image, limits=limits or Limits())

    def container_ids(self) -> list[str]:
        return api.running_containers(self.host, f"{SITE_LABEL}={SITE}")

    def container(self, name: str) -> str:
        return container_name(SITE, f"wsp_{name}")


@contextmanager
def sandboxes() -> Iterator[Bench]:
    """Provide an engine, its image and a deployment during the block. The caller removes the sandboxes that it
    creates."""
    engine = PrivateEngine(REPOSITORY / "var" / "test" / "bench")
    running = api.running_engine()
    host = running or engine.start()
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        image = ensure_image(REPOSITORY / "var" / "cache", docker_host=host, report=sys.stderr.write)
        yield Bench(host, image, folder, DockerDeployment(folder, site=SITE, docker_host=host))
    finally:
        if running is None:
            engine.stop()
        shutil.rmtree(folder, ignore_errors=True)
