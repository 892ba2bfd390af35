"""REST endpoints for MCP servers of the site, of teams and projects."""

import json
from functools import cache
from pathlib import Path
from typing import Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.base import PlacedQuerySet
from agentsite.tenancy.models import Project, Team, User
from sessions_app.mcp import schemas
from sessions_app.mcp.accounts import accounts_for, problem_of_sign_in
from sessions_app.mcp.actions import accept_tools, change_server, create_server, place_of_server, remove_server
from sessions_app.mcp.declared import DeclaredState, states_of
from sessions_app.mcp.places import SITE, ServerPlace, place_of
from sessions_app.mcp.remote import ask_server
from sessions_app.models import McpServer, Workspace
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import McpCheckQuestion, McpLogQuestion
from sessions_app.server_tools import named_tools
from tools_app.registry import reserved_names

router = Router(tags=["mcp servers"])
GALLERY: Final = Path(__file__).with_name("gallery.json")
MAX_WORKSPACES: Final = 50  # whose declared servers are listed
CHECK_TIMEOUT_SECONDS: Final = 90.0


@router.get("/site/mcp-servers", response=schemas.McpServerPage, operation_id="list_site_mcp_servers")
def list_site_mcp_servers(request: HttpRequest) -> schemas.McpServerPage:
    """List the MCP servers that all teams have."""
    return _page(request, SITE)


@router.post("/site/mcp-servers", response={201: schemas.McpServerView}, operation_id="create_site_mcp_server")
def post_site_mcp_server(request: HttpRequest, payload: schemas.NewMcpServer) -> Status[schemas.McpServerView]:
    """Add an MCP server for all teams. For operators only."""
    return _create(request, SITE, payload)


@router.get("/teams/{team_id}/mcp-servers", response=schemas.McpServerPage, operation_id="list_team_mcp_servers")
def list_team_mcp_servers(request: HttpRequest, team_id: str) -> schemas.McpServerPage:
    """List the MCP servers of a team, including the MCP servers of the site."""
    return _page(request, _team_place(request, team_id))


@router.post(
    "/teams/{team_id}/mcp-servers", response={201: schemas.McpServerView}, operation_id="create_team_mcp_server"
)
def post_team_mcp_server(
    request: HttpRequest, team_id: str, payload: schemas.NewMcpServer
) -> Status[schemas.McpServerView]:
    """Add an MCP server for all projects of a team."""
    return _create(request, _team_place(request, team_id), payload)


@router.get(
    "/projects/{project_id}/mcp-servers", response=schemas.McpServerPage, operation_id="list_project_mcp_servers"
)
def list_project_mcp_servers(request: HttpRequest, project_id: str) -> schemas.McpServerPage:
    """List the MCP servers of a project, including those of its team and the site. If several have the same name, the
    project's is used, else the team's, else the site's."""
    return _page(request, _project_place(request, project_id))


@router.post(
    "/projects/{project_id}/mcp-servers",
    response={201: schemas.McpServerView},
    operation_id="create_project_mcp_server",
)
def post_project_mcp_server(
    request: HttpRequest, project_id: str, payload: schemas.NewMcpServer
) -> Status[schemas.McpServerView]:
    """Add an MCP server for one project."""
    return _create(request, _project_place(request, project_id), payload)


@router.get("/me/mcp-servers", response=schemas.McpServerPage, operation_id="list_my_mcp_servers")
def list_my_mcp_servers(request: HttpRequest) -> schemas.McpServerPage:
    """List your own MCP servers. The turns that you start have their tools, in every project."""
    return _page(request, ServerPlace(current_user(request)))


@router.post("/me/mcp-servers", response={201: schemas.McpServerView}, operation_id="create_my_mcp_server")
def post_my_mcp_server(request: HttpRequest, payload: schemas.NewMcpServer) -> Status[schemas.McpServerView]:
    """Add a remote MCP server of your own."""
    return _create(request, ServerPlace(current_user(request)), payload)


@router.get(
    "/projects/{project_id}/declared-mcp-servers",
    response=schemas.DeclaredMcpServerPage,
    operation_id="list_declared_mcp_servers",
)
def list_declared_mcp_servers(request: HttpRequest, project_id: str) -> schemas.DeclaredMcpServerPage:
    """List the MCP servers that files in the project's workspaces declare, each with its state. An agent asks a person
    before it uses one."""
    user = current_user(request)
    place = _project_place(request, project_id)
    rows = Workspace.objects.visible_to(user).select_related("project").filter(project=place.project_id)
    found: dict[tuple[str, ...], tuple[DeclaredState, list[str]]] = {}
    for workspace in (
        rows.exclude(state=Workspace.State.REMOVING).exclude(declared_servers=[]).order_by("-id")[:MAX_WORKSPACES]
    ):
        for each in states_of(workspace):
            key = (each.server.name, each.server.source, each.server.digest, each.state)
            found.setdefault(key, (each, []))[1].append(workspace.public_id)
    can_edit = place.may_edit(user)
    return schemas.DeclaredMcpServerPage(
        items=[schemas.DeclaredMcpServer.of(each, places, can_edit=can_edit) for each, places in found.values()]
    )


@router.get("/mcp-gallery", response=schemas.McpGallery, operation_id="list_mcp_gallery")
def list_mcp_gallery(request: HttpRequest) -> schemas.McpGallery:
    """List well-known MCP servers that can be added."""
    return _gallery()


@router.get("/mcp-servers/{mcp_server_id}", response=schemas.McpServerDetail, operation_id="get_mcp_server")
def get_mcp_server(request: HttpRequest, mcp_server_id: str) -> schemas.McpServerDetail:
    """Return an MCP server with its tools."""
    return _show(request, _find(request, mcp_server_id))


@router.patch("/mcp-servers/{mcp_server_id}", response=schemas.McpServerDetail, operation_id="update_mcp_server")
@conditional
def patch_mcp_server(
    request: HttpRequest, mcp_server_id: str, payload: schemas.McpServerChange
) -> schemas.McpServerDetail:
    """Change settings of an MCP server. The next call uses the new settings."""
    wanted = accepted_versions(request)

    def check_version(row: McpServer) -> None:
        require_version(wanted, str(row.version))
        if payload.base_version not in (None, row.version):
            raise Stale(
                f"Somebody else changed this MCP server: its version is now {row.version}.",
                code=ErrorCode.STALE_MCP_SERVER,
                hint="Load the new version, then apply your changes to it.",
            )

    row = _find(request, mcp_server_id)
    change_server(actor=current_user(request), server=row, wanted=payload.settings(), check_version=check_version)
    return _show(request, _find(request, mcp_server_id))


@router.delete("/mcp-servers/{mcp_server_id}", response={204: None}, operation_id="delete_mcp_server")
def delete_mcp_server(request: HttpRequest, mcp_server_id: str) -> Status[None]:
    """Remove an MCP server. The next step does not offer its tools."""
    remove_server(actor=current_user(request), server=_find(request, mcp_server_id))
    return Status(204, None)


@router.post(
    "/mcp-servers/{mcp_server_id}/accept", response=schemas.McpServerDetail, operation_id="accept_mcp_server_tools"
)
def accept_mcp_server_tools(
    request: HttpRequest, mcp_server_id: str, payload: schemas.AcceptedTools
) -> schemas.McpServerDetail:
    """Accept tools that the server has changed or added.

    The change then no longer leads to permission requests for calls of these tools.
    """
    accept_tools(actor=current_user(request), server=_find(request, mcp_server_id), digests=payload.tools)
    return _show(request, _find(request, mcp_server_id))


@router.post("/mcp-servers/{mcp_server_id}/check", response=schemas.McpServerDetail, operation_id="check_mcp_server")
async def check_mcp_server(
    request: HttpRequest, mcp_server_id: str, payload: schemas.McpCheckBody
) -> schemas.McpServerDetail:
    """Connect to an MCP server now, and read its tools. A local server is started again in the workspace. If each
    person signs in at a remote server, your account is used."""
    user, row = await sync_to_async(_editable)(request, mcp_server_id)
    if row.kind == McpServer.Kind.REMOTE:
        await ask_server(row, person_id=user.pk)
        return await sync_to_async(lambda: _show(request, _find(request, mcp_server_id)))()
    workspace = await sync_to_async(_workspace_of)(user, row, payload.workspace_id)
    question = McpCheckQuestion(server=row.pk)
    await query_workspace(workspace, question, person=user, timeout_seconds=CHECK_TIMEOUT_SECONDS)
    return await sync_to_async(lambda: _show(request, _find(request, mcp_server_id)))()


@router.get(
    "/workspaces/{workspace_id}/mcp-servers/{mcp_server_id}/log",
    response=schemas.McpLogView,
    operation_id="get_mcp_server_log",
)
async def get_mcp_server_log(request: HttpRequest, workspace_id: str, mcp_server_id: str) -> schemas.McpLogView:
    """Return the log of a local MCP server in a workspace. The log is empty while the workspace does not run."""
    user = await sync_to_async(current_user)(request)
    row = await sync_to_async(_find)(request, mcp_server_id)
    workspace = await sync_to_async(_workspace_of)(user, row, workspace_id)
    found = await query_workspace(workspace, McpLogQuestion(server=row.pk), person=user)
    return schemas.McpLogView(**(found or {"running": False, "events": [], "stderr": ""}))


def _team_place(request: HttpRequest, team_id: str) -> ServerPlace:
    return ServerPlace(Team.objects.visible_to(current_user(request)).by_public_id(team_id))


def _project_place(request: HttpRequest, project_id: str) -> ServerPlace:
    return ServerPlace(Project.objects.visible_to(current_user(request)).by_public_id(project_id))


def _visible(request: HttpRequest) -> PlacedQuerySet[McpServer]:
    rows = McpServer.objects.visible_to(current_user(request))
    return rows.select_related("changed_by", "team", "project", "person", "workspace__project").prefetch_related(
        "states"
    )


def _find(request: HttpRequest, server_id: str) -> McpServer:
    return _visible(request).by_public_id(server_id)


def _editable(request: HttpRequest, server_id: str) -> tuple[User, McpServer]:
    user, row = current_user(request), _find(request, server_id)
    place_of_server(user, row)
    return user, row


def _workspace_of(user: User, row: McpServer, workspace_id: str) -> Workspace:
    """Return the workspace with this id, if the local server can run in it and the user can see it.

    Raises BadInput, Missing.
    """
    if row.kind != McpServer.Kind.LOCAL:
        raise BadInput("Only a local MCP server runs in a workspace.", fields={"workspace_id": "not for this server"})
    if not workspace_id:
        raise BadInput("Choose the workspace to look in.", fields={"workspace_id": "required"})
    workspace = Workspace.objects.visible_to(user).select_related("project").by_public_id(workspace_id)
    team = row.project.team_id if row.project else row.team_id
    if row.workspace_id not in (None, workspace.pk):
        raise BadInput("This server is declared in another workspace.", fields={"workspace_id": "another workspace"})
    if team not in (None, workspace.project.team_id) or row.project_id not in (None, workspace.project_id):
        raise BadInput(
            "This server is not one of the workspace's project.", fields={"workspace_id": "of another project"}
        )
    return workspace


def _page(request: HttpRequest, place: ServerPlace) -> schemas.McpServerPage:
    user = current_user(request)
    keys = [place.key] if place.person else [SITE.key, place.key]
    if isinstance(place.target, Project):
        keys.insert(1, place.target.team.public_id)
    rows = list(_visible(request).filter(place__in=keys))
    rows.sort(key=lambda row: (row.name.lower(), -keys.index(row.place)))
    counting = {row.name.lower(): row.pk for row in reversed(rows)}
    accounts = accounts_for(user, rows)
    return schemas.McpServerPage(
        items=[
            schemas.McpServerView.of(
                row,
                can_edit=place_of(row).may_edit(user),
                overridden=counting[row.name.lower()] != row.pk,
                account=accounts.get(row.pk),
            )
            for row in rows
        ]
    )


def _create(request: HttpRequest, place: ServerPlace, payload: schemas.NewMcpServer) -> Status[schemas.McpServerView]:
    row = create_server(
        actor=current_user(request), place=place, name=payload.name, kind=payload.kind, wanted=payload.settings()
    )
    set_version(request, str(row.version))
    return Status(201, schemas.McpServerView.of(_find(request, row.public_id), can_edit=True))


def _show(request: HttpRequest, row: McpServer) -> schemas.McpServerDetail:
    set_version(request, str(row.version))
    user = current_user(request)
    account = accounts_for(user, [row]).get(row.pk)
    view = schemas.McpServerView.of(row, can_edit=place_of(row).may_edit(user), account=account)
    tools = named_tools(row, row.seen, reserved_names())
    return schemas.McpServerDetail(
        **view.model_dump(),
        sign_in_problem=problem_of_sign_in(user, row),
        tools=[schemas.McpToolView.of(row, tool_id, tool) for tool_id, tool in tools.items()],
    )


@cache
def _gallery() -> schemas.McpGallery:
    return schemas.McpGallery(items=json.loads(GALLERY.read_text(encoding="utf-8")))
