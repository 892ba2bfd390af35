"""The tools of the MCP server: each is an operation of the REST API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from agentsite.mcp_server.operations import operation
from tools_app.mcp.served import ServedTool

WAIT_TOOL: Final = "wait_for_turn"


@dataclass(frozen=True, slots=True)
class SiteTool:
    """A tool of the MCP server. `operation` is the operation that the tool calls; `defaults` replace default values of
    the operation's arguments."""

    name: str
    operation: str
    title: str
    description: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False
    text_field: str = ""
    """The name of the field of the answer that models get as text; if it is empty, they get the whole answer as
    JSON."""
    defaults: Mapping[str, Any] = field(default_factory=dict)


def _reading(
    name: str, operation: str, title: str, description: str, *, text_field: str = "", **defaults: Any
) -> SiteTool:
    return SiteTool(
        name,
        operation,
        title,
        description,
        read_only=True,
        idempotent=True,
        text_field=text_field,
        defaults=defaults,
    )


TOOLS: Final = (
    _reading(
        "list_projects",
        "list_projects",
        "List projects",
        "List the projects that you can see. A session belongs to a project.",
    ),
    _reading(
        "list_sessions",
        "list_sessions",
        "List sessions",
        "List sessions, newest first. `status` says whether an agent works in one or waits for a person.",
        limit=20,
    ),
    SiteTool(
        "create_session",
        "create_session",
        "Create a session",
        "Open a session in a project. Then give it work with send_prompt. Without workspace_id or new_workspace it"
        " works in the project's first workspace, which others may use at the same time.",
    ),
    _reading("get_session", "get_session", "Show a session", "Show a session: its state, agent, model and cost."),
    SiteTool(
        "send_prompt",
        "submit_prompt",
        "Send a prompt",
        "Give the agent of a session a task. It starts a turn and returns at once; call wait_for_turn with the turn's"
        " id for the outcome. Set idempotency_key to a new text for each prompt, so that a retry does not send it"
        " twice.",
        open_world=True,
    ),
    _reading("get_turn", "get_turn", "Show a turn", "Show the state of a turn, with the agent's last text."),
    _reading(
        WAIT_TOOL,
        "wait_for_turn",
        "Wait for a turn",
        "Wait until a turn has ended or waits for a person, or until `wait` seconds are over, and show its state with"
        " the agent's last text. If the state is still `running`, call it again. If it is `waiting`, the permission"
        " requests and questions that need an answer are in the result.",
        wait=45,
    ),
    SiteTool(
        "stop_turn",
        "abort_session",
        "Stop the turn",
        "Stop the running turn of a session.",
        destructive=True,
        idempotent=True,
    ),
    _reading(
        "list_messages",
        "list_messages",
        "List messages",
        "List the messages of a session with their texts and tool calls, newest first.",
        limit=10,
    ),
    _reading(
        "list_files", "list_files", "List files", "List the files and folders in a folder of a session's workspace."
    ),
    _reading(
        "read_file",
        "read_file",
        "Read a file",
        "Read lines of a text file in a session's workspace.",
        text_field="text",
    ),
    _reading(
        "get_diff",
        "get_session_diff",
        "Show changes",
        "Show what changed in the workspace since the session's first tool call, or what one turn changed, as patches.",
    ),
    _reading(
        "list_permission_requests",
        "list_permission_requests",
        "List permission requests",
        "List the permission requests that wait for an answer, oldest first.",
        limit=20,
    ),
    SiteTool(
        "answer_permission_request",
        "reply_permission_request",
        "Answer a permission request",
        "Decide a permission request: `once`, `always` or `reject`. Ask the person you work for before you allow"
        " anything.",
        destructive=True,
        open_world=True,
    ),
    _reading(
        "list_questions",
        "list_questions",
        "List questions",
        "List the questions of agents that wait for an answer, oldest first.",
        limit=20,
    ),
    SiteTool(
        "answer_question",
        "answer_question",
        "Answer a question",
        "Answer a question of an agent: for each of its questions, the labels chosen or a text.",
        open_world=True,
    ),
)
BY_NAME: Final = {tool.name: tool for tool in TOOLS}


def served(tool: SiteTool) -> ServedTool:
    return ServedTool(
        tool.name,
        tool.title,
        tool.description,
        _schema(tool.name),
        tool.read_only,
        tool.destructive,
        tool.idempotent,
        tool.open_world,
    )


def schema_of(name: str) -> Mapping[str, Any] | None:
    """Return the JSON Schema of a tool's arguments; None for an unknown tool."""
    return _schema(name) if name in BY_NAME else None


@cache
def _schema(name: str) -> dict[str, Any]:
    tool = BY_NAME[name]
    schema = operation(tool.operation).schema
    properties = {
        name: {**about, "default": tool.defaults[name]} if name in tool.defaults else about
        for name, about in schema["properties"].items()
    }
    return {**schema, "properties": properties}
