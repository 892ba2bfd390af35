"""API schemas of MCP servers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from ninja import Field
from pydantic import model_validator

from agentsite.http.request_body import RequestBody
from sessions_app.events import schema, views
from sessions_app.mcp.declared import DeclaredState, State
from sessions_app.mcp.rules import Kind, ServerSettings, SignIn, Transport
from sessions_app.mcp.sign_in_schemas import McpAccountView
from sessions_app.models import McpAccount, McpServer, McpServerState
from sessions_app.server_tools import accepted_of
from tools_app.mcp.definitions import ServerTool, as_text, changes

Status = Literal["connected", "disabled", "failed", "sign_in", "unknown"]
Word = Annotated[str, Field(max_length=8_192)]
NOT_NULL = (
    "name",
    "description",
    "enabled",
    "command",
    "environment",
    "url",
    "transport",
    "headers",
    "timeout_seconds",
    "sign_in",
    "client_id",
    "client_secret",
)


class McpToolChange(schema.View):
    """A changed field in the definition of a tool: its value when people accepted the tool, and its present value.
    Values that are not strings are written as JSON."""

    before: str
    after: str


class McpToolView(schema.View):
    """A tool of an MCP server. `id` is its name for models and in rules. If the tool cannot be used, `id` is empty and
    `problem` says why. `hints` are the server's own claims about the tool; no decision relies on them. `digest`
    identifies the definition. `changes` has {before, after} of each field that differs from the definition that people
    accepted. `is_new` is true if they have not accepted a tool of this name. Every call of a changed or new tool needs
    a person's decision."""

    id: str
    name: str
    title: str
    description: str
    parameters: dict[str, Any] = Field(description="JSON Schema of the arguments.")
    hints: dict[str, bool]
    digest: str
    problem: str
    is_new: bool
    changes: dict[str, McpToolChange]

    @classmethod
    def of(cls, row: McpServer, tool_id: str, tool: ServerTool) -> Self:
        accepted = accepted_of(row, tool)
        return cls(
            id="" if tool.problem else tool_id,
            name=tool.name,
            title=tool.title,
            description=tool.description,
            parameters=dict(tool.schema),
            hints=dict(tool.hints),
            digest=tool.digest,
            problem=tool.problem,
            is_new=accepted is None,
            changes={
                name: McpToolChange(before=as_text(sides["before"]), after=as_text(sides["after"]))
                for name, sides in changes(tool, accepted).items()
            },
        )


class McpServerView(schema.View):
    """An MCP server. `place` is "site", or the id of the team, project, person or workspace that it belongs to. A
    server of a workspace is declared in the file `source` of its repository; a person has allowed it, and it cannot be
    changed.

    `status` is `connected`, `disabled`, `failed` (`problem` says why), `sign_in` (you have to sign in, or the server
    does not accept the headers) or `unknown` (not reached yet). For a local server it is the status in the workspace
    where it ran last. `secret_headers` contains the names only. `asks_sign_in` is true if the server demands a sign-in
    with OAuth; `sign_in` says whether each person signs in or an admin signs in for the team, and `account` is the
    account that your calls use. `tool_count` is the number of tools that the server listed last, `changed_count` the
    number of tools that people have not accepted in their present form. `overridden` is true if a server of the project
    or the team with the same name is used instead. `can_edit`: you may change it.
    """

    id: str
    place: str
    source: str
    name: str
    description: str
    kind: Kind
    enabled: bool
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Transport
    headers: dict[str, str]
    secret_headers: list[str]
    timeout_seconds: int
    sign_in: SignIn
    asks_sign_in: bool
    client_id: str
    account: McpAccountView | None
    status: Status
    problem: str
    facts: dict[str, str] = Field(description="What the server says of itself: name, version, protocol, instructions.")
    checked_at: datetime | None
    tool_count: int
    changed_count: int
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime
    overridden: bool
    can_edit: bool

    @classmethod
    def of(cls, row: McpServer, *, can_edit: bool, overridden: bool = False, account: McpAccount | None = None) -> Self:
        """Return the API view of an MCP server for a person. `account` is the account at the server that calls of this
        person use."""
        state = newest_state(row)
        tools = [ServerTool.from_dict(each) for each in row.seen]
        return cls(
            id=row.public_id,
            place=row.place,
            source=row.source,
            name=row.name,
            description=row.description,
            kind="local" if row.kind == McpServer.Kind.LOCAL else "remote",
            enabled=row.enabled,
            command=row.command,
            environment=row.environment if can_edit else dict.fromkeys(row.environment, ""),
            url=row.url,
            transport="sse" if row.transport == McpServer.Transport.SSE else "http",
            headers=row.headers if can_edit else dict.fromkeys(row.headers, ""),
            secret_headers=row.secret_headers,
            timeout_seconds=row.timeout_seconds,
            sign_in="team" if row.sign_in == McpServer.SignIn.TEAM else "person",
            asks_sign_in=row.asks_sign_in,
            client_id=row.client_id,
            account=McpAccountView.of(account) if account else None,
            status=status_of(row, state, account),
            problem=problem_of(row, state, account) if row.enabled else "",
            facts=state.facts if state else {},
            checked_at=state.checked_at if state else None,
            tool_count=len(tools),
            changed_count=sum(bool(changes(tool, accepted_of(row, tool))) for tool in tools),
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
            overridden=overridden,
            can_edit=can_edit,
        )


def newest_state(row: McpServer) -> McpServerState | None:
    """Return the newest state of the MCP server that was recorded for its present settings. Reads the prefetched
    `states`."""
    states = [state for state in row.states.all() if state.of_version == row.version]
    return max(states, key=lambda state: state.checked_at, default=None)


def status_of(row: McpServer, state: McpServerState | None, account: McpAccount | None = None) -> Status:
    if not row.enabled:
        return "disabled"
    if row.asks_sign_in and (account is None or account.problem):
        return "sign_in"
    match state.status if state else "":
        case McpServerState.Status.CONNECTED:
            return "connected"
        case McpServerState.Status.FAILED:
            return "failed"
        case McpServerState.Status.SIGN_IN:
            return "sign_in"
    return "unknown"


def problem_of(row: McpServer, state: McpServerState | None, account: McpAccount | None) -> str:
    """Return a sentence that says why a person cannot use all of the server, such as a missing sign-in; "" if they
    can."""
    if not row.asks_sign_in:
        return state.problem if state else ""
    if account is None:
        return (
            "An admin of the team has to sign in." if row.sign_in == McpServer.SignIn.TEAM else "You have to sign in."
        )
    if account.problem:
        return f"It needs a new sign-in: {account.problem}."
    if account.wanted:
        return f"Some tools need more permissions: {', '.join(account.wanted)}. Sign in again to give them."
    return state.problem if state and state.status == McpServerState.Status.FAILED else ""


class McpServerDetail(McpServerView):
    """An MCP server with its tools. `sign_in_problem` says why your last attempt to sign in failed."""

    sign_in_problem: str
    tools: list[McpToolView]


class McpServerPage(schema.View):
    items: list[McpServerView]


class DeclaredMcpServer(schema.View):
    """An MCP server that the file `source` of a repository declares. `state` is `waiting` (a person decides when an
    agent wants to use it), `allowed` (`server_id` is its id), `overridden`, `refused` by the policies or `unusable`;
    `problem` says why it is not used. Only admins see values of the environment and of headers. `digest` identifies
    exactly this declaration."""

    name: str
    source: str
    kind: Kind
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Transport
    headers: dict[str, str]
    digest: str
    state: State
    problem: str
    server_id: str
    workspace_ids: list[str]

    @classmethod
    def of(cls, found: DeclaredState, workspace_ids: list[str], *, can_edit: bool) -> Self:
        server = found.server
        return cls(
            name=server.name,
            source=server.source,
            kind="remote" if server.kind == "remote" else "local",
            command=list(server.command),
            environment=dict(server.environment) if can_edit else dict.fromkeys(server.environment, ""),
            url=server.url,
            transport="sse" if server.transport == "sse" else "http",
            headers=dict(server.headers) if can_edit else dict.fromkeys(server.headers, ""),
            digest=server.digest,
            state=found.state,
            problem=found.problem,
            server_id=found.row.public_id if found.row else "",
            workspace_ids=workspace_ids,
        )


class DeclaredMcpServerPage(schema.View):
    items: list[DeclaredMcpServer]


class McpLogView(schema.View):
    """The log of a local MCP server in a workspace: `events` is what happened to it since the sandbox worker started,
    with times in UTC; `stderr` is its output on stderr."""

    running: bool
    events: list[str]
    stderr: str


class McpSettingsFields(RequestBody):
    """Settings of an MCP server.

    A local server has `command`, a list of words, and `environment`; `{env:NAME}` in both stands for a variable of the
    project or the team. A remote server has `url` (https), `transport` and `headers`. The values of `secret_headers`
    are never returned; null keeps the stored value of a header. `timeout_seconds` is the time limit of one call.

    If a remote server demands a sign-in, `sign_in` says whose account is used: each person's own (`person`), or one
    account of the team (`team`). `client_id` and `client_secret` are only needed for a server at which the site cannot
    register itself; an empty `client_id` removes both.
    """

    description: str | None = Field(default=None, max_length=300)
    enabled: bool | None = None
    command: list[Word] | None = Field(default=None, max_length=100)
    environment: dict[str, Word] | None = None
    url: str | None = Field(default=None, max_length=2_000)
    transport: Transport | None = None
    headers: dict[str, Word] | None = None
    secret_headers: dict[Annotated[str, Field(max_length=100)], Word | None] | None = None
    timeout_seconds: int | None = Field(default=None, ge=1, le=600)
    sign_in: SignIn | None = None
    client_id: str | None = Field(default=None, max_length=500)
    client_secret: str | None = Field(default=None, max_length=500)

    def settings(self) -> ServerSettings:
        values: Mapping[str, Any] = self.model_dump(include=set(ServerSettings.__slots__))
        return ServerSettings(**values)


class NewMcpServer(McpSettingsFields):
    """A new MCP server. Its tools are called `<name>_<tool>`."""

    name: str = Field(min_length=1, max_length=100)
    kind: Kind


class McpServerChange(McpSettingsFields):
    """Changes of an MCP server; omitted fields stay unchanged. `base_version` is the version that you have read."""

    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    @model_validator(mode="after")
    def _says_what_is_needed(self) -> Self:
        for name in NOT_NULL:
            if name in self.model_fields_set and getattr(self, name) is None:
                raise ValueError(f"'{name}' cannot be null; leave it out to keep it")
        return self


class AcceptedTools(RequestBody):
    """The tools to accept in their present form: their names at the server, with the digests that you have read."""

    tools: dict[Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=64)]] = Field(max_length=300)


class McpCheckBody(RequestBody):
    """The workspace in which to check a local server, by its id. Empty for a remote server."""

    workspace_id: str = Field(default="", max_length=64)


class GalleryServer(schema.View):
    """A well-known MCP server that can be added. `sign_in` says which secrets it needs: values of `secret_headers`, or
    a variable."""

    id: str
    name: str
    title: str
    description: str
    kind: Kind
    command: list[str]
    environment: dict[str, str]
    url: str
    transport: Transport
    secret_headers: dict[str, str] = Field(description="Names of headers, with how a value begins.")
    sign_in: str
    homepage: str


class McpGallery(schema.View):
    items: list[GalleryServer]
