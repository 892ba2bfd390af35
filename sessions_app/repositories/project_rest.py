"""REST endpoints for the repository of a project, and for creating projects with or without a repository."""

from typing import Annotated

from asgiref.sync import sync_to_async
from django.db import transaction
from django.http import HttpRequest
from ninja import Query, Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.access import can, require
from agentsite.tenancy.actions.projects import create_project
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.rest import projects
from agentsite.tenancy.rest.schemas import ProjectView
from agentsite.tenancy.rest.teams import find_team
from agentsite.tenancy.roles import Act
from sessions_app.repositories import schemas
from sessions_app.repositories.authors import commit_options
from sessions_app.repositories.models import Connection, ProjectRepository
from sessions_app.repositories.projects import remove_repository, set_repository
from sessions_app.repositories.queries import ask_forge
from sessions_app.repositories.questions import RefsQuestion

Search = Annotated[str, Query(max_length=255)]
router = Router(tags=["projects"])


class NewProject(projects.NewProject):
    """A new project. If it has a `repository`, workspaces start from it; otherwise they are empty."""

    repository: schemas.ChosenRepository | None = None


@router.post("/teams/{team_id}/projects", response={201: ProjectView}, operation_id="create_project")
def post_project(request: HttpRequest, team_id: str, payload: NewProject) -> Status[ProjectView]:
    """Create a project in a team, with or without a repository. Only admins of the team can create projects."""
    user, chosen = current_user(request), payload.repository
    connection = _connection(user, chosen.connection) if chosen else None
    with sqlite_write_lock(), transaction.atomic():
        texts = payload.model_dump(exclude={"repository"})
        row = create_project(actor=user, team=find_team(request, team_id), **texts)
        if chosen is not None:
            set_repository(actor=user, project=row, choice=chosen.choice(connection))
    return Status(201, ProjectView.of(row))


@router.get(
    "/projects/{project_id}/repository", response=schemas.ProjectRepositoryState, operation_id="get_project_repository"
)
def get_repository(request: HttpRequest, project_id: str) -> schemas.ProjectRepositoryState:
    """Return the repository of a project."""
    return _show(request, _project(request, project_id))


@router.put(
    "/projects/{project_id}/repository", response=schemas.ProjectRepositoryState, operation_id="put_project_repository"
)
@conditional
def put_repository(
    request: HttpRequest, project_id: str, payload: schemas.ProjectRepositoryChange
) -> schemas.ProjectRepositoryState:
    """Set or change the repository of a project. Existing workspaces keep their files; new ones start from it. For
    admins."""
    wanted = accepted_versions(request)

    def check_version(row: ProjectRepository | None) -> None:
        version = row.version if row else 0
        require_version(wanted, str(version))
        if payload.base_version not in (None, version):
            raise Stale("Somebody else changed the repository of this project.", code=ErrorCode.STALE_REPOSITORY)

    user, project = current_user(request), _project(request, project_id)
    choice = payload.choice(_connection(user, payload.connection))
    set_repository(actor=user, project=project, choice=choice, check_version=check_version)
    return _show(request, project)


@router.delete("/projects/{project_id}/repository", response={204: None}, operation_id="delete_project_repository")
def delete_repository(request: HttpRequest, project_id: str) -> Status[None]:
    """Disconnect a project from its repository. Workspaces keep their files. For admins."""
    remove_repository(actor=current_user(request), project=_project(request, project_id))
    return Status(204, None)


@router.get("/projects/{project_id}/branches", response=schemas.RefList, operation_id="list_project_branches")
async def list_branches(request: HttpRequest, project_id: str, search: Search = "") -> schemas.RefList:
    """List the branches and tags that a session of the project can start from. Returns 409 `no_repository` if the
    project has no repository."""

    def find() -> ProjectRepository:
        project = _project(request, project_id)
        require(current_user(request), Act.PROMPT, team_id=project.team_id)
        return require_repository(project)

    row = await sync_to_async(find)()
    question = RefsQuestion(connection=row.connection_id, clone_url=row.clone_url, search=search.strip())
    return schemas.RefList.of(await ask_forge(question))


def require_repository(project: Project) -> ProjectRepository:
    """Return the repository of a project. Raises Stale if the project has no repository, or the repository's connection
    is revoked."""
    row = ProjectRepository.objects.select_related("connection").filter(project=project).first()
    if row is None:
        raise Stale("This project has no repository.", code=ErrorCode.NO_REPOSITORY)
    if row.connection is not None and row.connection.state == Connection.State.REVOKED:
        raise Stale(f"The connection '{row.connection.name}' was revoked.", code=ErrorCode.CONNECTION_REVOKED)
    return row


def _connection(user: User, connection_id: str | None) -> Connection | None:
    return Connection.objects.visible_to(user).by_public_id(connection_id) if connection_id else None


def _project(request: HttpRequest, project_id: str) -> Project:
    return Project.objects.visible_to(current_user(request)).by_public_id(project_id)


def _show(request: HttpRequest, project: Project) -> schemas.ProjectRepositoryState:
    row = ProjectRepository.objects.select_related("connection", "changed_by").filter(project=project).first()
    set_version(request, str(row.version if row else 0))
    can_edit = can(current_user(request), Act.MANAGE_PROJECT, team_id=project.team_id)
    options = commit_options(project.pk)
    shown = row and options and schemas.ProjectRepositoryView.of(row, options, can_edit=can_edit)
    return schemas.ProjectRepositoryState(repository=shown or None, can_edit=can_edit)
