"""REST endpoints of projects, except their creation, which is in `sessions_app.repositories.project_rest`."""

from django.http import HttpRequest
from ninja import Field, Router

from agentsite.base.pagination import Page, paginate
from agentsite.http.etags import accepted_versions, set_version
from agentsite.http.operation_marks import conditional
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.actions.projects import MAX_TEXT_CHARS, change_project, version_of_project
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from agentsite.tenancy.rest import schemas

router = Router(tags=["projects"])


class NewProject(RequestBody):
    name: str = Field(min_length=1, max_length=120)
    description: str = Field("", max_length=MAX_TEXT_CHARS)
    suggested_prompt: str = Field("", max_length=MAX_TEXT_CHARS)
    default_agent: str = Field("", max_length=64)


class ProjectChange(RequestBody):
    """Changes of a project. Omitted fields stay unchanged."""

    name: str | None = Field(None, min_length=1, max_length=120)
    description: str | None = Field(None, max_length=MAX_TEXT_CHARS)
    suggested_prompt: str | None = Field(None, max_length=MAX_TEXT_CHARS)
    default_agent: str | None = Field(None, min_length=1, max_length=64)


def find_project(request: HttpRequest, project_id: str) -> Project:
    return Project.objects.visible_to(current_user(request)).by_public_id(project_id)


@router.get("/projects", response=Page[schemas.ProjectView], operation_id="list_projects")
def list_projects(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[schemas.ProjectView]:
    """List the projects of all your teams."""
    page = paginate(Project.objects.visible_to(current_user(request)), cursor=cursor, limit=limit)
    return Page[schemas.ProjectView].of(page, schemas.ProjectView.of)


@router.get("/projects/{project_id}", response=schemas.ProjectView, operation_id="get_project")
def get_project(request: HttpRequest, project_id: str) -> schemas.ProjectView:
    """Get a project."""
    return _show(request, find_project(request, project_id))


@router.patch("/projects/{project_id}", response=schemas.ProjectView, operation_id="update_project")
@conditional
def patch_project(request: HttpRequest, project_id: str, payload: ProjectChange) -> schemas.ProjectView:
    """Change the name, description, suggested prompt or default agent of a project."""
    changes = {name: text for name, text in payload.model_dump().items() if text is not None}
    row = change_project(
        actor=current_user(request),
        project=find_project(request, project_id),
        versions=accepted_versions(request),
        **changes,
    )
    return _show(request, row)


def _show(request: HttpRequest, row: Project) -> schemas.ProjectView:
    set_version(request, version_of_project(row))
    return schemas.ProjectView.of(row)
