"""A workspace is removed in two steps: at once it is out of use, and after some days it is deleted. Until then it can
be kept after all, and an archive of it taken away."""

import uuid
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Case, CharField, Q, Value, When
from django.utils import timezone

from agentsite.base.errors import Missing, Stale
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.roles import Act
from sessions_app.actions.nodes import end_open_turns
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import record_act, require_room, tell_workspace
from sessions_app.events.log import session_write
from sessions_app.models import Session, ToolCall, Workspace
from sessions_app.queueing import enqueue_delete_workspace, enqueue_put_away, enqueue_workspace
from sessions_app.webhooks.session_events import tell_of_deletion
from tools_app.policies.current import current_policies

LEAVING: Final = "Stopped: the workspace is being removed."
BATCH: Final = 100


def remove_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Out of use now, deleted when its days are over. Again: nothing happens, the days go on."""
    require(actor, Act.MANAGE_PROJECT, team_id=workspace.project.team_id)
    policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)
    leave_workspace(workspace, actor=actor, until=timezone.now() + timedelta(days=policies.sandbox().keep_days))


def leave_workspace(workspace: Workspace, *, actor: Any, until: datetime) -> None:
    """Out of use now, by somebody whose right to it is known; deleted at `until`."""
    rows = Workspace.objects.filter(pk=workspace.pk).exclude(state=Workspace.State.REMOVING)
    with writers_turn(), transaction.atomic():
        if not rows.update(state=Workspace.State.REMOVING, remove_at=until, detail=""):
            return
        record_act(actor, workspace, "remove", remove_at=until.isoformat())
    end_open_turns(workspace.pk, state=ToolCall.State.ABORTED, output=LEAVING)
    tell_workspace(workspace.pk)
    text = f"This workspace is being removed. Its files are deleted on {until:%d %b %Y}; until then it can be kept."
    note_workspace(workspace.pk, "removing", text, data={"remove_at": until.isoformat()})
    enqueue_put_away(workspace.pk, node=workspace.node)


def keep_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Undo the removal. Raises Stale when there is nothing to undo, its days are over, or the team has as many others
    as its policies allow by now."""
    require(actor, Act.MANAGE_PROJECT, team_id=workspace.project.team_id)
    require_usable_project(workspace.project)
    return_workspace(workspace, actor=actor)


def return_workspace(workspace: Workspace, *, actor: Any) -> None:
    """The same, by somebody whose right to it is known."""
    leaving = Workspace.objects.filter(pk=workspace.pk, state=Workspace.State.REMOVING, remove_at__gt=timezone.now())
    before = Case(
        When(seeded=True, then=Value(Workspace.State.STOPPED)),
        When(generation__gt=0, then=Value(Workspace.State.LOST)),
        default=Value(Workspace.State.NEW),
        output_field=CharField(),
    )
    with writers_turn(), transaction.atomic():
        if leaving.exists():
            require_room(workspace.project)
        if not leaving.update(state=before, remove_at=None):
            raise Stale(
                "This workspace is not being removed, or its files are being deleted already.", code="not_removing"
            )
        record_act(actor, workspace, "keep")
    workspace.refresh_from_db()
    tell_workspace(workspace.pk)
    note_workspace(workspace.pk, "restored", "The workspace is kept after all. Its files are as they were.")
    if not workspace.seeded:
        enqueue_workspace(workspace.pk, node=workspace.node)


def sweep_removed(now: datetime) -> int:
    """Have workspaces deleted whose days are over."""
    rows = list(_over(now).values_list("id", "node")[:BATCH])
    for workspace_id, node in rows:
        enqueue_delete_workspace(workspace_id, node=node)
    return len(rows)


def find_over(workspace_id: uuid.UUID, *, node: str, now: datetime) -> Workspace | None:
    """The workspace, if it is to be deleted now and by this node: its own, or one that is nobody's."""
    rows = _over(now).select_related("project__team").filter(Q(node=node) | Q(node=""), pk=workspace_id)
    row: Workspace | None = rows.first()
    return row


def forget_workspace(workspace: Workspace, *, now: datetime) -> None:
    """Its sessions and its row, after everything else of it has gone. May be repeated."""
    for session_id in Session.objects.filter(workspace=workspace, parent=None).values_list("id", flat=True):
        with suppress(Missing), session_write(session_id) as write:
            tell_of_deletion(write.session)
            write.session.delete()
    with writers_turn(), transaction.atomic():
        gone, _ = _over(now).filter(pk=workspace.pk).delete()
        if gone:
            record_act(None, workspace, "deleted")


def _over(now: datetime) -> Any:
    return Workspace.objects.filter(state=Workspace.State.REMOVING, remove_at__lte=now)
