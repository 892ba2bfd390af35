"""Find and remove leftovers of a private engine on its machine.

These are processes, mounts and cgroups of containers that the engine does not know, or that do not run.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sandbox.engine.processes import HostProcess
from sandbox.engine.resources import CONTAINER_ID, EngineResources, remove_cgroup

MIN_IDLE_AGE: Final = 30.0
"""Seconds. A younger process of a container that does not run may be about to start it, even on a busy machine."""

ContainerMounts = Mapping[str, Collection[Path] | None]
"""The mounts that each known container needs, by container id; None if it does not run."""


@dataclass(frozen=True)
class Leftovers:
    """Processes, mounts and cgroups that no running container needs."""

    processes: frozenset[HostProcess] = field(default_factory=frozenset)
    mounts: frozenset[Path] = field(default_factory=frozenset)
    cgroups: frozenset[Path] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.processes or self.mounts or self.cgroups)

    def __and__(self, other: "Leftovers") -> "Leftovers":
        return Leftovers(self.processes & other.processes, self.mounts & other.mounts, self.cgroups & other.cgroups)


class PrivateEngineCleaner:
    """Cleaner that finds and removes the leftovers of one private engine: processes, mounts and cgroups that no
    container needs."""

    def __init__(self, resources: EngineResources) -> None:
        self._resources = resources

    def find(self, mounts_of_containers: Callable[[], ContainerMounts]) -> Leftovers:
        """Return the leftovers of the engine.

        The machine is examined before the engine is queried. So anything that is created in between is overlooked
        instead of being mistaken for a leftover.
        """
        processes, mounts = self._resources.processes_by_container(), self._resources.mounts()
        cgroups = list(self._resources.cgroups())
        needed = mounts_of_containers()
        return Leftovers(
            frozenset(_idle_processes(processes, needed)),
            frozenset(_idle_mounts(mounts, needed)),
            frozenset(cgroup for cgroup in cgroups if cgroup.name not in needed),
        )

    def remove(self, found: Leftovers) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Remove the leftovers. Return the removed processes ("name pid") and mount points."""
        oldest_first = sorted(found.processes, key=lambda process: process.started)
        ended = [process for process in oldest_first if self._resources.kill(process)]
        unmounted = [path for path in sorted(found.mounts, reverse=True) if self._resources.unmount(path)]
        for cgroup in sorted(found.cgroups, reverse=True):
            remove_cgroup(cgroup)
        return tuple(f"{process.program} {process.pid}" for process in ended), tuple(map(str, unmounted))


def _idle_processes(
    by_container: Mapping[str, Collection[HostProcess]], mounts_of_containers: ContainerMounts
) -> Iterator[HostProcess]:
    for container, processes in by_container.items():
        if container not in mounts_of_containers:
            yield from processes
        elif mounts_of_containers[container] is None:
            yield from (process for process in processes if process.age > MIN_IDLE_AGE)


def _idle_mounts(mounts: Collection[Path], mounts_of_containers: ContainerMounts) -> Iterator[Path]:
    """Yield mounts that no running container needs.

    Mounts that belong to no container, such as those of an image build, are skipped.
    """
    needed = {path for of_one in mounts_of_containers.values() for path in of_one or ()}
    for mount in mounts:
        container = next((part for part in mount.parts if CONTAINER_ID.fullmatch(part)), "")
        is_root = mount.name == "merged" and mount.parent.parent.name == "overlay2"
        if is_root or mount.parent.name == "netns":
            idle = mount not in needed
        else:
            idle = bool(container) and mounts_of_containers.get(container) is None
        if idle:
            yield mount
