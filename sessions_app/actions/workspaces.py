"""Workspaces: create them, assign them to nodes, start, stop or rebuild them, and publish their state to every
session."""

import uuid
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import end_turn
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import ProjectRepository, Session, ToolCall, Turn, Workspace
from sessions_app.queueing import enqueue_change_workspace, enqueue_end_call, enqueue_turn, enqueue_workspace
from sessions_app.repositories.projects import check_ref
from tools_app.policies.current import current_policies
from tools_app.text import counted

USABLE_STATES: Final = tuple(state for state in Workspace.State if state != Workspace.State.REMOVING)


def create_workspace(*, actor: User, project: Project, name: str = "", ref: str = "") -> Workspace:
    """Create the row of a workspace. The first node to take it creates the directory and container in the background.

    The workspace starts from `ref`, a branch, tag or commit of the project's repository; "" stands for the default
    branch. Raises Stale if there is a ref but no repository.
    """
    require(actor, Act.PROMPT, team_id=project.team_id)
    require_usable_project(project)
    ref = check_ref(ref)
    if ref and not ProjectRepository.objects.filter(project=project).exists():
        raise Stale("This project has no repository.", code=ErrorCode.NO_REPOSITORY)
    with sqlite_write_lock(), transaction.atomic():
        require_room(project)
        count = Workspace.objects.filter(project=project).count()
        row = Workspace.objects.create(project=project, name=name.strip()[:100] or f"workspace {count + 1}", ref=ref)
        transaction.on_commit(lambda: enqueue_workspace(row.id, node=""))
    return row


def require_room(project: Project) -> None:
    """Raise an error if the team has reached its workspace limit. Call it under the team's lock, so that two requests
    cannot both create the last allowed workspace."""
    most = current_policies(team_id=project.team_id, project_id=project.pk).sandbox().workspaces
    Team.objects.select_for_update().get(pk=project.team_id)
    if Workspace.objects.filter(project__team=project.team_id, state__in=USABLE_STATES).count() >= most:
        raise Stale(
            f"This team has {counted(most, 'workspace')}, the maximum that its policies allow.",
            code=ErrorCode.WORKSPACE_LIMIT,
            hint="Remove a workspace that is not needed, or ask an admin of the team for a higher limit.",
        )


def start_workspace(*, actor: User, workspace: Workspace) -> None:
    _require_usable(actor, workspace)
    enqueue_workspace(workspace.id, node=workspace.node)


def stop_workspace(*, actor: User, workspace: Workspace, force: bool = False) -> None:
    """Stop the container; the files stay, and the next call starts it again. Raises Stale (`workspace_busy`) while
    calls run, unless `force` is set: the calls then end with a text which says that they may have run partly."""
    _require_usable(actor, workspace)
    running = count_running_calls(workspace.id)
    if running and not force:
        raise Stale(
            f"{counted(running, 'tool call')} {'runs' if running == 1 else 'run'} in this workspace.",
            code=ErrorCode.WORKSPACE_BUSY,
            hint="Wait until they finish or abort the turn, or use force, which ends running calls.",
        )
    if running:
        _enqueue_audited(actor, workspace, "stop", force=True)
    else:
        _enqueue(actor, workspace, "stop", force=force)


def restart_workspace(*, actor: User, workspace: Workspace) -> None:
    """Stop and start the workspace's container. Running calls end with a text which says that they may have run
    partly."""
    _enqueue_audited(actor, workspace, "restart")


def rebuild_workspace(*, actor: User, workspace: Workspace) -> None:
    """Restart the workspace with a new container, created from the current image with the current limits. The files
    stay."""
    _enqueue_audited(actor, workspace, "rebuild")


def check_workspace(*, actor: User, workspace: Workspace) -> None:
    """Enqueue the container's self-check."""
    _require_usable(actor, workspace)
    _enqueue(actor, workspace, "check")


def stop_background_call(*, actor: User, workspace: Workspace, call: ToolCall) -> None:
    """End a background command that is still running after its call ended."""
    _require_usable(actor, workspace)
    enqueue_end_call(call.id, node=workspace.node)


def require_usable(workspace: Workspace) -> None:
    """Raise Stale if the workspace is scheduled for deletion: it then accepts no prompts, sessions or changes."""
    if workspace.state == Workspace.State.REMOVING:
        raise Stale(
            "This workspace is scheduled for deletion.",
            code=ErrorCode.WORKSPACE_REMOVING,
            hint="Ask an admin of the team to restore it, or start a session in another workspace.",
        )


def _require_usable(actor: User, workspace: Workspace) -> None:
    require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    require_usable(workspace)


def _enqueue_audited(actor: User, workspace: Workspace, verb: str, **options: Any) -> None:
    _require_usable(actor, workspace)
    running = count_running_calls(workspace.id)
    with sqlite_write_lock(), transaction.atomic():
        record_act(actor, workspace, verb, running_calls=running)
        transaction.on_commit(lambda: _enqueue(actor, workspace, verb, **options))


def _enqueue(actor: User, workspace: Workspace, verb: str, **options: Any) -> None:
    change = {"verb": verb, "by": actor.name or actor.email, "order": new_id().hex, **options}
    enqueue_change_workspace(workspace.id, node=workspace.node, change=change)


def record_act(actor: User | None, workspace: Workspace, verb: str, **data: Any) -> None:
    """Record an action on the workspace in the team's audit log, in the caller's transaction. `actor` is None if the
    site or its operator acts."""
    audit.record(
        team_id=workspace.project.team_id,
        actor=actor,
        action=f"workspace.{verb}",
        subject=workspace.public_id,
        data={"name": workspace.name, **data},
        project_id=workspace.project_id,
    )


def count_running_calls(workspace_id: uuid.UUID) -> int:
    return ToolCall.objects.filter(session__workspace_id=workspace_id, state=ToolCall.State.RUNNING).count()


def claim_workspace(workspace_id: uuid.UUID, *, node: str) -> Workspace | None:
    """Assign a workspace that has no node to this node. Returns its row if it belongs to this node now, else None."""
    Workspace.objects.filter(pk=workspace_id, node="").update(node=node)
    return (
        Workspace.objects.select_related("project__team", "project__setup").filter(pk=workspace_id, node=node).first()
    )


def report_workspace(
    workspace_id: uuid.UUID,
    *,
    state: str,
    detail: str = "",
    only_from: tuple[str, ...] = USABLE_STATES,
    **facts: Any,
) -> bool:
    """Store the workspace's state and `facts` (columns of the row), and publish the state to every session of the
    workspace.

    Returns False, and changes nothing, if the workspace is not in one of the states `only_from` or has moved to another
    node. If several processes notice the same change, only the one that gets True writes the note about it.
    """
    rows = Workspace.objects.filter(pk=workspace_id, state__in=only_from, node=settings.NODE_NAME)
    if not rows.update(state=state, detail=detail, last_used_at=timezone.now(), **facts):
        return False
    publish_workspace(workspace_id)
    return True


def publish_workspace(workspace_id: uuid.UUID) -> None:
    """Publish the workspace's state to each of its sessions that is not archived."""
    for session_id in Session.objects.filter(workspace_id=workspace_id, archived=False).values_list("id", flat=True):
        with session_write(session_id, related=("workspace",)) as write:
            write.emit("workspace.updated", views.workspace(write.session.workspace))


def states_except(*excluded: str) -> tuple[str, ...]:
    """Return `USABLE_STATES` without the states `excluded`, for `report_workspace`."""
    return tuple(state for state in USABLE_STATES if state not in excluded)


def save_facts(workspace_id: uuid.UUID, **facts: Any) -> None:
    """Store columns of the workspace's row that are not part of its state. Nothing is published. Ignored if the
    workspace has moved to another node."""
    Workspace.objects.filter(pk=workspace_id, node=settings.NODE_NAME).update(**facts)


def wake_turns(workspace_id: uuid.UUID) -> None:
    """Enqueue the turns that waited for the workspace to be ready."""
    waiting = Turn.objects.filter(session__workspace_id=workspace_id, state=Turn.State.QUEUED)
    for turn_id in waiting.values_list("id", flat=True):
        enqueue_turn(turn_id)


def fail_waiting_turns(workspace_id: uuid.UUID, *, error: dict[str, str]) -> None:
    """End the turns that wait for the workspace, with the reason why it cannot be made ready."""
    waiting = Turn.objects.filter(session__workspace_id=workspace_id, state=Turn.State.QUEUED)
    for turn_id, session_id in waiting.values_list("id", "session_id"):
        with session_write(session_id) as write:
            end_turn(write, Turn.objects.get(pk=turn_id), Turn.State.FAILED, error=error)
