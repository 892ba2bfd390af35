"""Workspaces: make one, give it to a node, have it started, stopped or made anew, tell every session how it is."""

import uuid
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import Stale
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import require_usable_project
from agentsite.tenancy.models import Project, Team
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import end_turn
from sessions_app.events import views
from sessions_app.events.log import session_write
from sessions_app.models import Session, ToolCall, Turn, Workspace
from sessions_app.queueing import enqueue_change_workspace, enqueue_end_call, enqueue_turn, enqueue_workspace
from tools_app.policies.current import current_policies
from tools_app.text import counted

LIVING: Final = tuple(state for state in Workspace.State if state != Workspace.State.REMOVING)


def create_workspace(*, actor: Any, project: Project, name: str = "") -> Workspace:
    """A new directory and container, made in the background by whichever node takes it first."""
    require(actor, Act.PROMPT, team_id=project.team_id)
    require_usable_project(project)
    with writers_turn(), transaction.atomic():
        require_room(project)
        count = Workspace.objects.filter(project=project).count()
        row = Workspace.objects.create(project=project, name=name.strip()[:100] or f"workspace {count + 1}")
        transaction.on_commit(lambda: enqueue_workspace(row.id, node=""))
    return row


def require_room(project: Project) -> None:
    """For one workspace more. Under the team's lock, so that two at once do not both find the last place."""
    most = current_policies(team_id=project.team_id, project_id=project.pk).sandbox().workspaces
    Team.objects.select_for_update().get(pk=project.team_id)
    if Workspace.objects.filter(project__team=project.team_id, state__in=LIVING).count() >= most:
        raise Stale(
            f"This team has {counted(most, 'workspace')}, as many as its policies allow.",
            code="workspace_limit",
            hint="Remove one that nobody needs, or ask an admin of the team for a higher limit.",
        )


def start_workspace(*, actor: Any, workspace: Workspace) -> None:
    _require_living(actor, workspace)
    enqueue_workspace(workspace.id, node=workspace.node)


def stop_workspace(*, actor: Any, workspace: Workspace, force: bool = False) -> None:
    """Stop the container; the files stay, and the next call starts it again. Raises Stale (`workspace_busy`) while
    calls run in it, unless by `force`: they end with the word that they may have run partly."""
    _require_living(actor, workspace)
    running = count_running_calls(workspace.id)
    if running and not force:
        raise Stale(
            f"{counted(running, 'tool call')} {'runs' if running == 1 else 'run'} in this workspace.",
            code="workspace_busy",
            hint="Wait for the end or abort the turn; or stop it by force: what runs then ends, perhaps half done.",
        )
    if running:
        _enqueue_audited(actor, workspace, "stop", force=True)
    else:
        _enqueue(actor, workspace, "stop", force=force)


def restart_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Stop and start the container. Calls that run in it end with the word that they may have run partly."""
    _enqueue_audited(actor, workspace, "restart")


def rebuild_workspace(*, actor: Any, workspace: Workspace) -> None:
    """The same with a new container, made from the current image with the limits in force now. The files stay."""
    _enqueue_audited(actor, workspace, "rebuild")


def check_workspace(*, actor: Any, workspace: Workspace) -> None:
    """Have the container's walls looked at from inside."""
    _require_living(actor, workspace)
    _enqueue(actor, workspace, "check")


def stop_background_call(*, actor: Any, workspace: Workspace, call: ToolCall) -> None:
    """End a command that outlived its call."""
    _require_living(actor, workspace)
    enqueue_end_call(call.id, node=workspace.node)


def require_usable(workspace: Workspace) -> None:
    """Raises Stale for one that is being removed: it takes no prompts, no sessions and no orders."""
    if workspace.state == Workspace.State.REMOVING:
        raise Stale(
            "This workspace is being removed.",
            code="workspace_removing",
            hint="Have an admin of the team keep it, or open a session in another workspace.",
        )


def _require_living(actor: Any, workspace: Workspace) -> None:
    require(actor, Act.PROMPT, team_id=workspace.project.team_id)
    require_usable(workspace)


def _enqueue_audited(actor: Any, workspace: Workspace, verb: str, **options: Any) -> None:
    _require_living(actor, workspace)
    running = count_running_calls(workspace.id)
    with writers_turn(), transaction.atomic():
        record_act(actor, workspace, verb, running_calls=running)
        transaction.on_commit(lambda: _enqueue(actor, workspace, verb, **options))


def _enqueue(actor: Any, workspace: Workspace, verb: str, **options: Any) -> None:
    change = {"verb": verb, "by": actor.name or actor.email, "order": new_id().hex, **options}
    enqueue_change_workspace(workspace.id, node=workspace.node, change=change)


def record_act(actor: Any, workspace: Workspace, verb: str, **data: Any) -> None:
    """In the team's audit log, within the caller's transaction. Without an actor it was the site, or its operator."""
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
    """Take a workspace that no node has yet; the row if it is this node's now, else None."""
    Workspace.objects.filter(pk=workspace_id, node="").update(node=node)
    return Workspace.objects.select_related("project__team").filter(pk=workspace_id, node=node).first()


def report_workspace(
    workspace_id: uuid.UUID,
    *,
    state: str,
    detail: str = "",
    only_from: tuple[str, ...] = LIVING,
    **facts: Any,
) -> bool:
    """Keep the state, with `facts` (columns of the row), and tell it in every session of the workspace.

    False, and nothing happens, when the workspace is in none of the states `only_from`: of several who see the same
    thing happen one reports it, and says the word about it that people read. Nor does a node report on a workspace
    that was given to another one.
    """
    rows = Workspace.objects.filter(pk=workspace_id, state__in=only_from, node=settings.NODE_NAME)
    if not rows.update(state=state, detail=detail, last_used_at=timezone.now(), **facts):
        return False
    tell_workspace(workspace_id)
    return True


def tell_workspace(workspace_id: uuid.UUID) -> None:
    """Its state, in every session of it."""
    for session_id in Session.objects.filter(workspace_id=workspace_id, archived=False).values_list("id", flat=True):
        with session_write(session_id, related=("workspace",)) as write:
            write.emit("workspace.updated", views.workspace(write.session.workspace))


def states_but(*excluded: str) -> tuple[str, ...]:
    """For `report_workspace`: every living state but these."""
    return tuple(state for state in LIVING if state not in excluded)


def keep_facts(workspace_id: uuid.UUID, **facts: Any) -> None:
    """What was seen of a workspace without its state having changed. Nobody is told: who looks asks. Of one that was
    given to another node this node sees nothing that counts."""
    Workspace.objects.filter(pk=workspace_id, node=settings.NODE_NAME).update(**facts)


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
