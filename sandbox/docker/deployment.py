"""`DockerDeployment`: one container per workspace, created once and adopted afterwards.

In the normal case no request goes to the engine: a runtime connects to the runner's socket directly. The container is
inspected, started or replaced only if no runner answers. This is blocking code that runs in threads under one lock per
workspace, so any event loop or thread may call it. Other processes on the same node take the same locks.
"""

import asyncio
import os
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from docker.models.containers import Container

from sandbox.client import Carrier, CheckContext, RunnerRuntime, StreamCarrier, UnixSocketCarrier
from sandbox.disk.folders import RUNNER_STATE
from sandbox.docker.checks import StoredReports, require_passed
from sandbox.docker.container import (
    HALF_REMOVED,
    RECIPE_LABEL,
    WORKSPACE_LABEL,
    container_name,
    container_options,
)
from sandbox.docker.disks import DiskLocation, Disks, EngineDisks, HostDisks
from sandbox.docker.engine import DEFAULT_RUNTIME, BindSourceMissing, Engine
from sandbox.docker.exec_stream import ExecStream
from sandbox.docker.reaper import Reaper
from sandbox.docker.workspace_locks import WorkspaceLocks
from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.ports import Runtime, SandboxSpec, SandboxState, SandboxStatus
from sandbox.reports import CheckReport, NodeFacts, Reaped

START_TIMEOUT: Final = 20.0  # seconds
PING_INTERVAL: Final = 0.005  # seconds
STATUS_INTERVAL: Final = 0.25
"""Seconds between requests to the engine whether a container that does not answer yet still runs."""
MAX_START_ATTEMPTS: Final = 3
BRIDGE: Final = ("python3", "-I", "/opt/agentsite", "--bridge", f"{RUNNER_STATE}/socket")
STATES: Final = {"running": SandboxState.RUNNING, "created": SandboxState.STOPPED, "exited": SandboxState.STOPPED}

ALIVE_STATES: Final = ("running", "paused", "restarting")

CarrierKind = Literal["socket", "stream"]


class DockerDeployment:
    """The deployment of sandboxes with Docker (`sandbox.ports.Deployment`).

    `root` is the directory of all workspaces. `site` distinguishes this site's containers from others on the same
    engine. `docker_host` is the address of the engine; by default, the one in the environment.

    `carrier` selects the connection to the runner. "socket" works only if this process is root on the engine's machine,
    and is the default then. With "stream", files are in volumes of the engine. With "socket", `disk` selects how disk
    limits are enforced: see `sandbox.disk.WorkspaceDisks`.
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
        self._reports = StoredReports(self._root)
        self._disks: Disks
        if self._carrier_kind == "socket":
            self._disks = HostDisks(self._root, self._engine, disk, docker_host)
        else:
            self._disks = EngineDisks(self._engine, site)
        self._locks = WorkspaceLocks(self._root)
        self._known: dict[str, tuple[SandboxSpec, RunnerRuntime]] = {}

    async def ensure(self, spec: SandboxSpec) -> Runtime:
        if (known := self._runtime_of(spec)) is not None:
            return known
        context = await asyncio.to_thread(self._bring_up, spec)
        if (known := self._runtime_of(spec)) is not None:  # somebody else was faster: a workspace has one runtime
            return known
        again = partial(asyncio.to_thread, self._bring_up, spec)
        runtime = RunnerRuntime(self._carrier(spec.workspace_id), again, context)
        self._known[spec.workspace_id] = (spec, runtime)
        return runtime

    def _runtime_of(self, spec: SandboxSpec) -> RunnerRuntime | None:
        known = self._known.get(spec.workspace_id)
        return known[1] if known and known[0] == spec else None

    async def report(self, workspace_id: str) -> CheckReport | None:
        return await asyncio.to_thread(self._reports.find, workspace_id)

    async def facts(self) -> NodeFacts:
        return await asyncio.to_thread(self._facts)

    def at_full_speed(self, workspace_id: str) -> AbstractContextManager[None]:
        return self._disks.at_full_speed(workspace_id)

    async def stop(self, workspace_id: str) -> None:
        await asyncio.to_thread(self._stop, workspace_id)

    async def remove(self, workspace_id: str, *, files: bool) -> None:
        await asyncio.to_thread(self._remove, workspace_id, files=files)

    async def poll(self, workspace_id: str) -> SandboxStatus:
        container = await asyncio.to_thread(self._engine.find, container_name(self._site, workspace_id))
        return status_of(workspace_id, container)

    async def list(self) -> Sequence[SandboxStatus]:
        containers = await asyncio.to_thread(self._engine.list_containers)
        named = [(container.labels.get(WORKSPACE_LABEL, ""), container) for container in containers]
        return [status_of(workspace_id, container) for workspace_id, container in named if workspace_id]

    async def reap(self, known: Collection[str], *, elsewhere: Collection[str] = (), grace: float = 0.0) -> Reaped:
        return await asyncio.to_thread(self._reap, known, elsewhere, grace)

    async def close(self) -> None:
        """Close all connections. Containers keep running; the next start of the service adopts them."""
        for _, runtime in self._known.values():
            await runtime.close()
        self._known.clear()
        self._disks.close()
        self._engine.close()

    def _reap(self, known: Collection[str], elsewhere: Collection[str], grace: float) -> Reaped:
        reaped = self._reaper.reap(known, elsewhere, grace)
        idle = [found for found in self._disks.kernel_resources() if self._release_if_idle(found.workspace_id)]
        mounts = tuple(path for released in idle for path in released.mounts)
        return replace(
            reaped,
            mounts=reaped.mounts + mounts,
            loops=reaped.loops + tuple(device for released in idle for device in released.loops),
        )

    def _release_if_idle(self, workspace_id: str) -> bool:
        """Release the mounts and loop devices of a workspace whose container does not run.

        They remain after a kill between mounting and starting the container, or between stopping and unmounting. A
        workspace that another thread or process is working on is not idle.
        """
        with self._locks.held_if_free(workspace_id) as held:
            if not held:
                return False
            container = self._engine.find(container_name(self._site, workspace_id))
            if container and container.status in ALIVE_STATES:
                return False
            self._disks.release(workspace_id)
            return True

    def _facts(self) -> NodeFacts:
        driver, detail = self._disks.default_driver()
        return replace(self._engine.facts(), disk_driver=driver, disk_detail=detail)

    def _carrier(self, workspace_id: str) -> Carrier:
        name = container_name(self._site, workspace_id)
        if self._carrier_kind == "socket":
            return UnixSocketCarrier(self._root / workspace_id / "runner" / "socket")
        return StreamCarrier(lambda: ExecStream(self._engine.open_stream(name, BRIDGE)))

    def _bring_up(self, spec: SandboxSpec) -> CheckContext:
        """Adopt, start or create the container, and wait until its runner answers and its self-check has passed."""
        with self._locks.held(spec.workspace_id):
            failure = ""
            for _ in range(MAX_START_ATTEMPTS):
                container = self._adopt_or_create(spec)
                if container is None:
                    continue
                self._disks.protect_other_containers(container, spec)
                if failure := self._wait_for_answer(spec.workspace_id, container):
                    self._discard(spec, container)
                else:
                    return self._require_checked(spec, container)
        raise SandboxUnavailable(f"The sandbox does not start: {failure or 'its container keeps disappearing'}")

    def _adopt_or_create(self, spec: SandboxSpec) -> Container | None:
        """Return a started container with the options of this spec; None if another process has created one first."""
        container = self._engine.find(container_name(self._site, spec.workspace_id))
        if container and container.status == "running":
            if is_made_from(self._options(spec, self._disks.mount_existing(spec)), container):
                return container
            self._discard(spec, container)
            container = None
        try:
            return self._start_or_repeat(spec, container)
        except SandboxUnavailable:
            self._disks.release(spec.workspace_id)
            raise

    def _start_or_repeat(self, spec: SandboxSpec, container: Container | None) -> Container | None:
        """Prepare the disk and start the container. If the disk was unmounted in between, as an operator may do, try
        once more."""
        try:
            return self._start_prepared(spec, container)
        except BindSourceMissing:
            return self._start_prepared(spec, None)

    def _start_prepared(self, spec: SandboxSpec, container: Container | None) -> Container | None:
        """Prepare the disk. Start the existing container if its options match the spec, otherwise a new one."""
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
        """Remove the container and unmount its disk. The files are kept."""
        self._engine.remove(container)
        self._disks.release(spec.workspace_id)

    def _start_container(self, spec: SandboxSpec, container: Container) -> None:
        """Start the container. If that fails, remove it; the files are kept."""
        try:
            self._grant_runtime_access(spec)
            self._engine.start(container)
        except SandboxUnavailable:
            with suppress(SandboxUnavailable):
                self._engine.remove(container)
            self._reaper.kill_processes_of(str(container.id))
            raise

    def _grant_runtime_access(self, spec: SandboxSpec) -> None:
        """Let the container's root enter the workspace's directory, but no other unprivileged user.

        Runtimes other than runc access bind mounts as the container's root. runc does so as the host's root, so for
        runc this function does nothing.
        """
        if spec.runtime == DEFAULT_RUNTIME or self._carrier_kind != "socket":
            return
        folder, root_outside = self._root / spec.workspace_id, self._engine.user_offset()
        for path in (folder, folder / "disk"):
            if path.is_dir():
                os.chown(path, 0, root_outside)
                path.chmod(0o710)
        if closed := next((path for path in folder.parents if not path.stat().st_mode & 0o001), None):
            raise SandboxUnavailable(
                f"The runtime {spec.runtime!r} opens a workspace as user {root_outside}, who may not enter {closed}. "
                f"Keep the site's state elsewhere (AGENTSITE_STATE), or allow access: chmod o+x {closed}."
            )

    def _require_checked(self, spec: SandboxSpec, container: Container) -> CheckContext:
        """Run the self-check in a new container before anything else runs in it.

        If the check fails, the container is removed and the exception raised, normally CheckFailed. A container with a
        stored report is not checked again.
        """
        context = self._engine.check_context(spec.runtime)
        stamp = self._engine.stamp(container, spec.runtime)
        if self._reports.find(spec.workspace_id, stamp) is None:
            try:
                report = asyncio.run(self._run_check(spec.workspace_id, context))
                require_passed(report)
            except SandboxError:
                self._reports.delete(spec.workspace_id)
                self._discard(spec, container)
                raise
            self._reports.save(spec.workspace_id, stamp, report)
        return context

    async def _run_check(self, workspace_id: str, context: CheckContext) -> CheckReport:
        runtime = RunnerRuntime(self._carrier(workspace_id), context=context)
        try:
            return await runtime.check()
        finally:
            await runtime.close()

    def _options(self, spec: SandboxSpec, location: DiskLocation) -> dict[str, Any]:
        return container_options(spec, self._site, location.source, location.driver)

    def _wait_for_answer(self, workspace_id: str, container: Container) -> str:
        """Wait until the runner answers. Return the reason if it does not, otherwise ""."""
        deadline = time.monotonic() + START_TIMEOUT
        next_status = time.monotonic() + STATUS_INTERVAL
        while time.monotonic() < deadline:
            if self._runner_answers(workspace_id):
                return ""
            if time.monotonic() > next_status:
                current = self._engine.find(str(container.name))
                if current is None or current.status != "running":
                    return self._engine.log_tail(container) or "its container ended immediately"
                next_status = time.monotonic() + STATUS_INTERVAL
            time.sleep(PING_INTERVAL)
        return f"its runner did not answer within {START_TIMEOUT:.0f} s"

    def _runner_answers(self, workspace_id: str) -> bool:
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
        with self._locks.held(workspace_id):
            self._known.pop(workspace_id, None)
            if container := self._engine.find(container_name(self._site, workspace_id)):
                self._engine.stop(container)
            self._disks.release(workspace_id)

    def _remove(self, workspace_id: str, *, files: bool) -> None:
        with self._locks.held(workspace_id):
            self._known.pop(workspace_id, None)
            self._reports.delete(workspace_id)
            if container := self._engine.find(container_name(self._site, workspace_id)):
                self._engine.remove(container)
            self._disks.release(workspace_id)
            if files:
                self._disks.delete(workspace_id)

    def _remove_orphan(self, workspace_id: str) -> None:
        """Remove the container of a workspace that no longer exists. The files are kept."""
        self._remove(workspace_id, files=False)


def is_made_from(options: Mapping[str, Any], container: Container) -> bool:
    """Return whether the container was created with these options."""
    return bool(container.labels.get(RECIPE_LABEL) == options["labels"][RECIPE_LABEL])


def best_carrier(docker_host: str | None) -> CarrierKind:
    """Return "socket" if this process is root on the engine's machine, so that it can connect to the runner's socket.

    Otherwise, return "stream".
    """
    address = docker_host or os.environ.get("DOCKER_HOST") or "unix://"
    return "socket" if os.getuid() == 0 and address.startswith("unix://") else "stream"


def status_of(workspace_id: str, container: Container | None) -> SandboxStatus:
    if container is None:
        return SandboxStatus(workspace_id, SandboxState.ABSENT)
    state = STATES.get(container.status, SandboxState.BROKEN)
    return SandboxStatus(workspace_id, state, "" if state == SandboxState.RUNNING else container.status)
