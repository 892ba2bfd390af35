"""DockerDeployment: one container for each workspace, made once, adopted ever after.

The hot path asks the engine nothing: a runtime connects to the runner's socket, and only when nobody answers there is
the container looked at, started, or made anew. All of that is blocking code in threads under a lock for each
workspace, so it does not matter which event loop or thread asks; another process on the same node is noticed by the
container's name being taken.
"""

import asyncio
import os
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from docker.models.containers import Container

from sandbox.client import Carrier, Ground, RunnerRuntime, StreamCarrier, UnixSocketCarrier
from sandbox.disk.folders import RUNNER_STATE
from sandbox.docker.checks import KeptReports, require_passed
from sandbox.docker.container import (
    HALF_REMOVED,
    RECIPE_LABEL,
    WORKSPACE_LABEL,
    container_name,
    container_options,
)
from sandbox.docker.disks import Disks, EngineDisks, HostDisks, Place
from sandbox.docker.engine import DEFAULT_RUNTIME, Engine
from sandbox.docker.exec_stream import ExecStream
from sandbox.docker.reaper import Reaper
from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.ports import Runtime, SandboxSpec, SandboxState, SandboxStatus
from sandbox.reports import CheckReport, NodeFacts, Reaped

START_PATIENCE: Final = 20.0
PING_PAUSE: Final = 0.005
GLANCE: Final = 0.25
"""How often the engine is asked whether a container that does not answer yet still runs."""
ATTEMPTS: Final = 3
BRIDGE: Final = ("python3", "-I", "/opt/agentsite", "--bridge", f"{RUNNER_STATE}/socket")
STATES: Final = {"running": SandboxState.RUNNING, "created": SandboxState.STOPPED, "exited": SandboxState.STOPPED}

ALIVE: Final = ("running", "paused", "restarting")

CarrierKind = Literal["socket", "stream"]


class DockerDeployment:
    """Implements `sandbox.ports.Deployment`.

    `root`: where workspaces keep their directories; `site`: tells this site's containers from others' on the same
    engine; `docker_host`: the engine (else what the environment names); `carrier`: the socket needs a service that is
    root on the engine's machine, and is the default there. With the stream, files are in the engine's volumes; `disk`
    says how limits on them hold otherwise: see `sandbox.disk.Places`.
    """

    def __init__(
        self,
        root: Path,
        *,
        site: str,
        docker_host: str | None = None,
        carrier: CarrierKind | None = None,
        disk: str = "auto",
    ) -> None:
        self._root = root.resolve()
        self._site = site
        self._engine = Engine(docker_host, site)
        self._reaper = Reaper(self._engine, site, docker_host, self._remove_orphan)
        self._carrier_kind: CarrierKind = carrier or best_carrier(docker_host)
        self._reports = KeptReports(self._root)
        self._disks: Disks
        if self._carrier_kind == "socket":
            self._disks = HostDisks(self._root, self._engine, disk, docker_host)
        else:
            self._disks = EngineDisks(self._engine, site)
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._known: dict[str, tuple[SandboxSpec, RunnerRuntime]] = {}

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        known = self._known.get(spec.workspace_id)
        if known and known[0] == spec:
            return known[1]
        ground = await asyncio.to_thread(self._bring_up, spec)
        again = partial(asyncio.to_thread, self._bring_up, spec)
        runtime = RunnerRuntime(self._carrier(spec.workspace_id), again, ground)
        self._known[spec.workspace_id] = (spec, runtime)
        return runtime

    async def report(self, workspace_id: str) -> CheckReport | None:
        return await asyncio.to_thread(self._reports.find, workspace_id)

    async def facts(self) -> NodeFacts:
        return await asyncio.to_thread(self._facts)

    async def stop(self, workspace_id: str) -> None:
        await asyncio.to_thread(self._stop, workspace_id)

    async def remove(self, workspace_id: str, *, files: bool) -> None:
        await asyncio.to_thread(self._remove, workspace_id, files=files)

    async def poll(self, workspace_id: str) -> SandboxStatus:
        container = await asyncio.to_thread(self._engine.find, container_name(self._site, workspace_id))
        return status_of(workspace_id, container)

    async def list(self) -> Sequence[SandboxStatus]:
        containers = await asyncio.to_thread(self._engine.of_site)
        named = [(container.labels.get(WORKSPACE_LABEL, ""), container) for container in containers]
        return [status_of(workspace_id, container) for workspace_id, container in named if workspace_id]

    async def reap(self, known: Collection[str], *, elsewhere: Collection[str] = (), grace: float = 0.0) -> Reaped:
        return await asyncio.to_thread(self._reap, known, elsewhere, grace)

    async def close(self) -> None:
        """Containers stay: the next start of the service adopts them."""
        for _, runtime in self._known.values():
            await runtime.close()
        self._known.clear()
        self._disks.close()
        self._engine.close()

    def _reap(self, known: Collection[str], elsewhere: Collection[str], grace: float) -> Reaped:
        reaped = self._reaper.reap(known, elsewhere, grace)
        idle = [held for held in self._disks.held() if self._release_if_idle(held.workspace_id)]
        mounts = tuple(place for held in idle for place in held.mounts)
        return replace(
            reaped,
            mounts=reaped.mounts + mounts,
            loops=reaped.loops + tuple(device for held in idle for device in held.loops),
        )

    def _release_if_idle(self, workspace_id: str) -> bool:
        """What a workspace holds although its container does not run, as after a kill at the wrong moment."""
        with self._locks[workspace_id]:
            container = self._engine.find(container_name(self._site, workspace_id))
            if container and container.status in ALIVE:
                return False
            self._disks.release(workspace_id)
            return True

    def _facts(self) -> NodeFacts:
        driver, detail = self._disks.kind()
        return replace(self._engine.facts(), disk_driver=driver, disk_detail=detail)

    def _carrier(self, workspace_id: str) -> Carrier:
        name = container_name(self._site, workspace_id)
        if self._carrier_kind == "socket":
            return UnixSocketCarrier(self._root / workspace_id / "runner" / "socket")
        return StreamCarrier(lambda: ExecStream(self._engine.open_stream(name, BRIDGE)))

    def _bring_up(self, spec: SandboxSpec) -> Ground:
        """Adopt, start or create, until the runner answers in a container that passed its check."""
        with self._locks[spec.workspace_id]:
            failure = ""
            for _ in range(ATTEMPTS):
                container = self._adopt_or_create(spec)
                if container is None:
                    continue
                self._disks.guard_neighbours(container, spec)
                if failure := self._wait_for_answer(spec.workspace_id, container):
                    self._discard(spec, container)
                else:
                    return self._require_checked(spec, container)
        raise SandboxUnavailable(f"The sandbox does not start: {failure or 'its container keeps disappearing'}")

    def _adopt_or_create(self, spec: SandboxSpec) -> Container | None:
        """A started container made from this spec; None when another process was quicker."""
        container = self._engine.find(container_name(self._site, spec.workspace_id))
        if container and container.status == "running":
            if is_made_from(self._options(spec, self._disks.show(spec)), container):
                return container
            self._discard(spec, container)
            container = None
        try:
            return self._start_prepared(spec, container)
        except SandboxUnavailable:
            self._disks.release(spec.workspace_id)
            raise

    def _start_prepared(self, spec: SandboxSpec, container: Container | None) -> Container | None:
        """From the container that was there, if it was made from this spec, else from a new one."""
        options = self._options(spec, self._disks.prepare(spec))
        if container and (container.status in HALF_REMOVED or not is_made_from(options, container)):
            self._discard(spec, container)
            options = self._options(spec, self._disks.prepare(spec))
            container = None
        if container is None:
            self._engine.require_runtime(spec.runtime)
            container = self._engine.create(options)
        if container:
            self._start_container(spec, container)
        return container

    def _discard(self, spec: SandboxSpec, container: Container) -> None:
        """The files stay."""
        self._engine.remove(container)
        self._disks.release(spec.workspace_id)

    def _start_container(self, spec: SandboxSpec, container: Container) -> None:
        """What cannot be started is of no use to anybody, and its files stay."""
        try:
            self._let_runtime_in(spec)
            self._engine.start(container)
        except SandboxUnavailable:
            with suppress(SandboxUnavailable):
                self._engine.remove(container)
            self._reaper.end_processes_of(str(container.id))
            raise

    def _let_runtime_in(self, spec: SandboxSpec) -> None:
        """Other runtimes reach what is bound as the container's root, runc as the host's. Nobody else gets in."""
        if spec.runtime == DEFAULT_RUNTIME or self._carrier_kind != "socket":
            return
        folder, root_outside = self._root / spec.workspace_id, self._engine.user_offset()
        for path in (folder, folder / "disk"):
            if path.is_dir():
                os.chown(path, 0, root_outside)
                path.chmod(0o710)
        if closed := next((path for path in folder.parents if not path.stat().st_mode & 0o001), None):
            raise SandboxUnavailable(
                f"The runtime {spec.runtime!r} reaches a workspace as user {root_outside}, who may not enter {closed}. "
                f"Keep the site's state elsewhere (AGENTSITE_STATE), or let others pass: chmod o+x {closed}."
            )

    def _require_checked(self, spec: SandboxSpec, container: Container) -> Ground:
        """Before anything else runs in it; CheckFailed, and it is gone again."""
        ground = self._engine.ground(spec.runtime)
        stamp = self._engine.stamp(container, spec.runtime)
        if self._reports.find(spec.workspace_id, stamp) is None:
            try:
                report = asyncio.run(self._look(spec.workspace_id, ground))
                require_passed(report)
            except SandboxError:
                self._reports.forget(spec.workspace_id)
                self._discard(spec, container)
                raise
            self._reports.keep(spec.workspace_id, stamp, report)
        return ground

    async def _look(self, workspace_id: str, ground: Ground) -> CheckReport:
        runtime = RunnerRuntime(self._carrier(workspace_id), ground=ground)
        try:
            return await runtime.check()
        finally:
            await runtime.close()

    def _options(self, spec: SandboxSpec, place: Place) -> dict[str, Any]:
        return container_options(spec, self._site, place.source, place.driver)

    def _wait_for_answer(self, workspace_id: str, container: Container) -> str:
        """Why nobody answers; empty when somebody does."""
        give_up = time.monotonic() + START_PATIENCE
        glance = time.monotonic() + GLANCE
        while time.monotonic() < give_up:
            if self._answers(workspace_id):
                return ""
            if time.monotonic() > glance:
                current = self._engine.find(str(container.name))
                if current is None or current.status != "running":
                    return self._engine.last_words(container) or "its container ended at once"
                glance = time.monotonic() + GLANCE
            time.sleep(PING_PAUSE)
        return f"its runner did not answer within {START_PATIENCE:.0f} s"

    def _answers(self, workspace_id: str) -> bool:
        async def ask() -> bool:
            runtime = RunnerRuntime(self._carrier(workspace_id))
            try:
                await runtime.ping()
            except SandboxError:
                return False
            finally:
                await runtime.close()
            return True

        return asyncio.run(ask())

    def _stop(self, workspace_id: str) -> None:
        with self._locks[workspace_id]:
            self._known.pop(workspace_id, None)
            if container := self._engine.find(container_name(self._site, workspace_id)):
                self._engine.stop(container)
            self._disks.release(workspace_id)

    def _remove(self, workspace_id: str, *, files: bool) -> None:
        with self._locks[workspace_id]:
            self._known.pop(workspace_id, None)
            self._reports.forget(workspace_id)
            if container := self._engine.find(container_name(self._site, workspace_id)):
                self._engine.remove(container)
            self._disks.release(workspace_id)
            if files:
                self._disks.delete(workspace_id)

    def _remove_orphan(self, workspace_id: str) -> None:
        """Its files stay."""
        self._remove(workspace_id, files=False)


def is_made_from(options: Mapping[str, Any], container: Container) -> bool:
    return bool(container.labels.get(RECIPE_LABEL) == options["labels"][RECIPE_LABEL])


def best_carrier(docker_host: str | None) -> CarrierKind:
    """The socket where it can be reached: as root, beside the engine."""
    address = docker_host or os.environ.get("DOCKER_HOST") or "unix://"
    return "socket" if os.getuid() == 0 and address.startswith("unix://") else "stream"


def status_of(workspace_id: str, container: Container | None) -> SandboxStatus:
    if container is None:
        return SandboxStatus(workspace_id, SandboxState.ABSENT)
    state = STATES.get(container.status, SandboxState.BROKEN)
    return SandboxStatus(workspace_id, state, "" if state == SandboxState.RUNNING else container.status)
