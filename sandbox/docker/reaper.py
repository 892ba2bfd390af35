"""Remove leftovers of a service, an engine, a container's shim or a machine that was killed.

On any engine, objects with this site's label are removed: containers whose workspace is unknown, half-created and
half-removed containers, volumes, networks. On a private engine, which belongs to this site alone, processes, mounts and
cgroups of unknown or stopped containers are removed, too. Because a container may just be starting or stopping,
processes, mounts and cgroups are only removed if they are found again after RECHECK_DELAY.
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
from sandbox.docker.engine_leftovers import ContainerMounts, PrivateEngineCleaner
from sandbox.engine.private import PrivateEngine
from sandbox.errors import SandboxUnavailable
from sandbox.reports import Reaped

RECHECK_DELAY: Final = 5.0
"""Seconds between the two checks for leftovers: a start or a removal takes less time."""


@dataclass(frozen=True, slots=True)
class KeepRule:
    """A rule that selects the objects to keep; its fields are the arguments of `Deployment.reap`.

    `now` is the engine's clock, a Unix time.
    """

    known: Collection[str]
    elsewhere: Collection[str]
    grace: float
    now: float

    def keeps_container(self, workspace_id: str, state: str, created: float) -> bool:
        if state in HALF_REMOVED or workspace_id not in self.known:
            return self.now - created < self.grace
        return True

    def keeps_volume(self, workspace_id: str, created: float) -> bool:
        """Return whether a volume must stay.

        If no workspace is known at all, every volume stays, because it is more likely that the database is the wrong
        one than that the site has lost every workspace.
        """
        if not self.known and not self.elsewhere:
            return True
        return workspace_id in self.known or workspace_id in self.elsewhere or self.now - created < self.grace


class Reaper:
    """Remover of leftover containers, volumes, networks and processes. Its methods block. `remove_container` removes a
    workspace's container under the deployment's lock."""

    def __init__(
        self, engine: Engine, site: str, docker_host: str | None, remove_container: Callable[[str], None]
    ) -> None:
        self._engine = engine
        self._filters = {"label": f"{SITE_LABEL}={site}"}
        self._docker_host = docker_host
        self._remove_container = remove_container

    def reap(self, known: Collection[str], elsewhere: Collection[str], grace: float) -> Reaped:
        rule = KeepRule(frozenset(known), frozenset(elsewhere), grace, self._engine_clock())
        containers = tuple(sorted(self._reap_containers(rule)))
        networks = tuple(self._reap_networks(rule))
        volumes = tuple(self._reap_volumes(rule))
        shims, mounts = self._reap_private()
        return Reaped(containers=containers, networks=networks, volumes=volumes, shims=shims, mounts=mounts)

    def kill_processes_of(self, container_id: str) -> None:
        """Kill the processes that a failed start left behind. gVisor's processes outlive the removed container."""
        if private := PrivateEngine.at_address(self._docker_host or ""):
            for process in private.resources.processes_by_container().get(container_id, []):
                private.resources.kill(process)

    def _engine_clock(self) -> float:
        with self._engine.docker_client() as client:
            return to_unix_time(client.info()["SystemTime"])

    def _reap_containers(self, rule: KeepRule) -> Iterator[str]:
        with self._engine.docker_client() as client:
            found = client.api.containers(all=True, filters=self._filters)
        for container in found:
            workspace_id = container["Labels"].get(WORKSPACE_LABEL, "")
            if rule.keeps_container(workspace_id, container["State"], container["Created"]):
                continue
            if workspace_id and container["State"] not in HALF_REMOVED:
                self._remove_container(workspace_id)
            else:
                self._remove_object("remove_container", container["Id"], force=True, v=True)
            yield workspace_id or container["Id"][:12]

    def _reap_networks(self, rule: KeepRule) -> Iterator[str]:
        """Remove networks with the site's label that are older than the grace period. A sandbox never needs one of
        these networks."""
        with self._engine.docker_client() as client:
            found = client.api.networks(filters=self._filters)
        for network in found:
            old = rule.now - to_unix_time(network["Created"]) >= rule.grace
            if old and self._remove_object("remove_network", network["Id"]):
                yield network["Name"]

    def _reap_volumes(self, rule: KeepRule) -> Iterator[str]:
        with self._engine.docker_client() as client:
            found = client.api.volumes(filters=self._filters)["Volumes"] or []
        for volume in found:
            if rule.keeps_volume(volume["Labels"].get(WORKSPACE_LABEL, ""), to_unix_time(volume["CreatedAt"])):
                continue
            if self._remove_object("remove_volume", volume["Name"]):
                yield volume["Name"]

    def _remove_object(self, verb: str, name: str, **arguments: bool) -> bool:
        """Remove a Docker object with the SDK method `verb`. Returns False if the object is in use or gone; the next
        run tries again."""
        with self._engine.docker_client() as client:
            try:
                getattr(client.api, verb)(name, **arguments)
            except APIError as error:
                if error.status_code not in (404, 409):
                    raise
                return False
            return True

    def _reap_private(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        private = PrivateEngine.at_address(self._docker_host or "")
        if private is None:
            return (), ()
        cleaner = PrivateEngineCleaner(private.resources)
        first = cleaner.find(self._mounts_of_containers)
        if not first:
            return (), ()
        time.sleep(RECHECK_DELAY)
        return cleaner.remove(first & cleaner.find(self._mounts_of_containers))

    def _mounts_of_containers(self) -> ContainerMounts:
        """Map each container of the engine, also of other sites, to the mounts that it needs; to None if the container
        has ended."""
        mounts: dict[str, Collection[Path] | None] = {}
        with self._engine.docker_client() as client:
            for container in client.api.containers(all=True):
                try:
                    details = client.api.inspect_container(container["Id"])
                except APIError as error:
                    if error.status_code != 404:
                        raise
                    continue
                mounts[container["Id"]] = mounts_needed(details) if is_alive(details["State"]) else None
        return mounts


def is_alive(state: Mapping[str, Any]) -> bool:
    return any(state.get(name) for name in ("Running", "Paused", "Restarting"))


def mounts_needed(details: Mapping[str, Any]) -> tuple[Path, ...]:
    merged = (details["GraphDriver"].get("Data") or {}).get("MergedDir")
    named = (merged, details["NetworkSettings"].get("SandboxKey"))
    return tuple(Path(path) for path in named if path)


def to_unix_time(text: str) -> float:
    """Convert a time from the engine's API, which has nine decimals and may have a time zone, to a Unix time."""
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise SandboxUnavailable(f"The container engine returned an invalid time: {text[:40]!r}.") from error
