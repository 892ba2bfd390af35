"""Delete projects and teams in two steps, like workspaces: they are deactivated at once and deleted after the grace
period. Until then they can be restored, with the workspaces that were deactivated with them."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.models import AuditChain, Invitation, Membership, Project, Team, User
from agentsite.tenancy.person_updates import notify_people
from agentsite.tenancy.roles import Act
from sessions_app.actions.workspace_deletion import schedule_workspace_deletion, unschedule_workspace_deletion
from sessions_app.models import Session, Upload, Workspace
from tools_app.policies.current import current_policies

BATCH: Final = 100


@dataclass(frozen=True, slots=True)
class DeletionImpact:
    """The numbers of objects that are deleted with a project or a team, and the time of the deletion."""

    projects: int
    workspaces: int
    sessions: int
    members: int
    remove_at: datetime


def impact_of_project_deletion(project: Project) -> DeletionImpact:
    until = project.remove_at or _deletion_time([project])
    return _impact(Project.objects.filter(pk=project.pk), members=0, until=until)


def impact_of_team_deletion(team: Team) -> DeletionImpact:
    projects = Project.objects.filter(team=team)
    members = Membership.objects.filter(team=team).count()
    return _impact(projects, members=members, until=team.remove_at or _deletion_time(projects))


def delete_project(*, actor: User, project: Project, name: str) -> Project:
    """Deactivate the project and schedule its deletion. If it is already scheduled, nothing changes."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    _require_name(name, project.name)
    until = _deletion_time([project])
    with team_write(project.team_id):
        project.refresh_from_db()
        if project.remove_at is not None:
            return project
        project.remove_at = until
        project.save(update_fields=["remove_at"])
        _record("project.removing", project, actor, until)
    _schedule_workspaces([project], actor=actor, until=until)
    return project


def cancel_project_deletion(*, actor: User, project: Project) -> Project:
    """Cancel the deletion of the project and of the workspaces that were deactivated with it. Raises Stale if no
    deletion is scheduled."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    until = _require_cancellable(project.remove_at)
    _restore_workspaces([project], actor=actor, until=until)
    with team_write(project.team_id):
        project.refresh_from_db()
        _require_cancellable(project.remove_at)
        project.remove_at = None
        project.save(update_fields=["remove_at"])
        _record("project.kept", project, actor)
    _restore_rescheduled_workspaces([project], actor=actor, until=until)
    return project


def delete_team(*, actor: User, team: Team, name: str) -> Team:
    """Deactivate the team with everything in it, schedule its deletion and revoke its open invitations."""
    require(actor, Act.DELETE_TEAM, team_id=team.pk)
    _require_name(name, team.name)
    projects = list(Project.objects.filter(team=team, remove_at=None))
    until = _deletion_time(projects)
    with team_write(team.pk) as row:
        if row.remove_at is not None:
            return row
        row.remove_at = until
        row.save(update_fields=["remove_at"])
        Invitation.objects.open().filter(team=row).update(revoked_at=timezone.now())
        _notify_members(row)
        _record("team.removing", row, actor, until)
    _schedule_workspaces(projects, actor=actor, until=until)
    return row


def cancel_team_deletion(*, actor: User, team: Team) -> Team:
    """Cancel the deletion of the team and of the workspaces that were deactivated with it. Projects that were deleted
    separately stay scheduled."""
    require(actor, Act.DELETE_TEAM, team_id=team.pk)
    until = _require_cancellable(team.remove_at)
    projects = Project.objects.filter(team=team, remove_at=None)
    _restore_workspaces(projects, actor=actor, until=until)
    with team_write(team.pk) as row:
        _require_cancellable(row.remove_at)
        row.remove_at = None
        row.save(update_fields=["remove_at"])
        _notify_members(row)
        _record("team.kept", row, actor)
    _restore_rescheduled_workspaces(projects, actor=actor, until=until)
    return row


def delete_due_projects_and_teams(now: datetime) -> int:
    """Delete the projects and teams whose grace period is over and whose workspaces are gone. Returns the number of
    deleted projects and teams. Also schedules workspace deletions that were missed because a process died."""
    _schedule_missed_workspaces()
    projects = Project.objects.filter(remove_at__lte=now) | Project.objects.filter(team__remove_at__lte=now)
    ended = [*projects.filter(workspaces=None).distinct()[:BATCH]]
    ended_teams = [*Team.objects.filter(remove_at__lte=now, projects=None, uploads=None)[:BATCH]]
    return sum(map(_delete_project, ended)) + sum(map(_delete_team, ended_teams))


def _schedule_missed_workspaces() -> None:
    rows = Workspace.objects.exclude(state=Workspace.State.REMOVING).select_related("project__team")
    left = rows.exclude(project__remove_at=None, project__team__remove_at=None)
    for row in left.order_by("id")[:BATCH]:
        until = row.project.remove_at or row.project.team.remove_at
        if until is not None:
            schedule_workspace_deletion(row, actor=None, until=until)


def _delete_project(project: Project) -> bool:
    with team_write(project.team_id):
        rows = Project.objects.filter(pk=project.pk, workspaces=None).exclude(remove_at=None, team__remove_at=None)
        if not rows.exists():  # was restored in the meantime, or has a workspace left
            return False
        Project.objects.filter(pk=project.pk).delete()
        _record("project.deleted", project, None)
    return True


def _delete_team(team: Team) -> bool:
    """Delete the team with the hash chain of its audit log; the site's audit log keeps the last entry of that chain."""
    with team_write(team.pk) as row:
        if (
            row.remove_at is None
            or Project.objects.filter(team=row).exists()
            or Upload.objects.filter(team=row).exists()
        ):
            return False
        _notify_members(row)
        chain = AuditChain.objects.filter(team=row).first()
        end = {"entries": chain.length, "head": chain.head} if chain else {}
        Team.objects.filter(pk=row.pk).delete()
        data = {"name": row.name, **end}
        audit.record(team_id=None, actor=None, action="team.deleted", subject=row.public_id, data=data)
    return True


def _deletion_time(projects: Iterable[Project]) -> datetime:
    """Return the time of deletion for the longest grace period of the projects' policies, counted from now."""
    days = [
        current_policies(team_id=project.team_id, project_id=project.pk).sandbox().keep_days for project in projects
    ]
    return timezone.now() + timedelta(days=max(days, default=1))


def _impact(projects: QuerySet[Project], *, members: int, until: datetime) -> DeletionImpact:
    return DeletionImpact(
        projects=projects.count(),
        workspaces=Workspace.objects.filter(project__in=projects).count(),
        sessions=Session.objects.filter(project__in=projects, parent=None).count(),
        members=members,
        remove_at=until,
    )


def _schedule_workspaces(projects: Iterable[Project], *, actor: User, until: datetime) -> None:
    for project in projects:
        for row in Workspace.objects.filter(project=project).select_related("project"):
            schedule_workspace_deletion(row, actor=actor, until=until)


def _restore_workspaces(projects: Iterable[Project], *, actor: User, until: datetime) -> None:
    """Cancel the deletion of the projects' workspaces that are due at `until`, the date of deletion of their project or
    team."""
    for project in projects:
        for row in Workspace.objects.filter(project=project, remove_at=until).select_related("project"):
            unschedule_workspace_deletion(row, actor=actor)


def _restore_rescheduled_workspaces(projects: Iterable[Project], *, actor: User, until: datetime) -> None:
    """Cancel the deletion of workspaces that the periodic task scheduled again while `_restore_workspaces` ran."""
    with suppress(Stale):
        _restore_workspaces(projects, actor=actor, until=until)


def _require_cancellable(until: datetime | None) -> datetime:
    if until is None or until <= timezone.now():
        raise Stale("This is not scheduled for deletion, or the grace period has ended.", code=ErrorCode.NOT_REMOVING)
    return until


def _require_name(given: str, name: str) -> None:
    if " ".join(given.split()) != name:
        raise BadInput("The name does not match.", fields={"name": f"must be exactly: {name}"})


def _notify_members(team: Team) -> None:
    notify_people(Membership.objects.filter(team=team).values_list("user_id", flat=True))


def _record(action: str, row: Team | Project, actor: User | None, until: datetime | None = None) -> None:
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
