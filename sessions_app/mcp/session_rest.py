"""REST endpoints for the prompts and resources that a session's MCP servers offer to people."""

from collections.abc import Mapping
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, Unavailable
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.events import schema
from sessions_app.mcp.remote import ask_server
from sessions_app.models import McpServer, Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import McpPromptQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.server_tools import TurnPerson, session_offerings
from tools_app.mcp.offerings import MAX_ARGUMENTS
from tools_app.mcp.prompts import prompt_text

router = Router(tags=["mcp servers"])
PROMPT_TIMEOUT_SECONDS: Final = 90.0  # a local server may have to start


class McpPromptArgument(schema.View):
    name: str
    description: str
    required: bool


class McpPromptView(schema.View):
    """A prompt of an MCP server. In the prompt box it is the slash command `/<server>:<name>`."""

    server: str
    server_id: str
    name: str
    title: str
    description: str
    arguments: list[McpPromptArgument]


class McpPromptPage(schema.View):
    items: list[McpPromptView]


class McpResourceView(schema.View):
    """A resource of an MCP server. In a prompt it is mentioned as `@<server>:<uri>`. Of a `template`, `uri` has names
    in braces."""

    server: str
    uri: str
    name: str
    description: str
    media_type: str
    template: bool


class McpResourcePage(schema.View):
    items: list[McpResourceView]


class McpPromptCall(RequestBody):
    """A prompt to get: the id of its server, its name, and its arguments, which are texts."""

    server_id: str = Field(max_length=64)
    name: str = Field(min_length=1, max_length=200)
    arguments: dict[str, str] = Field(default={}, max_length=MAX_ARGUMENTS)


class McpPromptText(schema.View):
    """The text of a prompt as its server wrote it. It is not trusted: read it before you send it."""

    text: str


@router.get("/sessions/{session_id}/mcp-prompts", response=McpPromptPage, operation_id="list_mcp_prompts")
def list_mcp_prompts(request: HttpRequest, session_id: str) -> McpPromptPage:
    """List the prompts that the session's MCP servers offer."""
    _, found = _offerings(request, session_id)
    return McpPromptPage(
        items=[
            McpPromptView(
                server=row.name,
                server_id=row.public_id,
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    McpPromptArgument(name=each.name, description=each.description, required=each.required)
                    for each in prompt.arguments
                ],
            )
            for row, offerings in found
            for prompt in offerings.prompts
        ]
    )


@router.get("/sessions/{session_id}/mcp-resources", response=McpResourcePage, operation_id="list_mcp_resources")
def list_mcp_resources(request: HttpRequest, session_id: str) -> McpResourcePage:
    """List the resources that the session's MCP servers offer."""
    _, found = _offerings(request, session_id)
    return McpResourcePage(
        items=[
            McpResourceView(
                server=row.name,
                uri=each.uri,
                name=each.name,
                description=each.description,
                media_type=each.media_type,
                template=each.template,
            )
            for row, offerings in found
            for each in offerings.resources
        ]
    )


@router.post("/sessions/{session_id}/mcp-prompts", response=McpPromptText, operation_id="get_mcp_prompt")
async def get_mcp_prompt(request: HttpRequest, session_id: str, payload: McpPromptCall) -> McpPromptText:
    """Get a prompt of an MCP server, to be read and sent. A local server is started if necessary."""
    user, session, row = await sync_to_async(_prompt_of)(request, session_id, payload)
    if row.kind == McpServer.Kind.REMOTE:
        answer, problem = await _ask_remote(row, user, payload)
    else:
        question = McpPromptQuestion(server=row.pk, name=payload.name, arguments=payload.arguments)
        found: Mapping[str, Any] = await query_workspace(
            session.workspace, question, person=user, timeout_seconds=PROMPT_TIMEOUT_SECONDS
        )
        answer, problem = found.get("answer", {}), found.get("problem", "")
    if problem:
        raise Unavailable(
            f"The MCP server {row.name} {problem}.",
            code=ErrorCode.MCP_SERVER_SILENT,
            hint="Check the arguments, or look at the server's log.",
        )
    return McpPromptText(text=prompt_text(answer))


async def _ask_remote(row: McpServer, user: User, payload: McpPromptCall) -> tuple[Mapping[str, Any], str]:
    """Return the answer of a remote server, asked with the account of the user if it wants one, or why there is
    none."""
    reply = await ask_server(row, person_id=user.pk, tool=payload.name, ask="prompt", arguments=payload.arguments)
    return reply.answer, "" if reply.kind == "answer" else reply.problem


def _offerings(request: HttpRequest, session_id: str) -> tuple[Session, Any]:
    session = find_session(request, session_id)
    return session, session_offerings(session, TurnPerson(current_user(request).pk))


def _prompt_of(request: HttpRequest, session_id: str, payload: McpPromptCall) -> tuple[User, Session, McpServer]:
    """Return the server of a prompt that it has listed. Raises Missing, NotAllowed."""
    user = current_user(request)
    session, found = _offerings(request, session_id)
    require(user, Act.PROMPT, team_id=session.project.team_id)
    for row, offerings in found:
        if row.public_id == payload.server_id and any(each.name == payload.name for each in offerings.prompts):
            return user, session, row
    raise Missing(f"The session has no MCP server with a prompt '{payload.name[:60]}'.")
