"""REST endpoints: delete a team or a project, and undo the deletion during the grace period."""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.rest import schemas
from agentsite.tenancy.rest.projects import find_project
from agentsite.tenancy.rest.teams import find_team, team_view
from agentsite.tenancy.roles import Act
from sessions_app.actions import deletion

router = Router()


class DeletionView(Schema):
    """A deletion of a team or project: its date, and how many objects it deletes. `asked` is true if the deletion was
    requested; it can be undone before `remove_at`."""

    asked: bool
    remove_at: datetime
    projects: int
    workspaces: int
    sessions: int
    members: int

    @classmethod
    def of(cls, loss: deletion.DeletionImpact, *, asked: bool) -> Self:
        return cls(
            asked=asked,
            remove_at=loss.remove_at,
            projects=loss.projects,
            workspaces=loss.workspaces,
            sessions=loss.sessions,
            members=loss.members,
        )


class TypedName(RequestBody):
    """The exact name of the team or project, as a confirmation."""

    name: str = Field(max_length=200)


@router.get("/teams/{team_id}/deletion", response=DeletionView, operation_id="get_team_deletion", tags=["teams"])
def get_team_deletion(request: HttpRequest, team_id: str) -> DeletionView:
    """Return the date of the team's deletion, and the numbers of objects that are deleted with the team. Only owners
    may use this."""
    team = find_team(request, team_id)
    require(current_user(request), Act.DELETE_TEAM, team_id=team.pk)
    return DeletionView.of(deletion.impact_of_team_deletion(team), asked=team.remove_at is not None)


@router.post("/teams/{team_id}/deletion", response={202: schemas.TeamView}, operation_id="delete_team", tags=["teams"])
def post_team_deletion(request: HttpRequest, team_id: str, payload: TypedName) -> Status[schemas.TeamView]:
    """Deactivate the team now, and delete it with everything in it at `remove_at`."""
    team = find_team(request, team_id)
    deletion.delete_team(actor=current_user(request), team=team, name=payload.name)
    return Status(202, team_view(request, team))


@router.delete("/teams/{team_id}/deletion", response=schemas.TeamView, operation_id="keep_team", tags=["teams"])
def delete_team_deletion(request: HttpRequest, team_id: str) -> schemas.TeamView:
    """Undo the deletion of the team. Returns 409 `not_removing` if there is nothing to undo."""
    team = find_team(request, team_id)
    deletion.cancel_team_deletion(actor=current_user(request), team=team)
    return team_view(request, team)


@router.get(
    "/projects/{project_id}/deletion",
    response=DeletionView,
    operation_id="get_project_deletion",
    tags=["projects"],
)
def get_project_deletion(request: HttpRequest, project_id: str) -> DeletionView:
    """Return the numbers of objects that are deleted with the project, and the time of the deletion. For admins of the
    team."""
    project = find_project(request, project_id)
    require(current_user(request), Act.MANAGE_PROJECT, team_id=project.team_id)
    return DeletionView.of(deletion.impact_of_project_deletion(project), asked=project.remove_at is not None)


@router.post(
    "/projects/{project_id}/deletion",
    response={202: schemas.ProjectView},
    operation_id="delete_project",
    tags=["projects"],
)
def post_project_deletion(request: HttpRequest, project_id: str, payload: TypedName) -> Status[schemas.ProjectView]:
    """Deactivate the project now, and delete it with its workspaces and sessions at `remove_at`."""
    project = find_project(request, project_id)
    row = deletion.delete_project(actor=current_user(request), project=project, name=payload.name)
    return Status(202, schemas.ProjectView.of(row))


@router.delete(
    "/projects/{project_id}/deletion", response=schemas.ProjectView, operation_id="keep_project", tags=["projects"]
)
def delete_project_deletion(request: HttpRequest, project_id: str) -> schemas.ProjectView:
    """Undo the deletion of the project. Returns 409 `not_removing` if there is nothing to undo."""
    project = find_project(request, project_id)
    return schemas.ProjectView.of(deletion.cancel_project_deletion(actor=current_user(request), project=project))
