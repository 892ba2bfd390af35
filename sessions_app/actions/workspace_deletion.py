"""Delete a workspace in two steps: deactivate it at once, delete it after the grace period. Until then it can be
restored, and its archive can be downloaded."""

import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Case, CharField, Q, QuerySet, Value, When
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.nodes import end_open_turns
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import publish_workspace, record_act, require_room
from sessions_app.events.log import session_write
from sessions_app.models import Session, ToolCall, Workspace
from sessions_app.queueing import enqueue_deactivation, enqueue_delete_workspace, enqueue_workspace
from sessions_app.webhooks.outbox import queue_session_deleted
from tools_app.policies.current import current_policies

SCHEDULED_FOR_DELETION: Final = "Stopped: the workspace is scheduled for deletion."
BATCH: Final = 100


def remove_workspace(*, actor: User, workspace: Workspace) -> None:
    """Deactivate the workspace and schedule its deletion. If it is already scheduled, nothing changes."""
    require(actor, Act.MANAGE_PROJECT, team_id=workspace.project.team_id)
    policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
    schedule_workspace_deletion(
        workspace, actor=actor, until=timezone.now() + timedelta(days=policies.sandbox().keep_days)
    )


def schedule_workspace_deletion(workspace: Workspace, *, actor: User | None, until: datetime) -> None:
    """Deactivate the workspace and delete it at `until`. The caller has checked the actor's permission."""
    rows = Workspace.objects.filter(pk=workspace.pk).exclude(state=Workspace.State.REMOVING)
    with sqlite_write_lock(), transaction.atomic():
        if not rows.update(state=Workspace.State.REMOVING, remove_at=until, detail=""):
            return
        record_act(actor, workspace, "remove", remove_at=until.isoformat())
    end_open_turns(workspace.pk, state=ToolCall.State.ABORTED, output=SCHEDULED_FOR_DELETION)
    publish_workspace(workspace.pk)
    text = (
        f"This workspace is scheduled for deletion. Its files are deleted on {until:%d %b %Y};"
        " until then it can be restored."
    )
    note_workspace(workspace.pk, "removing", text, data={"remove_at": until.isoformat()})
    enqueue_deactivation(workspace.pk, node=workspace.node)


def cancel_workspace_deletion(*, actor: User, workspace: Workspace) -> None:
    """Cancel the deletion of a workspace. Raises Stale if no deletion is scheduled, the grace period is over, or the
    team has reached its workspace limit."""
    require(actor, Act.MANAGE_PROJECT, team_id=workspace.project.team_id)
    require_usable_project(workspace.project)
    unschedule_workspace_deletion(workspace, actor=actor)


def unschedule_workspace_deletion(workspace: Workspace, *, actor: User) -> None:
    """Cancel the deletion of a workspace. The caller has checked the actor's permission."""
    leaving = Workspace.objects.filter(pk=workspace.pk, state=Workspace.State.REMOVING, remove_at__gt=timezone.now())
    before = Case(
        When(seeded=True, then=Value(Workspace.State.STOPPED)),
        When(generation__gt=0, then=Value(Workspace.State.LOST)),
        default=Value(Workspace.State.NEW),
        output_field=CharField(),
    )
    with sqlite_write_lock(), transaction.atomic():
        if leaving.exists():
            require_room(workspace.project)
        if not leaving.update(state=before, remove_at=None):
            raise Stale(
                "This workspace is not scheduled for deletion, or its files are already being deleted.",
                code=ErrorCode.NOT_REMOVING,
            )
        record_act(actor, workspace, "keep")
    workspace.refresh_from_db()
    publish_workspace(workspace.pk)
    note_workspace(workspace.pk, "restored", "The deletion was cancelled. The files of the workspace are unchanged.")
    if not workspace.seeded:
        enqueue_workspace(workspace.pk, node=workspace.node)


def enqueue_due_deletions(now: datetime) -> int:
    """Enqueue the deletion of workspaces whose grace period is over."""
    rows = list(_grace_period_over(now).values_list("id", "node")[:BATCH])
    for workspace_id, node in rows:
        enqueue_delete_workspace(workspace_id, node=node)
    return len(rows)


def find_due_for_deletion(workspace_id: uuid.UUID, *, node: str, now: datetime) -> Workspace | None:
    """Return the workspace if its grace period is over and it belongs to this node or to none; otherwise None."""
    rows = _grace_period_over(now).select_related("project__team").filter(Q(node=node) | Q(node=""), pk=workspace_id)
    return rows.first()


def delete_workspace_rows(workspace: Workspace, *, now: datetime) -> None:
    """Delete the sessions and the row of a workspace whose files are gone. Idempotent."""
    for session_id in Session.objects.filter(workspace=workspace, parent=None).values_list("id", flat=True):
        with suppress(Missing), session_write(session_id) as write:
            queue_session_deleted(write.session)
            write.session.delete()
    with sqlite_write_lock(), transaction.atomic():
        gone, _ = _grace_period_over(now).filter(pk=workspace.pk).delete()
        if gone:
            record_act(None, workspace, "deleted")


def _grace_period_over(now: datetime) -> QuerySet[Workspace]:
    return Workspace.objects.filter(state=Workspace.State.REMOVING, remove_at__lte=now)
