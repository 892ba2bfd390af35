"""REST endpoints for the prompts and resources that a session's MCP servers offer to people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

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
from sessions_app.queries.questions import McpCompletionQuestion, McpPromptQuestion, WorkspaceQuestion
from sessions_app.queries.sessions import find_session
from sessions_app.revisions import TurnPerson
from sessions_app.server_tools import session_offerings
from tools_app.mcp.offerings import MAX_ARGUMENTS, ServerPrompt, read_completions
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
    completes: bool
    """Whether the server suggests values for the arguments."""


class McpPromptPage(schema.View):
    items: list[McpPromptView]


class McpResourceView(schema.View):
    """A resource of an MCP server. In a prompt it is mentioned as `@<server>:<uri>`. If it is a `template`, `uri` has
    names in braces."""

    server: str
    uri: str
    name: str
    description: str
    media_type: str
    template: bool


class McpResourcePage(schema.View):
    items: list[McpResourceView]


class McpPromptCall(RequestBody):
    """The prompt to get from an MCP server: the id of the server, the name of the prompt, and its arguments, which are
    strings."""

    server_id: str = Field(max_length=64)
    name: str = Field(min_length=1, max_length=200)
    arguments: dict[str, str] = Field(default={}, max_length=MAX_ARGUMENTS)


class McpCompletionCall(RequestBody):
    """The input of a person who is entering the arguments of a prompt: the `value` typed so far for `argument`, and the
    values of the other `arguments`."""

    server_id: str = Field(max_length=64)
    name: str = Field(min_length=1, max_length=200)
    argument: str = Field(min_length=1, max_length=200)
    value: str = Field(default="", max_length=1_000)
    arguments: dict[str, str] = Field(default={}, max_length=MAX_ARGUMENTS)


class McpCompletionView(schema.View):
    """Values that a server suggests for an argument. They are not trusted. `has_more`: the server knows more values."""

    values: list[str]
    has_more: bool


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
                completes=offerings.completes,
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
    found = await sync_to_async(_prompt_of)(request, session_id, payload.server_id, payload.name)
    question = McpPromptQuestion(server=found.row.pk, name=payload.name, arguments=payload.arguments)
    return McpPromptText(text=prompt_text(await _asked(found, "prompt", question, payload.arguments)))


@router.post(
    "/sessions/{session_id}/mcp-prompts/complete",
    response=McpCompletionView,
    operation_id="complete_mcp_prompt_argument",
)
async def complete_mcp_prompt_argument(
    request: HttpRequest, session_id: str, payload: McpCompletionCall
) -> McpCompletionView:
    """Get the values that an MCP server suggests for an argument of a prompt. The list is empty if it suggests
    nothing."""
    found = await sync_to_async(_prompt_of)(request, session_id, payload.server_id, payload.name)
    if payload.argument not in {each.name for each in found.prompt.arguments}:
        raise Missing(f"The prompt has no argument '{payload.argument[:60]}'.")
    if not found.completes:
        return McpCompletionView(values=[], has_more=False)
    wanted = {"argument": payload.argument, "value": payload.value, "others": payload.arguments}
    question = McpCompletionQuestion(server=found.row.pk, name=payload.name, **wanted)
    suggested = read_completions(await _asked(found, "completion", question, wanted))
    return McpCompletionView(values=list(suggested.values), has_more=suggested.has_more)


@dataclass(frozen=True, slots=True)
class _FoundPrompt:
    """A prompt that an MCP server of the session has listed, and the person who requested the prompt."""

    user: User
    session: Session
    row: McpServer
    prompt: ServerPrompt
    completes: bool


async def _asked(
    found: _FoundPrompt, ask: Literal["prompt", "completion"], question: WorkspaceQuestion, arguments: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Ask an MCP server for one of its prompts, or for completions of an argument, and return its response. A local
    server gets `question`; a remote server gets `arguments`, with the user's account if each person signs in there.
    Raises Unavailable."""
    if found.row.kind == McpServer.Kind.REMOTE:
        reply = await ask_server(
            found.row, person_id=found.user.pk, tool=found.prompt.name, ask=ask, arguments=arguments
        )
        answer: Mapping[str, Any] = reply.answer
        problem = "" if reply.kind == "answer" else reply.problem
    else:
        known: Mapping[str, Any] = await query_workspace(
            found.session.workspace, question, person=found.user, timeout_seconds=PROMPT_TIMEOUT_SECONDS
        )
        answer, problem = known.get("answer", {}), known.get("problem", "")
    if problem:
        raise Unavailable(
            f"The MCP server {found.row.name} {problem}.",
            code=ErrorCode.MCP_SERVER_SILENT,
            hint="Check the arguments, or look at the server's log.",
        )
    return answer


def _offerings(request: HttpRequest, session_id: str) -> tuple[Session, Any]:
    session = find_session(request, session_id)
    return session, session_offerings(session, TurnPerson(current_user(request).pk))


def _prompt_of(request: HttpRequest, session_id: str, server_id: str, name: str) -> _FoundPrompt:
    """Find a prompt of the session's MCP servers by the id of the server and the name of the prompt. Raises Missing,
    NotAllowed."""
    user = current_user(request)
    session, found = _offerings(request, session_id)
    require(user, Act.PROMPT, team_id=session.project.team_id)
    for row, offerings in found:
        prompt = next((each for each in offerings.prompts if each.name == name), None)
        if row.public_id == server_id and prompt is not None:
            return _FoundPrompt(user, session, row, prompt, offerings.completes)
    raise Missing(f"The session has no MCP server with a prompt '{name[:60]}'.")
