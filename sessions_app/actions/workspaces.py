"""Workspaces: make one, give it to a node, tell every session in it how it is."""

import uuid
from typing import Any

from django.db import transaction
from django.utils import timezone

from agentsite.tenancy.access import require
from agentsite.tenancy.models import Project
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import end_turn
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Session, Turn, Workspace
from sessions_app.queueing import enqueue_stop_workspace, enqueue_turn, enqueue_workspace


def create_workspace(*, actor: Any, project: Project, name: str = "") -> Workspace:
    """A new directory and container, made in the background by whichever node takes it first."""
    require(actor, Act.PROMPT, team_id=project.team_id)
    with transaction.atomic():
        count = Workspace.objects.filter(project=project).count()
        row = Workspace.objects.create(project=project, name=name.strip()[:100] or f"workspace {count + 1}")
        transaction.on_commit(lambda: enqueue_workspace(row.id, node=""))
    return row


def start_workspace(*, actor: Any, workspace: Workspace) -> None:
    require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    enqueue_workspace(workspace.id, node=workspace.node)


def stop_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Stop the container; the files stay, and the next call starts it again."""
    require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    enqueue_stop_workspace(workspace.id, node=workspace.node)


def claim_workspace(workspace_id: uuid.UUID, *, node: str) -> Workspace | None:
    """Take a workspace that no node has yet; the row if it is this node's now, else None."""
    Workspace.objects.filter(pk=workspace_id, node="").update(node=node)
    return Workspace.objects.select_related("project__team").filter(pk=workspace_id, node=node).first()


def report_workspace(workspace_id: uuid.UUID, *, state: str, detail: str = "", seeded: bool | None = None) -> None:
    """Keep the state and tell it in every session of the workspace."""
    fields: dict[str, Any] = {"state": state, "detail": detail, "last_used_at": timezone.now()}
    if seeded is not None:
        fields["seeded"] = seeded
    Workspace.objects.filter(pk=workspace_id).update(**fields)
    for session_id in Session.objects.filter(workspace_id=workspace_id, archived=False).values_list("id", flat=True):
        with session_write(session_id) as write:
            write.emit("workspace.updated", views.workspace(write.session.workspace))


def wake_turns(workspace_id: uuid.UUID) -> None:
    """The workspace is ready: let the turns go on that waited for it."""
    waiting = Turn.objects.filter(session__workspace_id=workspace_id, state=Turn.State.QUEUED)
    for turn_id in waiting.values_list("id", flat=True):
        enqueue_turn(turn_id)


def fail_waiting_turns(workspace_id: uuid.UUID, *, error: dict[str, str]) -> None:
    """The workspace cannot be made ready: end the turns that waited for it, with the reason."""
    waiting = Turn.objects.filter(session__workspace_id=workspace_id, state=Turn.State.QUEUED)
    for turn_id, session_id in waiting.values_list("id", "session_id"):
        with session_write(session_id) as write:
            end_turn(write, Turn.objects.get(pk=turn_id), Turn.State.FAILED, error=error)
