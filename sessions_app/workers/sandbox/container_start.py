"""Start a workspace's container, store its parameters and the result of the self-check, and publish events about it."""

import asyncio
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

import structlog

from agentsite.base import metrics
from agentsite.base.background import background
from sandbox.errors import CheckFailed, SandboxError
from sandbox.limits import LimitHit
from sandbox.ports import Deployment, Runtime, SandboxSpec, SandboxState
from sandbox.reports import CheckReport
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import report_workspace, states_except
from sessions_app.models import ToolCall, Workspace, WorkspaceNote
from sessions_app.workers.sandbox import deployment as node
from tools_app.text import clean_value

EXPLAINING_NOTES: Final = ("stopped", "restarted", "rebuilt", "lost", "restored", "refused")
"""Kinds of notes that already explain to people why a call's container is gone."""

CONTAINER_LOST: Final = "The workspace's container ended during a call, which may have run partly. Its files are kept."

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class StartedContainer:
    """The result of starting a container. `seconds` is how long the start took, None if the container was already
    running. `facts` are columns of the workspace's row. `steps` are the durations in seconds of the steps of making the
    workspace ready, by name and in order."""

    runtime: Runtime
    seconds: float | None
    facts: dict[str, Any]
    steps: Mapping[str, float] = field(default_factory=dict)


def ensure_container(workspace: Workspace) -> StartedContainer:
    """Return the workspace's container once it responds; create or start it first if necessary. The caller holds the
    workspace's lock. Raises SandboxUnavailable."""
    return background.run(_ensure_container(workspace.public_id, node.sandbox_spec(workspace)))


async def _ensure_container(workspace_id: str, spec: SandboxSpec) -> StartedContainer:
    deployment = node.deployment()
    before = (await deployment.poll(workspace_id)).state
    ran = before == SandboxState.RUNNING
    began = time.monotonic()
    runtime = await deployment.ensure(spec)
    if not ran:
        await runtime.ping()  # a container that `ensure` had cached is only verified by a request
    seconds = time.monotonic() - began
    if not ran:
        metrics.SANDBOX_UP.labels("created" if before == SandboxState.ABSENT else "started").observe(seconds)
    made = {"runtime": spec.runtime, "limits": asdict(spec.limits), "usage": {}, "image": node.registered_of(spec)}
    return StartedContainer(runtime, None if ran else seconds, made | await _display_facts(deployment, workspace_id))


async def _display_facts(deployment: Deployment, workspace_id: str) -> dict[str, Any]:
    """Return facts about a workspace's container that are only displayed: its disk driver and its self-check. Returns
    {} if they cannot be read."""
    try:
        report, facts = await asyncio.gather(deployment.report(workspace_id), deployment.facts())
    except SandboxError as error:
        logger.warning("facts_unknown", workspace=workspace_id, error=error.message)
        return {}
    found: dict[str, Any] = {"disk_driver": facts.disk_driver[:16]}
    return found if report is None else found | {"self_check": report_to_json(report)}


def restart_container(workspace: Workspace) -> Runtime:
    """Start the stopped container of a workspace, and return its runtime. Raises SandboxUnavailable."""
    with node.workspace_locks[workspace.id]:
        started = ensure_container(workspace)
        record_ready(workspace, started)
        return started.runtime


def record_ready(workspace: Workspace, started: StartedContainer) -> None:
    """Store that the workspace is running with the project's files in place, and add a note to its sessions if its
    container was started."""
    running = Workspace.State.RUNNING
    news = report_workspace(workspace.id, state=running, only_from=states_except(running), seeded=True, **started.facts)
    if not news and not workspace.seeded:
        report_workspace(workspace.id, state=running, seeded=True, **started.facts)
    if news and started.seconds is not None:
        text = f"The workspace started ({started.seconds:.1f} s)."
        steps = {name: round(seconds, 3) for name, seconds in started.steps.items()}
        data = {"seconds": round(started.seconds, 3), "steps": steps}
        note_workspace(workspace.id, "started", text, data=data)


def record_failed(workspace_id: uuid.UUID, error: SandboxError) -> None:
    """Store that the workspace could not be started. If the self-check failed, also add a note to the workspace's
    sessions, unless the same failure was stored before."""
    metrics.SANDBOX_FAILURES.labels(error.code).inc()
    facts: dict[str, Any] = {"self_check": report_to_json(error.report)} if isinstance(error, CheckFailed) else {}
    before = Workspace.objects.filter(pk=workspace_id).values_list("state", "detail").first()
    failed = Workspace.State.FAILED
    news = report_workspace(workspace_id, state=failed, detail=error.message, only_from=states_except(failed), **facts)
    if not news and before != (failed, error.message):
        news = report_workspace(workspace_id, state=failed, detail=error.message, **facts)
    if news and isinstance(error, CheckFailed):
        note_refused(workspace_id, error.report)


def note_refused(workspace_id: uuid.UUID, report: CheckReport, *, data: Mapping[str, Any] | None = None) -> None:
    names = [item.name for item in report.failures]
    text = f"The workspace was not used: its self-check failed ({', '.join(names)}). Its files are kept."
    found = {item.name: item.found[:200] for item in report.failures}
    note_workspace(workspace_id, "refused", text, data={**(data or {}), "items": names, "found": found})


def note_lost(workspace_id: uuid.UUID, *, session_id: uuid.UUID, since: datetime) -> None:
    """Publish that the container was lost during a call that began at `since`.

    Several calls may notice the loss, some of them late. A note about it is added only once, and not if another note
    added after `since` explains why the container ended.
    """
    stopped = Workspace.State.STOPPED
    if not _is_noted(session_id, since) and report_workspace(
        workspace_id, state=stopped, only_from=(Workspace.State.RUNNING,)
    ):
        note_workspace(workspace_id, "lost", CONTAINER_LOST)


def note_lost_call(call: ToolCall) -> None:
    """Publish that the container was lost during a call, unless a note in the session explains it already. The loss is
    noticed only after a new container was started."""
    if not _is_noted(call.session_id, call.started_at or call.created_at):
        note_workspace(
            call.session.workspace_id, "lost", CONTAINER_LOST, call_id=call.public_id, session_id=call.session_id
        )


def _is_noted(session_id: uuid.UUID, since: datetime) -> bool:
    notes = WorkspaceNote.objects.filter(session_id=session_id, kind__in=EXPLAINING_NOTES, created_at__gte=since)
    return notes.exists()


def note_limit(call: ToolCall, hit: LimitHit) -> None:
    """Publish in the session of a call that the call reached a limit, once for each limit."""
    noted = note_workspace(
        call.session.workspace_id,
        "limit",
        hit.message,
        data={"limit": hit.kind},
        call_id=call.public_id,
        session_id=call.session_id,
    )
    if noted:
        metrics.LIMITS_HIT.labels(hit.kind).inc()


def report_to_json(report: CheckReport) -> dict[str, Any]:
    """Return a container's report in a form that every database can store."""
    stored: dict[str, Any] = clean_value(asdict(report))
    return stored
