"""REST endpoints for workspaces: their usage, containers and background calls."""

from collections.abc import Sequence
from typing import Any, Literal

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.errors import Unavailable
from agentsite.base.pagination import Page, paginate
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions import workspaces as actions
from sessions_app.audience import readable_ids
from sessions_app.events import schema, views
from sessions_app.models import ToolCall, Workspace
from sessions_app.queries.live import QUICK_TIMEOUT, query_workspace
from sessions_app.queries.questions import BackgroundQuestion, UsageQuestion
from sessions_app.transport.rest import schemas
from sessions_app.transport.rest.workspace_details import detail_of, details_of, find_workspace, usage_view

router = Router(tags=["workspaces"])

State = Literal["new", "starting", "running", "stopped", "failed", "lost", "removing"]
Accepted = Status[schemas.WorkspaceDetailView]
ACCEPTED = {202: schemas.WorkspaceDetailView}


@router.get("/projects/{project_id}/workspaces", response=Page[schema.WorkspaceView], operation_id="list_workspaces")
def list_workspaces(
    request: HttpRequest, project_id: str, state: State | None = None, cursor: str | None = None, limit: int = 50
) -> Page[schema.WorkspaceView]:
    """List the workspaces of a project, newest first."""
    project = Project.objects.visible_to(current_user(request)).by_public_id(project_id)
    rows = Workspace.objects.visible_to(current_user(request)).filter(project=project)
    page = paginate(rows.filter(state=state) if state else rows, cursor=cursor, limit=limit)
    return Page[schema.WorkspaceView].of(page, views.workspace)


@router.post("/projects/{project_id}/workspaces", response={201: schema.WorkspaceView}, operation_id="create_workspace")
def post_workspace(
    request: HttpRequest, project_id: str, payload: schemas.NewWorkspace
) -> Status[schema.WorkspaceView]:
    """Create a workspace in a project."""
    project = Project.objects.visible_to(current_user(request)).by_public_id(project_id)
    row = actions.create_workspace(actor=current_user(request), project=project, name=payload.name)
    return Status(201, views.workspace(row))


@router.get("/workspaces", response=Page[schemas.WorkspaceDetailView], operation_id="list_all_workspaces")
def list_all_workspaces(
    request: HttpRequest,
    project: str | None = None,
    state: State | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[schemas.WorkspaceDetailView]:
    """List the workspaces of all your teams, or of one project, newest first."""
    user = current_user(request)
    rows = Workspace.objects.visible_to(user).select_related("project")
    if project:
        rows = rows.filter(project=Project.objects.visible_to(user).by_public_id(project))
    page = paginate(rows.filter(state=state) if state else rows, cursor=cursor, limit=limit)
    return Page[schemas.WorkspaceDetailView](items=details_of(user, page.rows), next_cursor=page.next_cursor)


@router.get("/workspaces/{workspace_id}", response=schemas.WorkspaceDetailView, operation_id="get_workspace")
def get_workspace(request: HttpRequest, workspace_id: str) -> schemas.WorkspaceDetailView:
    """Return one workspace with its limits, last known usage and possible actions."""
    return detail_of(request, workspace_id)


@router.get("/workspaces/{workspace_id}/usage", response=schemas.WorkspaceUsage, operation_id="get_workspace_usage")
async def get_usage(request: HttpRequest, workspace_id: str) -> schemas.WorkspaceUsage:
    """Return the workspace's current use of memory, disk and processes. This never starts the workspace."""
    row = await sync_to_async(find_workspace)(request, workspace_id)
    usage = None
    if row.state == Workspace.State.RUNNING:
        try:
            usage = await query_workspace(
                row, UsageQuestion(), person=current_user(request), timeout_seconds=QUICK_TIMEOUT
            )
        except Unavailable:
            usage = None
    return schemas.WorkspaceUsage(live=usage is not None, usage=usage_view(usage or row.usage))


@router.post("/workspaces/{workspace_id}/start", response=ACCEPTED, operation_id="start_workspace")
def post_start(request: HttpRequest, workspace_id: str) -> Accepted:
    """Start the workspace's container."""
    actions.start_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/stop", response=ACCEPTED, operation_id="stop_workspace")
def post_stop(request: HttpRequest, workspace_id: str, force: bool = False) -> Accepted:
    """Stop the workspace's container. Returns 409 `workspace_busy` if tool calls are running, unless `force` is true:
    these calls then end, and may have run partly."""
    actions.stop_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id), force=force)
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/restart", response=ACCEPTED, operation_id="restart_workspace")
def post_restart(request: HttpRequest, workspace_id: str) -> Accepted:
    """Stop and start the container. Calls that are running end, and may have run partly."""
    actions.restart_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/rebuild", response=ACCEPTED, operation_id="rebuild_workspace")
def post_rebuild(request: HttpRequest, workspace_id: str) -> Accepted:
    """Replace the container by a new one with the current image and limits. The files stay. Calls that are running end,
    and may have run partly."""
    actions.rebuild_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.post("/workspaces/{workspace_id}/check", response=ACCEPTED, operation_id="check_workspace")
def post_check(request: HttpRequest, workspace_id: str) -> Accepted:
    """Check the confinement of the container from inside now. The result is the workspace's `self_check`."""
    actions.check_workspace(actor=current_user(request), workspace=find_workspace(request, workspace_id))
    return Status(202, detail_of(request, workspace_id))


@router.get(
    "/workspaces/{workspace_id}/background", response=schemas.BackgroundCallPage, operation_id="list_background_calls"
)
async def get_background(request: HttpRequest, workspace_id: str) -> schemas.BackgroundCallPage:
    """List background calls that are running or ended recently, oldest first. The list is empty while the workspace is
    not running."""
    row = await sync_to_async(find_workspace)(request, workspace_id)
    if row.state != Workspace.State.RUNNING:
        return schemas.BackgroundCallPage(items=[])
    found = await query_workspace(
        row, BackgroundQuestion(), person=current_user(request), timeout_seconds=QUICK_TIMEOUT
    )
    return schemas.BackgroundCallPage(items=await sync_to_async(_shown)(request, found or ()))


def _shown(request: HttpRequest, calls: Sequence[dict[str, Any]]) -> list[schemas.BackgroundCallView]:
    """Return the background calls as API views. If the person may not see a call's session, the call's command and
    session id are hidden."""
    ids = readable_ids(current_user(request), (call["session_id"] for call in calls))
    hidden = {"command": "", "session_id": ""}
    return [schemas.BackgroundCallView(**(call if call["session_id"] in ids else call | hidden)) for call in calls]


@router.post(
    "/workspaces/{workspace_id}/background/{call_id}/stop", response=ACCEPTED, operation_id="stop_background_call"
)
def post_stop_background(request: HttpRequest, workspace_id: str, call_id: str) -> Accepted:
    """Stop a background call."""
    row = find_workspace(request, workspace_id)
    calls = ToolCall.objects.visible_to(current_user(request)).filter(session__workspace=row)
    actions.stop_background_call(actor=current_user(request), workspace=row, call=calls.by_public_id(call_id))
    return Status(202, detail_of(request, workspace_id))
