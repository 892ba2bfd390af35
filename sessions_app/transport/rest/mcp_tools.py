"""REST endpoints: the permission rules for the tools of an MCP server, the last calls of the tools, and calls by
people."""

from datetime import datetime
from typing import Any, Final, Literal, Self, cast

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Field, Router, Schema

from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import membership_of
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project
from sessions_app.actions.mcp_tries import admit_try, find_server, tools_of, try_refusal
from sessions_app.events import schema, views
from sessions_app.models import ToolCall
from sessions_app.policy import judge_needs, session_policies
from sessions_app.queries.explanation import unsaved_session
from sessions_app.queries.live import query_workspace
from sessions_app.server_tools import named_tools
from sessions_app.transport.rest.workspace_details import find_workspace
from tools_app.gate import Verdict
from tools_app.mcp.tool import McpTool
from tools_app.policies.documents import Approvers
from tools_app.registry import reserved_names

router = Router(tags=["mcp servers"])
EXTRA_SECONDS: Final = 100.0  # for a server to start and for the door, beside the time for the call


CallState = Literal["pending", "running", "waiting", "completed", "error", "aborted"]


class McpToolRule(Schema):
    """The rules' decision about calls of a tool. `decisions` are the reasons, the strictest first; they concern the
    tool itself and, if its definition differs from the one that people accepted, `changed_tool`. `may_try`: you may
    call the tool yourself."""

    tool: str
    action: Literal["allow", "ask", "deny"]
    may_try: bool
    decisions: list[schema.DecisionView]

    @classmethod
    def of(cls, tool: McpTool, verdict: Verdict, *, may_try: bool) -> Self:
        order = ("deny", "ask", "allow")
        found = sorted(verdict.decisions, key=lambda judged: order.index(judged.decision.action))
        decisions = [schema.DecisionView(**judged.as_dict()) for judged in found]
        return cls(tool=tool.id, action=verdict.action, may_try=may_try, decisions=decisions)


class McpToolRules(Schema):
    """The decisions about each usable tool of a server for an agent in a new session. `approvers` says who answers
    permission requests. `items` is empty if the server is not enabled or was never reached."""

    agent: str
    approvers: Approvers
    items: list[McpToolRule]


class McpCallView(Schema):
    """A call of a tool of an MCP server. `person` started the turn. `seconds` is null until the call has ended."""

    id: str
    tool: str
    title: str
    state: CallState
    session_id: str
    session_title: str
    person: schema.PersonView | None
    created_at: datetime
    seconds: float | None

    @classmethod
    def of(cls, row: ToolCall) -> Self:
        ran = (row.ended_at - (row.started_at or row.created_at)) if row.ended_at else None
        return cls(
            id=row.public_id,
            tool=row.tool,
            title=row.title,
            state=cast(CallState, row.state),
            session_id=row.session.public_id,
            session_title=row.session.title,
            person=views.person(row.turn.started_by),
            created_at=row.created_at,
            seconds=ran.total_seconds() if ran is not None else None,
        )


class McpTry(RequestBody):
    """A call of a tool that a person makes. `tool` is the tool's id. `confirmed`: the person confirms the call, for
    rules that ask."""

    tool: str = Field(max_length=200)
    arguments: dict[str, Any] = Field(default_factory=dict)
    confirmed: bool = False


class McpTryResult(Schema):
    """The result as an agent would get it: truncated, and with secrets masked. `failed`: the tool or the server
    answered with an error, which is in `output`."""

    title: str
    output: str
    structured: Any
    failed: bool
    truncated: bool
    seconds: float


@router.get(
    "/projects/{project_id}/mcp-servers/{mcp_server_id}/rules",
    response=McpToolRules,
    operation_id="get_mcp_tool_rules",
)
def get_rules(request: HttpRequest, project_id: str, mcp_server_id: str, agent: str = "") -> McpToolRules:
    """Return, for each tool of an MCP server, the decision of the rules when an agent in the project calls it, and the
    rules behind the decision."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    session = unsaved_session(project, agent)
    row = find_server(session, user, mcp_server_id)
    policies, membership = session_policies(session), membership_of(user, project.team_id)
    items = []
    for tool in tools_of(session, user, row):
        verdict = judge_needs(session, tool.needs_of({}))
        refusal = try_refusal(membership, policies, verdict.action)
        items.append(McpToolRule.of(tool, verdict, may_try=not refusal))
    return McpToolRules(agent=session.agent, approvers=policies.approvers, items=items)


@router.get(
    "/projects/{project_id}/mcp-servers/{mcp_server_id}/calls",
    response=Page[McpCallView],
    operation_id="list_mcp_calls",
)
def list_calls(
    request: HttpRequest, project_id: str, mcp_server_id: str, cursor: str | None = None, limit: int = 20
) -> Page[McpCallView]:
    """List the calls of a server's current tools in the sessions of the project that you can see, newest first."""
    user = current_user(request)
    project = Project.objects.visible_to(user).by_public_id(project_id)
    row = find_server(unsaved_session(project, ""), user, mcp_server_id)
    names = list(named_tools(row, row.seen, reserved_names()))
    rows = ToolCall.objects.visible_to(user).filter(tool__in=names, session__project=project)
    page = paginate(rows.select_related("session", "turn__started_by"), cursor=cursor, limit=limit)
    return Page[McpCallView].of(page, McpCallView.of)


@router.post(
    "/workspaces/{workspace_id}/mcp-servers/{mcp_server_id}/try",
    response=McpTryResult,
    operation_id="try_mcp_tool",
)
async def post_try(request: HttpRequest, workspace_id: str, mcp_server_id: str, payload: McpTry) -> McpTryResult:
    """Call a tool of an MCP server yourself, in a workspace. The project's rules decide as they do about calls of
    agents; if they ask, `confirmed` is your answer. The call is recorded in the audit log and belongs to no session."""
    user = current_user(request)
    workspace = await sync_to_async(find_workspace)(request, workspace_id)
    row, question = await sync_to_async(admit_try)(
        actor=user,
        workspace=workspace,
        server_id=mcp_server_id,
        tool_id=payload.tool,
        arguments=payload.arguments,
        confirmed=payload.confirmed,
    )
    seconds = row.timeout_seconds + EXTRA_SECONDS
    return McpTryResult(**await query_workspace(workspace, question, person=user, timeout_seconds=seconds))
