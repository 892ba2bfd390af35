"""What a private engine's machine still holds for containers that the engine does not know or that do not run."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sandbox.engine.processes import Process
from sandbox.engine.resources import CONTAINER, Belongings, remove_cgroup

YOUNG: Final = 30.0
"""Seconds: a process of a container that does not run yet may be about to run it, also on a busy machine."""

Places = Mapping[str, Collection[Path] | None]
"""For each container that the engine knows, the mounts that it needs; None when it does not run."""


@dataclass(frozen=True)
class Found:
    """`processes` that work for nobody, `mounts` that nobody needs, `cgroups` of containers that nobody knows."""

    processes: frozenset[Process] = field(default_factory=frozenset)
    mounts: frozenset[Path] = field(default_factory=frozenset)
    cgroups: frozenset[Path] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.processes or self.mounts or self.cgroups)

    def __and__(self, other: "Found") -> "Found":
        return Found(self.processes & other.processes, self.mounts & other.mounts, self.cgroups & other.cgroups)


class PrivateLeftovers:
    def __init__(self, belongings: Belongings) -> None:
        self._belongings = belongings

    def find(self, places_of_containers: Callable[[], Places]) -> Found:
        """The machine is looked at before the engine is asked, so what was made in between is missed, not judged."""
        processes, mounts = self._belongings.by_container(), self._belongings.mounts()
        cgroups = list(self._belongings.cgroups())
        places = places_of_containers()
        return Found(
            frozenset(_idle_processes(processes, places)),
            frozenset(_idle_mounts(mounts, places)),
            frozenset(cgroup for cgroup in cgroups if cgroup.name not in places),
        )

    def remove(self, found: Found) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the processes and the places of the mounts that are gone now."""
        oldest_first = sorted(found.processes, key=lambda process: process.started)
        ended = [process for process in oldest_first if self._belongings.end(process)]
        unmounted = [place for place in sorted(found.mounts, reverse=True) if self._belongings.unmount(place)]
        for cgroup in sorted(found.cgroups, reverse=True):
            remove_cgroup(cgroup)
        return tuple(f"{process.program} {process.pid}" for process in ended), tuple(map(str, unmounted))


def _idle_processes(by_container: Mapping[str, Collection[Process]], places: Places) -> Iterator[Process]:
    for container, processes in by_container.items():
        if container not in places:
            yield from processes
        elif places[container] is None:
            yield from (process for process in processes if process.age > YOUNG)


def _idle_mounts(mounts: Collection[Path], places: Places) -> Iterator[Path]:
    """Only kinds of mounts that are made for one container; others, of an image that is being built, are left."""
    needed = {place for of_one in places.values() for place in of_one or ()}
    for mount in mounts:
        container = next((part for part in mount.parts if CONTAINER.fullmatch(part)), "")
        is_root = mount.name == "merged" and mount.parent.parent.name == "overlay2"
        if is_root or mount.parent.name == "netns":
            idle = mount not in needed
        else:
            idle = bool(container) and places.get(container) is None
        if idle:
            yield mount
