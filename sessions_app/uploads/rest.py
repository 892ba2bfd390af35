"""REST endpoints for uploads, and for the files that a project's workspaces start with."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router, Status

from agentsite.base.errors import TooLarge
from agentsite.base.pagination import Page, paginate
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from agentsite.tenancy.rest.projects import find_project
from agentsite.tenancy.rest.schemas import ProjectView
from agentsite.tenancy.rest.teams import find_team
from agentsite.tenancy.roles import Act
from sessions_app.models import Upload
from sessions_app.uploads.actions import (
    begin_upload,
    create_project_with,
    discard_upload,
    set_project_files,
    store_part,
)
from sessions_app.uploads.models import UploadQuerySet
from sessions_app.uploads.schemas import NewUpload, ProjectFiles, ProjectFilesChange, ProjectOfUpload, UploadView
from sessions_app.uploads.storage import PART_BYTES

router = Router(tags=["uploads"])


@router.get("/teams/{team_id}/uploads", response=Page[UploadView], operation_id="list_uploads")
def list_uploads(request: HttpRequest, team_id: str, *, cursor: str | None = None, limit: int = 50) -> Page[UploadView]:
    """List the uploads of a team. For admins."""
    team = find_team(request, team_id)
    require(current_user(request), Act.MANAGE_PROJECT, team_id=team.pk)
    return Page[UploadView].of(paginate(_visible(request).filter(team=team), cursor=cursor, limit=limit), UploadView.of)


@router.post("/teams/{team_id}/uploads", response={201: UploadView}, operation_id="create_upload")
def post_upload(request: HttpRequest, team_id: str, payload: NewUpload) -> Status[UploadView]:
    """Announce a file that a project will start with: a zip or tar file or a git bundle. Returns 413
    `upload_too_large` if it has more than a quarter of the limit `disk_mib`. For admins of the team."""
    team = find_team(request, team_id)
    row = begin_upload(actor=current_user(request), team=team, name=payload.name, size=payload.size)
    return Status(201, UploadView.of(row))


@router.get("/uploads/{upload_id}", response=UploadView, operation_id="get_upload")
def get_upload(request: HttpRequest, upload_id: str) -> UploadView:
    """Return an upload. `received` says where to continue after an interruption. For admins of the team."""
    return UploadView.of(_find(request, upload_id))


@router.put(
    "/uploads/{upload_id}/content",
    response=UploadView,
    operation_id="send_upload_part",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
def put_content(request: HttpRequest, upload_id: str, offset: Annotated[int, Query(ge=0, le=2**50)]) -> UploadView:
    """Send the part of the file that begins at byte `offset`, as the whole body. A part that has already arrived may be
    sent again. Returns 409 `upload_offset` if another part is next; `fields.offset` says which."""
    row = _find(request, upload_id)
    content = request.read(PART_BYTES + 1)
    if len(content) > PART_BYTES:
        raise TooLarge(f"A part may have at most {PART_BYTES:,} bytes.")
    return UploadView.of(store_part(actor=current_user(request), upload=row, offset=offset, content=content))


@router.delete("/uploads/{upload_id}", response={204: None}, operation_id="delete_upload")
def delete_upload(request: HttpRequest, upload_id: str) -> Status[None]:
    """Delete an upload that no project uses, even while it is being sent or checked. For admins of the team."""
    discard_upload(actor=current_user(request), upload=_find(request, upload_id))
    return Status(204, None)


@router.post("/uploads/{upload_id}/project", response={201: ProjectView}, operation_id="create_project_of_upload")
def post_project(request: HttpRequest, upload_id: str, payload: ProjectOfUpload) -> Status[ProjectView]:
    """Create a project whose workspaces start with the files of this upload. Returns 409 `upload_not_ready` unless it
    is `ready`. For admins of the team."""
    project = create_project_with(
        actor=current_user(request),
        upload=_find(request, upload_id),
        name=payload.name,
        description=payload.description,
    )
    return Status(201, ProjectView.of(project))


@router.get("/projects/{project_id}/files", response=ProjectFiles, operation_id="get_project_files")
def get_project_files(request: HttpRequest, project_id: str) -> ProjectFiles:
    """Return the files that new workspaces of a project start with."""
    return _files(find_project(request, project_id))


@router.put("/projects/{project_id}/files", response=ProjectFiles, operation_id="set_project_files")
def put_project_files(request: HttpRequest, project_id: str, payload: ProjectFilesChange) -> ProjectFiles:
    """Let new workspaces of a project start with another upload, or without files (null). Existing workspaces keep
    their files; the former upload is deleted. For admins of the team."""
    project = find_project(request, project_id)
    upload = _visible(request).by_public_id(payload.upload_id) if payload.upload_id else None
    set_project_files(actor=current_user(request), project=project, upload=upload)
    return _files(project)


def _files(project: Project) -> ProjectFiles:
    row = Upload.objects.select_related("created_by").filter(project=project).first()
    return ProjectFiles(upload=UploadView.of(row) if row else None)


def _visible(request: HttpRequest) -> UploadQuerySet:
    rows = Upload.objects.visible_to(current_user(request)).exclude(state=Upload.State.DELETING)
    return rows.select_related("created_by")


def _find(request: HttpRequest, upload_id: str) -> Upload:
    """Return the upload. Raises Missing outside its team, NotAllowed for members who do not manage projects."""
    row = _visible(request).by_public_id(upload_id)
    require(current_user(request), Act.MANAGE_PROJECT, team_id=row.team_id)
    return row
