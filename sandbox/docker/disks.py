"""The place of each workspace's files, as the deployment sees it: disks of this host where the service is root beside
the engine (`HostDisks`), volumes of the engine elsewhere (`EngineDisks`)."""

import os
import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from docker.models.containers import Container

from sandbox.disk import DriverName, Folders, Held, Places
from sandbox.docker import kernel_limits
from sandbox.docker.container import SITE_LABEL, WORKSPACE_LABEL, container_name
from sandbox.docker.cpu_priority import Courtesy
from sandbox.docker.engine import Engine
from sandbox.docker.volumes import Volumes
from sandbox.ports import SandboxSpec

VOLUMES_DETAIL: Final = (
    "Disk limits are only watched: a command can write more before that is noticed."
    " Files lie in volumes of the engine, which knows no limits for them."
)
PEER: Final = struct.Struct("3i")
PATIENCE: Final = 5.0
OF_THIS_KERNEL: Final = ("runc", "crun")
"""Runtimes without a kernel of their own."""
DEFAULT_HOST: Final = "unix:///var/run/docker.sock"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workspace's directories are, and what holds them to their limit."""

    source: Folders | Volumes
    driver: DriverName


class Disks(Protocol):
    """Blocking, and may be repeated."""

    def prepare(self, spec: SandboxSpec) -> Place:
        """Before its container is made or started."""
        ...

    def show(self, spec: SandboxSpec) -> Place:
        """While its container runs: nothing is moved or changed."""
        ...

    def release(self, workspace_id: str) -> None:
        """After its container has stopped."""
        ...

    def held(self) -> Sequence[Held]:
        """By each workspace that holds something of the kernel."""
        ...

    def delete(self, workspace_id: str) -> None:
        """With all files, after its container is gone."""
        ...

    def guard_neighbours(self, container: Container, spec: SandboxSpec) -> None:
        """When its container has started, before anything runs in it: what the kernel counts for all of them together.
        Harmless to repeat."""
        ...

    def close(self) -> None:
        """Nothing is watched any more; all that was set stays."""
        ...

    def kind(self) -> tuple[DriverName, str]:
        """The driver for new workspaces, and a sentence about what holds."""
        ...


class HostDisks:
    """`setting`: see `Places`."""

    def __init__(self, root: Path, engine: Engine, setting: str, docker_host: str | None) -> None:
        self._obstacle = obstacle_to_mounts(docker_host)
        self._places = Places(root, setting=setting, obstacle=self._obstacle)
        self._engine = engine
        self._courtesy = Courtesy()
        if not self._obstacle:
            kernel_limits.raise_host()

    def prepare(self, spec: SandboxSpec) -> Place:
        prepared = self._places.prepare(spec.workspace_id, spec.limits, self._engine.user_offset())
        return Place(prepared.folders, prepared.driver)

    def show(self, spec: SandboxSpec) -> Place:
        prepared = self._places.show(spec.workspace_id, spec.limits, self._engine.user_offset())
        return Place(prepared.folders, prepared.driver)

    def release(self, workspace_id: str) -> None:
        self._places.release(workspace_id)

    def held(self) -> Sequence[Held]:
        return [held for held in self._places.held() if held.workspace_id]

    def delete(self, workspace_id: str) -> None:
        self._places.delete(workspace_id)

    def guard_neighbours(self, container: Container, spec: SandboxSpec) -> None:
        if not self._obstacle and spec.runtime in OF_THIS_KERNEL:
            pid = self._engine.first_process(container)
            kernel_limits.hold(pid, str(container.id))
            self._courtesy.watch(str(container.id), pid)

    def close(self) -> None:
        self._courtesy.close()

    def kind(self) -> tuple[DriverName, str]:
        driver = self._places.driver()
        return driver.name, driver.detail


class EngineDisks:
    """The engine fills volumes from the image's directories; here they only get their labels."""

    def __init__(self, engine: Engine, site: str) -> None:
        self._engine = engine
        self._site = site

    def prepare(self, spec: SandboxSpec) -> Place:
        labels = {SITE_LABEL: self._site, WORKSPACE_LABEL: spec.workspace_id}
        self._engine.make_volumes(self._volumes(spec.workspace_id).names(), labels)
        return self.show(spec)

    def show(self, spec: SandboxSpec) -> Place:
        return Place(self._volumes(spec.workspace_id), "soft")

    def release(self, workspace_id: str) -> None:
        return

    def held(self) -> Sequence[Held]:
        return ()

    def delete(self, workspace_id: str) -> None:
        self._engine.remove_volumes(self._volumes(workspace_id).names())

    def guard_neighbours(self, container: Container, spec: SandboxSpec) -> None:
        return

    def close(self) -> None:
        return

    def kind(self) -> tuple[DriverName, str]:
        return "soft", VOLUMES_DETAIL

    def _volumes(self, workspace_id: str) -> Volumes:
        return Volumes(container_name(self._site, workspace_id))


def obstacle_to_mounts(docker_host: str | None) -> str:
    """Why an engine would not see what is mounted here; empty when it does, or when it cannot be asked.

    The process that listens on its socket tells: it has to live among the same processes and mounts as this one.
    """
    address = docker_host or os.environ.get("DOCKER_HOST") or DEFAULT_HOST
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(address.removeprefix("unix://"))
            listener, _, _ = PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
        apart = listener == 0 or Path(f"/proc/{listener}/ns/mnt").readlink() != Path("/proc/self/ns/mnt").readlink()
    except OSError:
        return ""
    return "The container engine lives among other mounts than this service and would not see them." if apart else ""
