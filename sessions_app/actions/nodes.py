"""Register nodes, detect lost ones, and move their workspaces to other nodes.

A node that has not been seen for `LOST_AFTER` is lost if another node was alive during all that time. If the whole site
was down, or has only one node, the site waits instead. The workspaces of a lost node get a new generation, so that
later writes of the old node are ignored. Calls that had started there are ended and never run again.
"""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Q, QuerySet

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.actions.calls import close_call, close_open_calls
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import publish_workspace
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Node, PermissionRequest, ToolCall, Turn, Workspace
from sessions_app.models.base import move
from sessions_app.queueing import enqueue_workspace

LOST_AFTER: Final = timedelta(seconds=60)
BATCH: Final = 50  # workspaces that one run of `recover` moves
NODE_LOST: Final = (
    "interrupted: it may have run partly. The node it ran on was lost, and the files are restored from the last"
    " archive: check their state before you continue."
)
MOVING: Final = "The node of this workspace was lost. The workspace is being restored on another node."


def renew_node(name: str, *, now: datetime, started_at: datetime, facts: Mapping[str, Any]) -> None:
    """Record that the node is alive. If `facts` is empty, the stored facts stay."""
    fields: dict[str, Any] = {"seen_at": now, "started_at": started_at, "lost_at": None}
    if facts:
        fields["facts"] = dict(facts)
    if not Node.objects.filter(name=name).update(**fields):
        Node.objects.update_or_create(name=name, defaults=fields)


def is_alive(node: Node, now: datetime) -> bool:
    return node.seen_at > now - LOST_AFTER


def alive_nodes(now: datetime) -> QuerySet[Node]:
    return Node.objects.filter(seen_at__gt=now - LOST_AFTER)


def names_of_nodes(now: datetime) -> list[str]:
    """Return the names of the nodes that hold workspaces or are alive."""
    holding = Workspace.objects.exclude(node="").order_by().values_list("node", flat=True).distinct()
    alive = alive_nodes(now).values_list("name", flat=True)
    return sorted({*holding, *alive})


def move_lost_workspaces(now: datetime) -> int:
    """Detach the workspaces of lost nodes, so that another node can take them. Returns the number of detached
    workspaces."""
    nodes = list(Node.objects.all())
    silent = [node for node in nodes if not is_alive(node, now)]
    witnesses = [node for node in nodes if is_alive(node, now) and node.started_at <= now - LOST_AFTER]
    if not silent or not witnesses:
        return 0
    names = [node.name for node in silent]
    Node.objects.filter(name__in=names, lost_at=None, seen_at__lte=now - LOST_AFTER).update(lost_at=now)
    rows = Workspace.objects.filter(node__in=names).order_by("id").values_list("id", "node")[:BATCH]
    return sum(move_lost_workspace(workspace_id, node=node) for workspace_id, node in rows)


def move_lost_workspace(workspace_id: uuid.UUID, *, node: str) -> bool:
    """Detach the workspace from its lost node. Returns False if it no longer belongs to that node."""
    if not _detach(workspace_id, node):
        return False
    end_started_calls(workspace_id)
    row = Workspace.objects.get(pk=workspace_id)
    publish_workspace(workspace_id)
    if row.state == Workspace.State.LOST:
        note_workspace(workspace_id, "lost", _lost_text(row), data={"node": node})
        enqueue_workspace(workspace_id, node="")
    return True


def release_workspace(workspace_id: uuid.UUID, *, node: str) -> None:
    """Detach the workspace from a node that is unknown, for example after a backup was restored.

    The workspace then belongs to the next node that gets work for it.
    """
    if _detach(workspace_id, node):
        end_started_calls(workspace_id)


def _detach(workspace_id: uuid.UUID, node: str) -> bool:
    """Detach the workspace from the node, and mark it as lost. A workspace that is scheduled for deletion is not
    marked, because its files are not needed. Returns False if the workspace is no longer on this node."""
    fields: dict[str, Any] = {"node": "", "seeded": False, "generation": F("generation") + 1}
    with sqlite_write_lock(), transaction.atomic():
        rows = Workspace.objects.filter(pk=workspace_id, node=node)
        leaving = rows.filter(state=Workspace.State.REMOVING).update(**fields)
        return bool(leaving or rows.update(**fields, state=Workspace.State.LOST, detail=MOVING))


def _lost_text(row: Workspace) -> str:
    if row.archived_at is None:
        return "The node of this workspace was lost, and there is no archive of its files."
    moment = f"{row.archived_at:%H:%M} UTC on {row.archived_at:%d %b}"
    return f"The node of this workspace was lost. The workspace is restored from the archive of {moment}."


def end_started_calls(workspace_id: uuid.UUID) -> None:
    """End the workspace's calls that a worker of the old node had started; their output says that they may have run
    partly. Idempotent; also called before the workspace runs anywhere else."""
    begun = _started_calls().filter(session__workspace_id=workspace_id).order_by()
    for session_id in begun.values_list("session_id", flat=True).distinct():
        with session_write(session_id) as write:
            for call in _started_calls().filter(session_id=session_id):
                _end_started_call(write, call)


def _started_calls() -> QuerySet[ToolCall]:
    """Return the tool calls that a worker has started and that have not ended. A waiting call is included if it keeps
    its lease because its MCP server asks people something, or if it has run and then waits for a permission. For other
    waiting calls, no worker runs anything."""
    running = Q(state=ToolCall.State.RUNNING) | Q(state=ToolCall.State.WAITING, lease_until__isnull=False)
    again = Q(started_at__isnull=False) & (
        Q(state=ToolCall.State.PENDING) | Q(state=ToolCall.State.WAITING, waits_for="permission")
    )
    return ToolCall.objects.filter(running | again)


def _end_started_call(write: SessionWrite, call: ToolCall) -> None:
    output = f"{call.live_output}\n\n{NODE_LOST}" if call.live_output else NODE_LOST
    if not close_call(write, call, ToolCall.State.ERROR, output=output):
        return
    for request in PermissionRequest.objects.filter(call=call, state=PermissionRequest.State.OPEN):
        if move(request, source="open", target=PermissionRequest.State.CANCELLED, settled_at=write.now):
            write.emit("permission.settled", views.permission_request(request, tool=call.tool))
    settle_turn(write, call.turn_id)


def end_open_turns(workspace_id: uuid.UUID, *, state: str, output: str, error: dict[str, str] | None = None) -> None:
    """End the workspace's open turns, because nothing can run there. Their open calls end in the state `state` with
    `output` as their output."""
    rows = Turn.objects.filter(session__workspace_id=workspace_id, state__in=Turn.OPEN).order_by()
    for session_id in rows.values_list("session_id", flat=True).distinct():
        with session_write(session_id) as write:
            for turn in Turn.objects.filter(session_id=session_id, state__in=Turn.OPEN):
                close_open_calls(write, turn, state=ToolCall.State(state), output=output)
                end_turn(write, turn, Turn.State.FAILED if error else Turn.State.ABORTED, error=error)
