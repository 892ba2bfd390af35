"""Run the services of a workspace: before a command runs, start the services that are not running, and wait until they
answer."""

import asyncio
import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import structlog
from asgiref.sync import sync_to_async

from sandbox.errors import LimitReached
from sandbox.ports import BackgroundCall, RunRequest, RunResult, Runtime
from sessions_app.actions.images import image_name, images_with
from sessions_app.actions.setups import SERVICE_FAILED, SERVICE_READY, declared_services, may_start
from sessions_app.models import Workspace
from sessions_app.variables.given import masks_of
from tools_app.services import MISSING, Service, variables_of
from tools_app.text import clean

OWNER: Final = "services"
STARTS: Final = 3
"""The maximum number of starts of a service in one container, if the service ends each time."""
READY_SECONDS: Final = 90.0  # until a service answers; the first start creates its data
PROBE_SECONDS: Final = 10.0  # for one try
PROBE_EVERY: Final = 0.2  # seconds
MAX_REASON_CHARACTERS: Final = 400

_ready: set[tuple[str, str]] = set()
"""Services that have answered, as pairs of the workspace's id and the id of the service's call, which is new in a new
container."""
MAX_READY: Final = 5_000

logger = structlog.get_logger(__name__)


class _Failed(Exception):
    """Raised when a service of the workspace could not be started or is not running; the message says why."""


async def services_for_commands(workspace: Workspace, runtime: Runtime, *, again: bool = False) -> Mapping[str, str]:
    """Make sure that the workspace's services run, and return the variables with which commands find them.

    A service that cannot run is noted in the workspace's row, and commands run without it. Such a service is tried
    again in a new container, when its declaration has changed, or with `again`. Without services, the function sends no
    request; otherwise one request to the runner and one for each service. Raises SandboxUnavailable.
    """
    setup = workspace.setup
    if not setup.get("services") or not may_start(setup):
        return {}
    services = declared_services(setup)
    if not services:
        return {}
    boot = f"{(await runtime.ping()).boot_id[:8]}-{setup['services']['digest'][:8]}"
    before = setup["services"].get("states") or {}
    states = {name: state for name, state in before.items() if state["boot"] == boot}
    for name in before.keys() - states.keys():
        await runtime.abort(before[name]["call"])  # the declaration changed while it ran
    due = [service for service in services if again or states.get(service.name, {}).get("state") != SERVICE_FAILED]
    calls = [_Start(workspace, runtime, service, boot, states.get(service.name, {}).get("next", 0)) for service in due]
    found = await asyncio.gather(*(each.ensure() for each in calls))
    states |= {service.name: state for service, state in zip(due, found, strict=True)}
    if states != before:
        await sync_to_async(partial(_store, workspace, states), thread_sensitive=False)()
    return variables_of([service for service in services if states[service.name]["state"] == SERVICE_READY])


class _Start:
    """A start of one service, unless the service is already running. `first` is the number of earlier starts that
    failed."""

    def __init__(self, workspace: Workspace, runtime: Runtime, service: Service, boot: str, first: int) -> None:
        self._workspace = workspace
        self._runtime = runtime
        self._service = service
        self._boot = boot
        self._first = first
        self._attempt = first

    @property
    def _call_id(self) -> str:
        """Return the id of the call that runs the service. Commands that start the service at the same time compute the
        same id, so the service is started only once."""
        return f"service-{self._service.name}-{self._boot}-{self._attempt}"

    async def ensure(self) -> dict[str, Any]:
        """Start the service if necessary, and return its state in the form in which it is stored."""
        state, message = SERVICE_READY, ""
        try:
            await self._start()
        except _Failed as error:
            masks = await sync_to_async(masks_of, thread_sensitive=False)(self._workspace.project)
            state, message = SERVICE_FAILED, masks.mask(clean(str(error)))
            logger.warning("service_failed", workspace=self._workspace.public_id, service=self._service.name)
        following = self._attempt + 1 if state == SERVICE_FAILED else self._first
        return {"state": state, "message": message, "boot": self._boot, "call": self._call_id, "next": following}

    async def _start(self) -> None:
        for attempt in range(self._first, self._first + STARTS):
            self._attempt = attempt
            request = RunRequest(self._call_id, self._service.start_script(), owner=OWNER, service=True)
            try:
                call = await self._runtime.start(request)
            except LimitReached as error:
                raise _Failed(error.message) from error
            known = (self._workspace.public_id, call.call_id)
            if call.is_running and known not in _ready:
                call = await self._wait(call)
            if call.is_running:
                _remember(known)
                return
            if call.exit_code == MISSING:
                raise _Failed(await sync_to_async(_missing, thread_sensitive=False)(self._workspace, self._service))
        raise _Failed(f"{self._service.program} ended {STARTS} times. {_shortened(await self._log())}")

    async def _wait(self, call: BackgroundCall) -> BackgroundCall:
        """Wait until the service answers or its process has ended, and return the service's call. Raises _Failed if
        neither happens within READY_SECONDS."""
        deadline = time.monotonic() + READY_SECONDS
        while True:
            result = await self._run(self._service.ready_script())
            if result.exit_code == 0:
                return call
            call = (await self._runtime.peek(call.call_id)).call
            if not call.is_running:
                return call
            if time.monotonic() > deadline:
                await self._runtime.abort(call.call_id)
                late = f"{self._service.program} did not answer within {READY_SECONDS:.0f} s."
                raise _Failed(f"{late} {_shortened(result.output)}")
            await asyncio.sleep(PROBE_EVERY)

    async def _log(self) -> bytes:
        return (await self._run(f"tail -c {MAX_REASON_CHARACTERS} {self._service.log}")).output

    async def _run(self, command: str) -> RunResult:
        return await self._runtime.run(RunRequest(f"{self._call_id}-{time.time_ns()}", command, timeout=PROBE_SECONDS))


def _remember(service: tuple[str, str]) -> None:
    if len(_ready) > MAX_READY:
        _ready.clear()
    _ready.add(service)


def _shortened(output: bytes) -> str:
    words = output.decode("utf-8", "replace").strip()
    return f"Its log ends: {words[-MAX_REASON_CHARACTERS:]}" if words else "Its log is empty."


def _missing(workspace: Workspace, service: Service) -> str:
    """Return a sentence which says that the image lacks the service's program, and what people can do about it."""
    name, others = image_name(workspace.project_id), images_with(service.needs)
    if others:
        return f"The image {name} has no {service.program}. Choose {' or '.join(others)} in the project's settings."
    return (
        f"The image {name} has no {service.program}, and no other image that is registered. Operators can build and "
        "register one with it (`python -m sandbox.image --services`)."
    )


def _store(workspace: Workspace, states: Mapping[str, Any]) -> None:
    """Store the states of the services in the workspace's row, unless its services are declared differently by now."""
    row = Workspace.objects.filter(pk=workspace.pk).first()
    declared = (row.setup if row else {}).get("services")
    if row is None or not declared or declared["digest"] != workspace.setup["services"]["digest"]:
        return
    setup = {**row.setup, "services": {**declared, "states": dict(states)}}
    if Workspace.objects.filter(pk=row.pk, setup=row.setup).update(setup=setup):
        workspace.setup = setup
