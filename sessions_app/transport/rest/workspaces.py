"""REST: workspaces of a project."""

from django.http import HttpRequest
from ninja import Router, Status

from agentsite.pagination import paginate
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions.workspaces import create_workspace, start_workspace, stop_workspace
from sessions_app.events import schema, views
from sessions_app.models import Workspace
from sessions_app.transport.rest import shapes

router = Router(tags=["workspaces"])


@router.get("/projects/{project_id}/workspaces", response=shapes.WorkspacePage, operation_id="list_workspaces")
def list_workspaces(
    request: HttpRequest, project_id: str, cursor: str | None = None, limit: int = 50
) -> shapes.WorkspacePage:
    project = Project.objects.visible_to(current_user(request)).by_public_id(project_id)
    page = paginate(
        Workspace.objects.visible_to(current_user(request)).filter(project=project), cursor=cursor, limit=limit
    )
    return shapes.WorkspacePage(items=[views.workspace(row) for row in page.rows], next_cursor=page.next_cursor)


@router.post("/projects/{project_id}/workspaces", response={201: schema.WorkspaceView}, operation_id="create_workspace")
def post_workspace(request: HttpRequest, project_id: str, payload: shapes.NewWorkspace) -> Status[schema.WorkspaceView]:
    project = Project.objects.visible_to(current_user(request)).by_public_id(project_id)
    row = create_workspace(actor=current_user(request), project=project, name=payload.name)
    return Status(201, views.workspace(row))


@router.get("/workspaces/{workspace_id}", response=schema.WorkspaceView, operation_id="get_workspace")
def get_workspace(request: HttpRequest, workspace_id: str) -> schema.WorkspaceView:
    return views.workspace(Workspace.objects.visible_to(current_user(request)).by_public_id(workspace_id))


@router.post("/workspaces/{workspace_id}/start", response={202: schema.WorkspaceView}, operation_id="start_workspace")
def post_start(request: HttpRequest, workspace_id: str) -> Status[schema.WorkspaceView]:
    row = Workspace.objects.visible_to(current_user(request)).by_public_id(workspace_id)
    start_workspace(actor=current_user(request), workspace=row)
    return Status(202, views.workspace(row))


@router.post("/workspaces/{workspace_id}/stop", response={202: schema.WorkspaceView}, operation_id="stop_workspace")
def post_stop(request: HttpRequest, workspace_id: str) -> Status[schema.WorkspaceView]:
    row = Workspace.objects.visible_to(current_user(request)).by_public_id(workspace_id)
    stop_workspace(actor=current_user(request), workspace=row)
    return Status(202, views.workspace(row))
