"""The storage of workspaces' files.

`HostDisks` uses disks of this host, if the service is root on the engine's machine. `EngineDisks` uses volumes of the
engine everywhere else.
"""

import os
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from docker.models.containers import Container

from sandbox.disk import DriverName, Folders, KernelResources, WorkspaceDisks
from sandbox.docker import kernel_limits
from sandbox.docker.container import SITE_LABEL, WORKSPACE_LABEL, container_name
from sandbox.docker.cpu_priority import CpuPriorityMonitor
from sandbox.docker.engine import Engine
from sandbox.docker.volumes import Volumes
from sandbox.ports import SandboxSpec

VOLUMES_DETAIL: Final = (
    "Disk limits are only watched: a command can write more before that is noticed."
    " Files are in volumes of the engine, which cannot limit them."
)
PEER_CREDENTIALS: Final = struct.Struct("3i")  # struct ucred: pid, uid, gid
CONNECT_TIMEOUT: Final = 5.0  # seconds
HOST_KERNEL_RUNTIMES: Final = ("runc", "crun")
"""Runtimes whose containers use the host's kernel."""
DEFAULT_HOST: Final = "unix:///var/run/docker.sock"


@dataclass(frozen=True, slots=True)
class DiskLocation:
    """The directories or volumes of a workspace, and the driver that enforces their disk limit."""

    source: Folders | Volumes
    driver: DriverName


class Disks(Protocol):
    """The disks of all workspaces of a deployment. Methods block and may be repeated."""

    def prepare(self, spec: SandboxSpec) -> DiskLocation:
        """Prepare the disk before the container is created or started."""
        ...

    def mount_existing(self, spec: SandboxSpec) -> DiskLocation:
        """Return the location of a running container's disk, and restore missing mounts. Files stay as they are."""
        ...

    def release(self, workspace_id: str) -> None:
        """Unmount a workspace's disk after its container has stopped."""
        ...

    def kernel_resources(self) -> Sequence[KernelResources]:
        """Return the mounts and loop devices of each workspace that has any."""
        ...

    def delete(self, workspace_id: str) -> None:
        """Delete all files of a workspace, after its container has been removed."""
        ...

    def protect_other_containers(self, container: Container, spec: SandboxSpec) -> None:
        """Limit kernel resources that all containers share, and watch the container's CPU usage.

        Call it when the container has started, before anything else runs in it. Harmless to repeat.
        """
        ...

    def at_full_speed(self, workspace_id: str) -> AbstractContextManager[None]:
        """Lift the write limits of a workspace during the block, as `Deployment.at_full_speed` does."""
        ...

    def close(self) -> None:
        """Stop watching containers. Limits that were set remain."""
        ...

    def default_driver(self) -> tuple[DriverName, str]:
        """Return the driver for new workspaces, and a sentence about the limits that it enforces."""
        ...


class HostDisks:
    """Workspace disks on this machine. `setting` is explained in `WorkspaceDisks`."""

    def __init__(self, root: Path, engine: Engine, setting: str, docker_host: str | None) -> None:
        self._obstacle = obstacle_to_mounts(docker_host)
        self._disks = WorkspaceDisks(root, setting=setting, obstacle=self._obstacle)
        self._engine = engine
        self._cpu_priority = CpuPriorityMonitor()
        if not self._obstacle:
            kernel_limits.raise_host_limits()

    def prepare(self, spec: SandboxSpec) -> DiskLocation:
        prepared = self._disks.prepare(spec.workspace_id, spec.limits, self._engine.user_offset())
        return DiskLocation(prepared.folders, prepared.driver)

    def mount_existing(self, spec: SandboxSpec) -> DiskLocation:
        prepared = self._disks.mount_existing(spec.workspace_id, spec.limits, self._engine.user_offset())
        return DiskLocation(prepared.folders, prepared.driver)

    def release(self, workspace_id: str) -> None:
        self._disks.release(workspace_id)

    def kernel_resources(self) -> Sequence[KernelResources]:
        return [found for found in self._disks.kernel_resources() if found.workspace_id]

    def delete(self, workspace_id: str) -> None:
        self._disks.delete(workspace_id)

    def protect_other_containers(self, container: Container, spec: SandboxSpec) -> None:
        if not self._obstacle and spec.runtime in HOST_KERNEL_RUNTIMES:
            pid = self._engine.main_pid(container)
            kernel_limits.limit_container(pid, str(container.id))
            self._cpu_priority.watch(str(container.id), pid, spec.workspace_id)

    @contextmanager
    def at_full_speed(self, workspace_id: str) -> Iterator[None]:
        with self._cpu_priority.paused(workspace_id), self._disks.unlimited(workspace_id):
            yield

    def close(self) -> None:
        self._cpu_priority.close()

    def default_driver(self) -> tuple[DriverName, str]:
        driver = self._disks.driver()
        return driver.name, driver.detail


class EngineDisks:
    """Disks that are volumes of the engine. The engine fills a new volume from the image's directories.

    This class only creates and deletes the volumes.
    """

    def __init__(self, engine: Engine, site: str) -> None:
        self._engine = engine
        self._site = site

    def prepare(self, spec: SandboxSpec) -> DiskLocation:
        labels = {SITE_LABEL: self._site, WORKSPACE_LABEL: spec.workspace_id}
        self._engine.create_volumes(self._volumes(spec.workspace_id).names(), labels)
        return self.mount_existing(spec)

    def mount_existing(self, spec: SandboxSpec) -> DiskLocation:
        return DiskLocation(self._volumes(spec.workspace_id), "soft")

    def release(self, workspace_id: str) -> None:
        return

    def kernel_resources(self) -> Sequence[KernelResources]:
        return ()

    def delete(self, workspace_id: str) -> None:
        self._engine.remove_volumes(self._volumes(workspace_id).names())

    def protect_other_containers(self, container: Container, spec: SandboxSpec) -> None:
        return

    @contextmanager
    def at_full_speed(self, workspace_id: str) -> Iterator[None]:
        yield

    def close(self) -> None:
        return

    def default_driver(self) -> tuple[DriverName, str]:
        return "soft", VOLUMES_DETAIL

    def _volumes(self, workspace_id: str) -> Volumes:
        return Volumes(container_name(self._site, workspace_id))


def obstacle_to_mounts(docker_host: str | None) -> str:
    """Return the reason why an engine would not see mounts of this process; "" if it sees them or cannot be examined.

    The process that listens on the engine's socket must be in the same process and mount namespaces as this one.
    """
    address = docker_host or os.environ.get("DOCKER_HOST") or DEFAULT_HOST
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(CONNECT_TIMEOUT)
            connection.connect(address.removeprefix("unix://"))
            listener, _, _ = PEER_CREDENTIALS.unpack(
                connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER_CREDENTIALS.size)
            )
        apart = listener == 0 or Path(f"/proc/{listener}/ns/mnt").readlink() != Path("/proc/self/ns/mnt").readlink()
    except OSError:
        return ""
    return (
        "The container engine runs in another mount namespace and would not see mounts of this service."
        if apart
        else ""
    )
