"""Projects and teams end in two steps, as workspaces do: at once they are out of use, and after some days they are
deleted with all that is in them. Until then they can be kept, with the workspaces that went with them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from agentsite.base.errors import BadInput, Stale
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import AuditChain, Invitation, Membership, Project, Team
from agentsite.tenancy.person_updates import tell_person
from agentsite.tenancy.roles import Act
from sessions_app.actions.workspace_deletion import leave_workspace, return_workspace
from sessions_app.models import Session, Workspace
from tools_app.policies.current import current_policies

BATCH: Final = 100


@dataclass(frozen=True, slots=True)
class Loss:
    """What goes with a project or a team, and when."""

    projects: int
    workspaces: int
    sessions: int
    members: int
    remove_at: datetime


def loss_of_project(project: Project) -> Loss:
    until = project.remove_at or _until([project])
    return _loss(Project.objects.filter(pk=project.pk), members=0, until=until)


def loss_of_team(team: Team) -> Loss:
    projects = Project.objects.filter(team=team)
    members = Membership.objects.filter(team=team).count()
    return _loss(projects, members=members, until=team.remove_at or _until(projects))


def delete_project(*, actor: Any, project: Project, name: str) -> Project:
    """Out of use now, deleted when its days are over. Again: nothing happens, the days go on."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    _require_name(name, project.name)
    until = _until([project])
    with team_write(project.team_id):
        project.refresh_from_db()
        if project.remove_at is not None:
            return project
        project.remove_at = until
        project.save(update_fields=["remove_at"])
        _record("project.removing", project, actor, until)
    _leave_workspaces([project], actor=actor, until=until)
    return project


def keep_project(*, actor: Any, project: Project) -> Project:
    """Undo it, with the workspaces that went with it. Raises Stale when there is nothing to undo."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    until = _still_to_keep(project.remove_at)
    _return_workspaces([project], actor=actor, until=until)
    with team_write(project.team_id):
        project.refresh_from_db()
        _still_to_keep(project.remove_at)
        project.remove_at = None
        project.save(update_fields=["remove_at"])
        _record("project.kept", project, actor)
    _return_late([project], actor=actor, until=until)
    return project


def delete_team(*, actor: Any, team: Team, name: str) -> Team:
    """Out of use now with everything in it, deleted when its days are over. Open invitations are taken back."""
    require(actor, Act.DELETE_TEAM, team_id=team.pk)
    _require_name(name, team.name)
    projects = list(Project.objects.filter(team=team, remove_at=None))
    until = _until(projects)
    with team_write(team.pk) as row:
        if row.remove_at is not None:
            return row
        row.remove_at = until
        row.save(update_fields=["remove_at"])
        Invitation.objects.open().filter(team=row).update(revoked_at=timezone.now())
        _tell_members(row)
        _record("team.removing", row, actor, until)
    _leave_workspaces(projects, actor=actor, until=until)
    return row


def keep_team(*, actor: Any, team: Team) -> Team:
    """Undo it, with the workspaces that went with it. Projects that were deleted by themselves stay as they are."""
    require(actor, Act.DELETE_TEAM, team_id=team.pk)
    until = _still_to_keep(team.remove_at)
    projects = Project.objects.filter(team=team, remove_at=None)
    _return_workspaces(projects, actor=actor, until=until)
    with team_write(team.pk) as row:
        _still_to_keep(row.remove_at)
        row.remove_at = None
        row.save(update_fields=["remove_at"])
        _tell_members(row)
        _record("team.kept", row, actor)
    _return_late(projects, actor=actor, until=until)
    return row


def sweep_ended(now: datetime) -> int:
    """Delete the projects and teams whose days are over and whose workspaces have gone; how many. A workspace that was
    forgotten when its project or team went, because a process died, follows them."""
    _follow_endings()
    projects = Project.objects.filter(remove_at__lte=now) | Project.objects.filter(team__remove_at__lte=now)
    ended = [*projects.filter(workspaces=None).distinct()[:BATCH]]
    ended_teams = [*Team.objects.filter(remove_at__lte=now, projects=None)[:BATCH]]
    return sum(map(_forget_project, ended)) + sum(map(_forget_team, ended_teams))


def _follow_endings() -> None:
    rows = Workspace.objects.exclude(state=Workspace.State.REMOVING).select_related("project__team")
    left = rows.exclude(project__remove_at=None, project__team__remove_at=None)
    for row in left.order_by("id")[:BATCH]:
        until = row.project.remove_at or row.project.team.remove_at
        if until is not None:
            leave_workspace(row, actor=None, until=until)


def _forget_project(project: Project) -> bool:
    with team_write(project.team_id):
        rows = Project.objects.filter(pk=project.pk, workspaces=None).exclude(remove_at=None, team__remove_at=None)
        if not rows.exists():  # kept meanwhile, or a workspace is left
            return False
        Project.objects.filter(pk=project.pk).delete()
        _record("project.deleted", project, None)
    return True


def _forget_team(team: Team) -> bool:
    """The chain of its audit log goes with it; the site's keeps how it ended."""
    with team_write(team.pk) as row:
        if row.remove_at is None or Project.objects.filter(team=row).exists():
            return False
        _tell_members(row)
        chain = AuditChain.objects.filter(team=row).first()
        end = {"entries": chain.length, "head": chain.head} if chain else {}
        Team.objects.filter(pk=row.pk).delete()
        data = {"name": row.name, **end}
        audit.record(team_id=None, actor=None, action="team.deleted", subject=row.public_id, data=data)
    return True


def _until(projects: Iterable[Project]) -> datetime:
    """When the last of their workspaces may go: each project's policy says for how many days they are kept."""
    days = [
        current_policies(team_id=project.team_id, project_id=project.pk).sandbox().keep_days for project in projects
    ]
    return timezone.now() + timedelta(days=max(days, default=1))


def _loss(projects: Any, *, members: int, until: datetime) -> Loss:
    return Loss(
        projects=projects.count(),
        workspaces=Workspace.objects.filter(project__in=projects).count(),
        sessions=Session.objects.filter(project__in=projects, parent=None).count(),
        members=members,
        remove_at=until,
    )


def _leave_workspaces(projects: Iterable[Project], *, actor: Any, until: datetime) -> None:
    for project in projects:
        for row in Workspace.objects.filter(project=project).select_related("project"):
            leave_workspace(row, actor=actor, until=until)


def _return_workspaces(projects: Iterable[Project], *, actor: Any, until: datetime) -> None:
    """Those that went with their project or team, which share its last moment, and not those removed before."""
    for project in projects:
        for row in Workspace.objects.filter(project=project, remove_at=until).select_related("project"):
            return_workspace(row, actor=actor)


def _return_late(projects: Iterable[Project], *, actor: Any, until: datetime) -> None:
    """Those that the sweep sent away again while the others came back."""
    with suppress(Stale):
        _return_workspaces(projects, actor=actor, until=until)


def _still_to_keep(until: datetime | None) -> datetime:
    if until is None or until <= timezone.now():
        raise Stale("This is not being deleted, or its days are over.", code="not_removing")
    return until


def _require_name(given: str, name: str) -> None:
    if " ".join(given.split()) != name:
        raise BadInput("The name does not match.", fields={"name": f"type the name as it is: {name}"})


def _tell_members(team: Team) -> None:
    for user_id in Membership.objects.filter(team=team).values_list("user_id", flat=True):
        tell_person(user_id)


def _record(action: str, row: Team | Project, actor: Any, until: datetime | None = None) -> None:
    team_id = row.team_id if isinstance(row, Project) else row.pk
    data = {"name": row.name} | ({"remove_at": until.isoformat()} if until else {})
    audit.record(
        team_id=team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data=data,
        project_id=row.pk if isinstance(row, Project) else None,
    )
