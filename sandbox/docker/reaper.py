"""Removes what was left behind when something was killed: a service, an engine, a container's shim, this machine.

Two circles. Of any engine, by this site's label: containers whose workspace nobody knows, half-made and half-removed
ones, volumes, networks. Of a private engine, which is ours alone: processes, mounts and cgroups of containers that it
no longer knows or that do not run. What looks left behind while a container is being started or removed is looked at
again a little later, and only then believed.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from docker.errors import APIError

from sandbox.docker.container import HALF_REMOVED, SITE_LABEL, WORKSPACE_LABEL
from sandbox.docker.engine import Engine
from sandbox.docker.engine_leftovers import Places, PrivateLeftovers
from sandbox.engine.private import PrivateEngine
from sandbox.errors import SandboxUnavailable
from sandbox.reports import Reaped

SETTLING: Final = 5.0
"""Seconds after which a start or a removal that was under way is over."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must stay, as `Deployment.reap` has it. `now` is the engine's clock."""

    known: Collection[str]
    elsewhere: Collection[str]
    grace: float
    now: float

    def container(self, workspace_id: str, state: str, created: float) -> bool:
        if state in HALF_REMOVED or workspace_id not in self.known:
            return self.now - created < self.grace
        return True

    def volume(self, workspace_id: str, created: float) -> bool:
        """Nobody at all is known by an empty database rather than by a site that lost every workspace."""
        if not self.known and not self.elsewhere:
            return True
        return workspace_id in self.known or workspace_id in self.elsewhere or self.now - created < self.grace


class Reaper:
    """Blocking. `remove_container` removes the container of a workspace under the deployment's lock."""

    def __init__(
        self, engine: Engine, site: str, docker_host: str | None, remove_container: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._filters = {"label": f"{SITE_LABEL}={site}"}
        self._docker_host = docker_host
        self._remove_container = remove_container

    def reap(self, known: Collection[str], elsewhere: Collection[str], grace: float) -> Reaped:
        wanted = Wanted(frozenset(known), frozenset(elsewhere), grace, self._engine_clock())
        containers = tuple(sorted(self._reap_containers(wanted)))
        networks = tuple(self._reap_networks(wanted))
        volumes = tuple(self._reap_volumes(wanted))
        shims, mounts = self._reap_private()
        return Reaped(containers=containers, networks=networks, volumes=volumes, shims=shims, mounts=mounts)

    def end_processes_of(self, container_id: str) -> None:
        """Those that a failed start leaves: gVisor's outlive the container that the engine has removed."""
        if private := PrivateEngine.behind(self._docker_host or ""):
            for process in private.belongings.by_container().get(container_id, []):
                private.belongings.end(process)

    def _engine_clock(self) -> float:
        with self._engine.asked() as client:
            return seconds_of(client.info()["SystemTime"])

    def _reap_containers(self, wanted: Wanted) -> Iterator[str]:
        with self._engine.asked() as client:
            found = client.api.containers(all=True, filters=self._filters)
        for container in found:
            workspace_id = container["Labels"].get(WORKSPACE_LABEL, "")
            if wanted.container(workspace_id, container["State"], container["Created"]):
                continue
            if workspace_id and container["State"] not in HALF_REMOVED:
                self._remove_container(workspace_id)
            else:
                self._tidy("remove_container", container["Id"], force=True, v=True)
            yield workspace_id or container["Id"][:12]

    def _reap_networks(self, wanted: Wanted) -> Iterator[str]:
        """A sandbox has none."""
        with self._engine.asked() as client:
            found = client.api.networks(filters=self._filters)
        for network in found:
            old = wanted.now - seconds_of(network["Created"]) >= wanted.grace
            if old and self._tidy("remove_network", network["Id"]):
                yield network["Name"]

    def _reap_volumes(self, wanted: Wanted) -> Iterator[str]:
        with self._engine.asked() as client:
            found = client.api.volumes(filters=self._filters)["Volumes"] or []
        for volume in found:
            if wanted.volume(volume["Labels"].get(WORKSPACE_LABEL, ""), seconds_of(volume["CreatedAt"])):
                continue
            if self._tidy("remove_volume", volume["Name"]):
                yield volume["Name"]

    def _tidy(self, verb: str, name: str, **arguments: bool) -> bool:
        """False when it is in use or gone; the next round sees it again."""
        with self._engine.asked() as client:
            try:
                getattr(client.api, verb)(name, **arguments)
            except APIError as error:
                if error.status_code not in (404, 409):
                    raise
                return False
            return True

    def _reap_private(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        private = PrivateEngine.behind(self._docker_host or "")
        if private is None:
            return (), ()
        leftovers = PrivateLeftovers(private.belongings)
        first = leftovers.find(self._places_of_containers)
        if not first:
            return (), ()
        time.sleep(SETTLING)
        return leftovers.remove(first & leftovers.find(self._places_of_containers))

    def _places_of_containers(self) -> Places:
        """Of every container of the engine, whosesoever: the mounts that it needs."""
        places: dict[str, Collection[Path] | None] = {}
        with self._engine.asked() as client:
            for container in client.api.containers(all=True):
                try:
                    details = client.api.inspect_container(container["Id"])
                except APIError as error:
                    if error.status_code != 404:
                        raise
                    continue
                places[container["Id"]] = mounts_needed(details) if is_alive(details["State"]) else None
        return places


def is_alive(state: Mapping[str, Any]) -> bool:
    return any(state.get(name) for name in ("Running", "Paused", "Restarting"))


def mounts_needed(details: Mapping[str, Any]) -> tuple[Path, ...]:
    merged = (details["GraphDriver"].get("Data") or {}).get("MergedDir")
    named = (merged, details["NetworkSettings"].get("SandboxKey"))
    return tuple(Path(place) for place in named if place)


def seconds_of(text: str) -> float:
    """From the engine's way of writing times, which has nine digits after the point and may have a zone."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise SandboxUnavailable(f"The container engine names a time that is none: {text[:40]!r}.") from error
