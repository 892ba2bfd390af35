"""Where a container's three directories come from: directories of this host (`sandbox.disk.Folders`), or volumes of the
engine where the service is not root beside it. Owners of volumes come from the image."""

from dataclasses import dataclass

from docker.types import Mount

from sandbox.disk.folders import INSIDE, Folders


@dataclass(frozen=True, slots=True)
class Volumes:
    """Named after the container."""

    prefix: str

    def names(self) -> list[str]:
        return [f"{self.prefix}-{name}" for name in INSIDE]


def mounts_of(place: Folders | Volumes) -> list[Mount]:
    """For the SDK's `mounts`, which unlike `volumes` refuses a directory that is missing instead of making one."""
    if isinstance(place, Volumes):
        return [Mount(inside, name) for name, inside in zip(place.names(), INSIDE.values(), strict=True)]
    return [Mount(inside, source, type="bind") for source, inside in place.sources().items()]
