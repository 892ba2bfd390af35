"""Housekeeping on every node, once a minute: remove leftovers, stop idle workspaces, and correct the workspace rows."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog
from django.utils import timezone

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sandbox.limits import SandboxUsage
from sandbox.ports import Runtime, SandboxState
from sandbox.terminals import TerminalInfo
from sessions_app.actions.model_table import take_over_table
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import count_running_calls, report_workspace, save_facts
from sessions_app.models import Session, ToolCall, Turn, Workspace
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.container_cleanup import remove_leftovers
from sessions_app.workers.sandbox.container_orders import FILES_KEPT, stop_container
from sessions_app.workers.sandbox.deployment import runtime_of, workspace_locks
from sessions_app.workers.sandbox.terminals import close_all
from tools_app.policies.current import policies_of_projects
from tools_app.text import counted

NOT_RUNNING: Final = (Workspace.State.STOPPED, Workspace.State.FAILED)

logger = structlog.get_logger(__name__)


def run_housekeeping(node: str) -> None:
    """Remove files and containers that belong to no workspace, stop idle workspaces, update the states and usage in the
    rows, and copy a new table of models from the database to this machine."""
    take_over_table()
    remove_leftovers(node)
    states = {status.workspace_id: status.state for status in background.run(this_node.deployment().list())}
    running = {workspace_id for workspace_id, state in states.items() if state == SandboxState.RUNNING}
    rows = list(Workspace.objects.filter(node=node).select_related("project__team"))
    policies = policies_of_projects({row.project for row in rows if row.state == Workspace.State.RUNNING})
    for row in rows:
        if row.state == Workspace.State.RUNNING and row.public_id not in running:
            _record_ended(row)
        elif row.state == Workspace.State.RUNNING:
            policy = policies[row.project_id]
            _stop_if_idle(row, idle_minutes=policy.sandbox().idle_minutes, terminals=policy.terminals[0])
        elif row.state in NOT_RUNNING and row.public_id in running:
            _record_running(row)


def _record_ended(row: Workspace) -> None:
    """Store that a workspace's container ended although the site did not stop it."""
    with workspace_locks[row.id]:
        if background.run(this_node.deployment().poll(row.public_id)).state == SandboxState.RUNNING:
            return
        stopped = Workspace.State.STOPPED
        if report_workspace(row.id, state=stopped, only_from=(Workspace.State.RUNNING,)):
            note_workspace(
                row.id, "stopped", f"The workspace's container ended, either with the site or on its own. {FILES_KEPT}"
            )


def _record_running(row: Workspace) -> None:
    """Set a workspace to running if its container runs although its row says otherwise, because a worker was killed
    before it stored the start. Housekeeping stops the container when it is idle."""
    with workspace_locks[row.id]:
        if background.run(this_node.deployment().poll(row.public_id)).state == SandboxState.RUNNING:
            report_workspace(row.id, state=Workspace.State.RUNNING, only_from=NOT_RUNNING)


def _stop_if_idle(row: Workspace, *, idle_minutes: int, terminals: bool) -> None:
    """Stop a workspace that nobody uses. It counts as used when somebody types into a terminal, not while a terminal is
    only open. `terminals`: the policies allow terminals; if they do not, open terminals are ended."""
    used = _last_used(row)
    try:
        usage, busy, found = background.run(_read_usage(runtime_of(row), terminals=terminals))
        _end_left_terminals(row, found)
    except SandboxError as error:
        logger.warning("workspace_silent", workspace=row.public_id, error=error.message)
        return
    typed_at = max((each.input_at for each in found), default=0.0)
    used = max(used, datetime.fromtimestamp(min(typed_at, time.time()), UTC))
    save_facts(row.id, usage=asdict(usage), last_used_at=used)
    if not busy and used < timezone.now() - timedelta(minutes=idle_minutes) and not _is_in_use(row):
        minutes = counted(idle_minutes, "idle minute")
        stop_container(row, f"The workspace stopped after {minutes}. {FILES_KEPT}", data={"idle_minutes": idle_minutes})


async def _read_usage(runtime: Runtime, *, terminals: bool) -> tuple[SandboxUsage, bool, Sequence[TerminalInfo]]:
    """Return a container's current usage, whether a background call is running in it, and its terminals. If `terminals`
    is false, people's terminals are closed first, and only agents' terminals are returned."""
    usage = await runtime.usage()
    busy = any(call.is_running for call in await runtime.background())
    if not terminals:
        await close_all(runtime)
    found = await runtime.terminals()
    return usage, busy, found if terminals else [each for each in found if each.command]


def _end_left_terminals(row: Workspace, found: Sequence[TerminalInfo]) -> None:
    """End the terminals of agents in sessions that are deleted or archived."""
    of_agents = [each for each in found if each.command]
    if not of_agents:
        return
    sessions = {each.public_id for each in Session.objects.filter(workspace=row, archived=False)}
    for each in of_agents:
        if each.label.get("session") not in sessions:
            background.run(runtime_of(row).end_terminal(each.terminal_id))


def _last_used(row: Workspace) -> datetime:
    calls = ToolCall.objects.filter(session__workspace=row).order_by("-moved_at")
    moved = calls.values_list("moved_at", flat=True).first()
    return max(row.last_used_at, moved) if moved else row.last_used_at


def _is_in_use(row: Workspace) -> bool:
    open_turns = Turn.objects.filter(session__workspace=row, state__in=(Turn.State.QUEUED, Turn.State.RUNNING))
    return open_turns.exists() or bool(count_running_calls(row.id))
