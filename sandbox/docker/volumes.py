"""Mounts of a container's three directories.

They are directories of this host (`sandbox.disk.Folders`), or volumes of the engine if the service is not root on the
engine's machine. The owners of volumes come from the image.
"""

from dataclasses import dataclass

from docker.types import Mount

from sandbox.disk.folders import CONTAINER_PATHS, Folders


@dataclass(frozen=True, slots=True)
class Volumes:
    """The volumes of a container. Their names start with the container's name."""

    prefix: str

    def names(self) -> list[str]:
        return [f"{self.prefix}-{name}" for name in CONTAINER_PATHS]


def mounts_of(folders: Folders | Volumes) -> list[Mount]:
    """Return the mounts for the Docker SDK.

    The SDK's `mounts` refuses a missing directory, while `volumes` would create it.
    """
    if isinstance(folders, Volumes):
        return [Mount(inside, name) for name, inside in zip(folders.names(), CONTAINER_PATHS.values(), strict=True)]
    return [Mount(inside, source, type="bind") for source, inside in folders.sources().items()]
