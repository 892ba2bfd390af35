"""Check the MCP servers that a workspace's repository declares, and store that a person has allowed one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.mcp.clients import forget_sign_ins
from sessions_app.mcp.rules import Kind, ServerSettings, check_settings
from sessions_app.models import McpServer, McpServerState, Workspace
from sessions_app.server_tools import REFUSED_HOST, ServerScope, declared_by, host_of, nearest_servers
from tools_app.mcp.declared import FILES, DeclaredServer, chosen, read_declarations
from tools_app.policies.current import current_policies

State = Literal["waiting", "allowed", "overridden", "refused", "unusable"]
OVERRIDDEN: Final = "A server with this name was added for the project, the team or the site, and is used instead."


@dataclass(frozen=True, slots=True)
class DeclaredState:
    """A server that a repository declares, with its `state`. If it is `allowed`, `row` was stored when a person allowed
    it; otherwise `problem` says why it is not used."""

    server: DeclaredServer
    state: State
    row: McpServer | None = None
    problem: str = ""


def declared_in(contents: Mapping[str, bytes | str]) -> list[DeclaredServer]:
    """Return the servers that files of a repository declare.

    `contents` has, by path, the content of a file, or a sentence that says why it could not be read.
    """
    found: list[DeclaredServer] = []
    for path in FILES:
        content = contents.get(path)
        if isinstance(content, bytes):
            found += read_declarations(path, content)
        elif content is not None and path.endswith("mcp.json"):
            found.append(DeclaredServer("", path, problem=content))
    return found


def as_stored(found: Sequence[DeclaredServer]) -> list[dict[str, Any]]:
    """Check declared servers, and return them as JSON for the workspace's row. A server whose name was declared before
    gets a problem, and servers beyond the limit are left out."""
    return [_checked(each).as_dict() for each in chosen(found)]


def _checked(server: DeclaredServer) -> DeclaredServer:
    if server.problem:
        return server
    try:
        check_settings(_kind(server), _settings(server))
    except BadInput as error:
        return replace(server, problem=error.message)
    return server


def _kind(server: DeclaredServer) -> Kind:
    return "remote" if server.kind == "remote" else "local"


def _settings(server: DeclaredServer) -> ServerSettings:
    if server.kind == "remote":
        return ServerSettings(url=server.url, headers=server.headers, timeout_seconds=server.timeout_seconds)
    return ServerSettings(
        command=server.command, environment=server.environment, timeout_seconds=server.timeout_seconds
    )


def states_of(workspace: Workspace) -> list[DeclaredState]:
    """Return the servers that the workspace's repository declares, each with its state. Reads `workspace.project`."""
    found = declared_by(workspace)
    if not found:
        return []
    counting = {row.name.lower(): row for row in nearest_servers(ServerScope.of(workspace))}
    policies = current_policies(team_id=workspace.project.team_id, project_id=workspace.project_id)

    def state(server: DeclaredServer) -> DeclaredState:
        row = counting.get(server.name.lower())
        if server.problem:
            return DeclaredState(server, "unusable", problem=server.problem)
        if row is not None and row.workspace_id is None:
            return DeclaredState(server, "overridden", problem=OVERRIDDEN)
        if row is not None:
            return DeclaredState(server, "allowed", row)
        if server.kind == "remote" and not policies.allows_mcp_host(host_of(server.url)):
            return DeclaredState(server, "refused", problem=REFUSED_HOST.format(host_of(server.url)))
        return DeclaredState(server, "waiting")

    return [state(each) for each in found]


def allow_declared(workspace: Workspace, server: DeclaredServer) -> McpServer:
    """Store that a person allowed this exact declaration of a server in a workspace. Allowing it again changes nothing.
    Tools and resources that were listed for an earlier declaration of this name are deleted."""
    place = {"place": workspace.public_id, "name": server.name}
    with sqlite_write_lock(), transaction.atomic():
        row = McpServer.objects.select_for_update().filter(**place).first()
        if row is not None and row.digest == server.digest:
            return row
        if row is not None and row.url != server.url:
            forget_sign_ins(row)
        row = row or McpServer(**place, project=workspace.project, workspace=workspace, changed_at=timezone.now())
        _copy(server, row)
        McpServerState.objects.filter(server=row).delete()
        row.version, row.changed_at = row.version + 1, timezone.now()
        row.save()
    return row


def _copy(server: DeclaredServer, row: McpServer) -> None:
    row.kind, row.source, row.digest = server.kind, server.source, server.digest
    row.command, row.environment = list(server.command), dict(server.environment)
    row.url, row.transport, row.headers = server.url, server.transport, dict(server.headers)
    row.timeout_seconds, row.accepted, row.seen = server.timeout_seconds, None, []


def names(states: Sequence[DeclaredState]) -> str:
    """Return the names of servers as one text for people and models."""
    return ", ".join(f"{each.server.name} ({each.server.source})" for each in states) or "none"
