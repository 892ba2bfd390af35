"""MCP servers of a workspace: start the local ones, call their tools, and store the tools that they list."""

import asyncio
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.errors import Unavailable
from agentsite.base.ids import from_public
from sandbox.ports import Runtime
from sessions_app.actions.found_tools import keep_found_tools
from sessions_app.actions.workspaces import claim_workspace
from sessions_app.mcp.declared import DeclaredState, allow_declared, names, states_of
from sessions_app.mcp.remote import ask_server, list_later
from sessions_app.mcp.rules import VARIABLE
from sessions_app.mcp.seen import Seen, store_seen
from sessions_app.models import McpServer, McpServerState, Session, ToolCall, Workspace
from sessions_app.revisions import TurnPerson
from sessions_app.server_tools import (
    FoundServer,
    ServerScope,
    named_tools,
    nearest_servers,
    servers_of,
    session_offerings,
)
from sessions_app.toolset import searched_tools
from sessions_app.variables.given import GivenVariables, given_variables, masks_of, note_use, uses_to_note
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.mcp_accounts import AccountRefused, SignInNeeded, owner_to_ask, person_for
from sessions_app.workers.sandbox.mcp_forms import CallForms
from tools_app.mcp.calling import AccountOwner, CallProgress, KnownServer
from tools_app.mcp.choice import search
from tools_app.mcp.declared import DeclaredServer
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.forms import Ask, ask_nobody
from tools_app.mcp.launch import CallFailed, Launch, ServerFailed
from tools_app.mcp.local_pool import servers_in
from tools_app.mcp.offerings import ServerResource
from tools_app.registry import reserved_names
from tools_app.spec import ToolError, ToolOffer

if TYPE_CHECKING:
    from tools_app.mcp.local_server import LocalServer

REMOTE_INTERVAL: Final = timedelta(hours=1)  # between requests for a remote server's tools, when a workspace starts
NOT_READ: Final = "The MCP server {} {}. Nothing was read."
NOT_STARTED: Final = "The MCP server {} {}. A person has allowed it; continue without it, or tell the user."
REMOVED: Final = "The MCP server {} is not available here any more. The call was not made. Continue without it."
CHANGED: Final = (
    "The MCP server {} has changed its tool {}, or has removed it. The call was not made. The tools of the next step"
    " are the server's current ones; a person is asked before a changed one is called."
)
FAILED: Final = "The MCP server {} {}. The call was not made. Continue without it, or tell the user."
MAYBE_MADE: Final = (
    "The MCP server {} {}. It may have done what was asked: check, before you call it again. The call was not repeated."
)
T = TypeVar("T")

logger = structlog.get_logger(__name__)


class SessionServers:
    """The MCP servers of a session (`tools_app.mcp.calling.ServerCalls`). Methods run on the background loop, queries
    in threads."""

    def __init__(
        self, call: ToolCall, session: Session, runtime: Runtime, person: TurnPerson | None = None, model: str = ""
    ) -> None:
        self._call = call
        self._session = session
        self._workspace = session.workspace
        self._runtime = runtime
        self._turn_person = person
        self._person = person.id if person else None
        self._model = model
        self._declared: dict[str, DeclaredServer] = {}

    async def consent_of(self, server: KnownServer) -> AccountOwner | None:
        return await _thread(partial(owner_to_ask, self._call, server.id))

    async def call(
        self, server: KnownServer, tool: ServerTool, arguments: Mapping[str, Any], progress: CallProgress
    ) -> Mapping[str, Any]:
        row = await _thread(partial(self._enabled_row, server.id))
        if row is None:
            raise ToolError(REMOVED.format(server.name))
        if row.kind == McpServer.Kind.LOCAL:
            return await self._call_local(row, tool, arguments, progress)
        return await self._call_remote(row, tool, arguments, progress)

    async def _call_remote(
        self, row: McpServer, tool: ServerTool, arguments: Mapping[str, Any], progress: CallProgress
    ) -> Mapping[str, Any]:
        try:
            person = await _thread(partial(person_for, self._call, self._workspace, row))
            reply = await ask_server(
                row, person_id=person, tool=tool.name, digest=tool.digest, arguments=arguments, progress=progress,
                people=self._people(row),
            )  # fmt: skip
        except AccountRefused as error:
            raise ToolError(FAILED.format(row.name, error)) from error
        except Unavailable as error:
            raise ToolError(FAILED.format(row.name, "could not be asked: no door answered in time")) from error
        if reply.kind == "answer":
            return reply.answer
        if reply.kind == "changed":
            raise ToolError(CHANGED.format(row.name, tool.name))
        if reply.sign_in:
            raise SignInNeeded(row, self._call, reply.problem)
        raise ToolError((MAYBE_MADE if reply.made else FAILED).format(row.name, reply.problem))

    async def _call_local(
        self, row: McpServer, tool: ServerTool, arguments: Mapping[str, Any], progress: CallProgress
    ) -> Mapping[str, Any]:
        try:
            running = await start_local(row, self._workspace, self._runtime)
        except ServerFailed as error:
            raise ToolError(FAILED.format(row.name, error)) from error
        current = running.tools.get(tool.name)
        if current is None or current.digest != tool.digest:
            raise ToolError(CHANGED.format(row.name, tool.name))
        try:
            answer: Mapping[str, Any] = await running.call(
                tool, arguments, row.timeout_seconds, progress, self._people(row)
            )
        except CallFailed as error:
            raise ToolError((MAYBE_MADE if error.made else FAILED).format(row.name, error)) from error
        return answer

    def _people(self, row: McpServer) -> Ask:
        """Return the function that asks people of the session the questions of a server; without a tool call in a
        session, a function that asks nobody."""
        return CallForms(self._call, self._session, row.name).ask if self._call.lease_token else ask_nobody

    def _enabled_row(self, server_id: str) -> McpServer | None:
        """Return a server if it is enabled and the workspace's project still uses it; None otherwise."""
        key = from_public(McpServer.PREFIX, server_id)
        rows = nearest_servers(ServerScope.of(self._workspace, self._person))
        return next((row for row in rows if row.pk == key and row.enabled), None)

    async def declared(self, name: str) -> DeclaredServer:
        if name not in self._declared:
            states = await _thread(partial(states_of, self._workspace))
            self._declared[name] = _usable(name, states)
        return self._declared[name]

    async def start_declared(self, server: DeclaredServer) -> list[str]:
        row = await _thread(partial(allow_declared, self._workspace, server))
        if row.kind == McpServer.Kind.LOCAL:
            try:
                await start_local(row, self._workspace, self._runtime)
            except ServerFailed as error:
                raise ToolError(NOT_STARTED.format(row.name, error)) from error
        else:
            await self._list_remote(row)
        return await _thread(partial(_tool_ids, row))

    async def search(self, query: str) -> list[ToolOffer]:
        offers = await _thread(partial(searched_tools, self._session, self._model, self._turn_person))
        found = await asyncio.to_thread(search, query, offers)
        if found:
            await _thread(partial(keep_found_tools, self._session.pk, [offer.name for offer in found]))
        return found

    async def resources(self) -> list[tuple[str, ServerResource]]:
        found = await _thread(partial(session_offerings, self._session, self._turn_person))
        return [(row.name, resource) for row, offerings in found for resource in offerings.resources]

    async def read_resource(self, server: str, uri: str) -> Mapping[str, Any]:
        rows = await _thread(partial(nearest_servers, ServerScope.of(self._workspace, self._person)))
        row = next((each for each in rows if each.name == server and each.enabled), None)
        if row is None:
            names_of_servers = ", ".join(each.name for each in rows if each.enabled) or "none"
            raise ToolError(f"There is no MCP server {server!r}. Servers: {names_of_servers}.")
        try:
            return await read_of_server(
                row, self._workspace, self._runtime, ask="resource", name=uri, person_id=self._person
            )
        except ReadFailed as error:
            raise ToolError(NOT_READ.format(row.name, error)) from error

    async def _list_remote(self, row: McpServer) -> None:
        try:
            person = await _thread(partial(person_for, self._call, self._workspace, row))
            reply = await ask_server(row, person_id=person)
        except AccountRefused as error:
            raise ToolError(NOT_STARTED.format(row.name, error)) from error
        except Unavailable as error:
            raise ToolError(NOT_STARTED.format(row.name, "could not be asked: no door answered in time")) from error
        if reply.sign_in:
            raise SignInNeeded(row, self._call, reply.problem)
        if reply.kind != "listed":
            raise ToolError(NOT_STARTED.format(row.name, reply.problem))


async def read_of_server(
    row: McpServer,
    workspace: Workspace,
    runtime: Runtime,
    *,
    ask: Literal["prompt", "completion", "resource"],
    name: str,
    arguments: Mapping[str, Any] | None = None,
    person_id: uuid.UUID | None = None,
) -> Mapping[str, Any]:
    """Request a prompt, suggestions for an argument of a prompt, or a resource by its address from an MCP server, and
    return the answer as JSON. `person_id` is the person whose account is used at a remote server where each person
    signs in. Raises ReadFailed, SandboxError."""
    if row.kind == McpServer.Kind.REMOTE:
        try:
            reply = await ask_server(row, person_id=person_id, tool=name, ask=ask, arguments=arguments)
        except Unavailable as error:
            raise ReadFailed("could not be asked: no door answered in time") from error
        if reply.kind != "answer":
            raise ReadFailed(reply.problem)
        return reply.answer
    try:
        running: LocalServer = await start_local(row, workspace, runtime)
        if ask == "prompt":
            return await running.get_prompt(name, arguments or {})
        if ask == "completion":
            return await running.complete_argument(name, arguments or {})
        return await running.read_resource(name)
    except (ServerFailed, CallFailed) as error:
        raise ReadFailed(str(error)) from error


class ReadFailed(Exception):
    """The server did not return the requested prompt or resource. The message is a predicate to which the name of the
    server is prepended."""


def _usable(name: str, states: list[DeclaredState]) -> DeclaredServer:
    """Return the server of this name that the repository declares, if it may be started. Raises ToolError."""
    found = next((each for each in states if each.server.name == name), None)
    can = [each for each in states if each.state in ("waiting", "allowed")]
    if found is None:
        raise ToolError(f"The files of this repository declare no MCP server {name!r}. Servers: {names(can)}.")
    if found not in can:
        raise ToolError(f"The MCP server {name!r} of {found.server.source} cannot be used. {found.problem}")
    return found.server


def _tool_ids(row: McpServer) -> list[str]:
    row.refresh_from_db(fields=["seen"])
    return sorted(named_tools(row, row.seen, reserved_names()))


async def start_local(row: McpServer, workspace: Workspace, runtime: Runtime) -> Any:
    """Return the running server of a workspace, started if necessary, and store its lists. Raises ServerFailed,
    SandboxError."""
    launch = await _thread(partial(launch_of, row, workspace))
    store = partial(store_seen, row, workspace)
    try:
        running = await servers_in(runtime).running(launch)
    except ServerFailed as error:
        masks = await _thread(partial(masks_of, workspace.project))
        await _thread(partial(store, Seen(McpServerState.Status.FAILED, masks.mask(f"It {error}."))))
        raise

    async def keep() -> None:
        tools, facts = list(running.tools.values()), running.facts.as_dict()
        await _thread(partial(store, Seen(McpServerState.Status.CONNECTED, "", facts, tools, running.offerings)))

    async def keep_change() -> None:
        with suppress(DatabaseError):  # the next call stores it
            await keep()

    running.on_change = keep_change
    await keep()
    return running


def launch_of(row: McpServer, workspace: Workspace) -> Launch:
    """Return the command of a server with its environment: the variables that commands of the project get, and the
    server's own.

    Variables of people are not included, because all members share the server. `{env:NAME}` in a value stands for a
    variable of the project or the team.
    """
    given = given_variables(team_id=workspace.project.team_id, project_id=workspace.project_id)
    _note_use(given, workspace)

    def filled(value: str) -> str:
        return VARIABLE.sub(lambda found: given.values.get(found[1], ""), value)

    environment = {**given.values, **{name: filled(value) for name, value in row.environment.items()}}
    return Launch(row.public_id, row.name, tuple(map(filled, row.command)), tuple(sorted(environment.items())))


def _note_use(given: GivenVariables, workspace: Workspace) -> None:
    if due := uses_to_note(given, workspace.pk):
        note_use(due, workspace.pk)


def refresh(workspace_id: uuid.UUID, *, node: str) -> None:
    """Start the local servers of a running workspace that have not listed tools with their present settings, and store
    their tools, so that the next step can offer them. Ask a door to list the tools of remote servers that were last
    asked more than an hour ago."""
    workspace = claim_workspace(workspace_id, node=node)
    if workspace is None or workspace.state != Workspace.State.RUNNING:
        return
    found = servers_of(ServerScope.of(workspace))
    due = [each.row for each in found if _is_due(each)]
    for row in due:
        if row.kind == McpServer.Kind.REMOTE:
            list_later(row)
    local = [row for row in due if row.kind == McpServer.Kind.LOCAL]
    if local:
        background.run(_start_all(local, workspace, this_node.runtime_of(workspace)))


def _is_due(found: FoundServer) -> bool:
    if found.state is None or found.state.of_version != found.row.version:
        return True
    is_remote = found.row.kind == McpServer.Kind.REMOTE
    return is_remote and found.state.checked_at < timezone.now() - REMOTE_INTERVAL


async def _start_all(rows: list[McpServer], workspace: Workspace, runtime: Runtime) -> None:
    results = await asyncio.gather(*(start_local(row, workspace, runtime) for row in rows), return_exceptions=True)
    for row, result in zip(rows, results, strict=True):
        if isinstance(result, BaseException):
            logger.info("mcp_server_not_started", server=row.public_id, error=str(result))


async def _thread(function: Callable[[], T]) -> T:
    return await sync_to_async(function, thread_sensitive=False)()
