"""The tools of a session's MCP servers."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from django.db.models import Q

from agentsite.tenancy.base import SITE_PLACE
from sessions_app.models import McpServer, McpServerState, Session, Workspace
from sessions_app.revisions import TurnPerson, per_revision
from tools_app.mcp.calling import KnownServer
from tools_app.mcp.declared import DeclaredServer
from tools_app.mcp.definitions import ServerTool, tool_ids
from tools_app.mcp.offerings import Offerings
from tools_app.mcp.tool import McpTool
from tools_app.policies.current import current_policies
from tools_app.registry import Sourced, reserved_names

REFUSED_HOST: Final = "No policy allows MCP servers of repositories at the host {}."


@dataclass(frozen=True, slots=True)
class ServerScope:
    """The owners whose MCP servers are used: a team (and the site), a project, a person, and a workspace's repository.
    `declared` has the digests of the repository's declarations by server name; a server of the repository is used only
    if its digest is still the one that a person allowed."""

    team_id: uuid.UUID
    project_id: uuid.UUID | None = None
    workspace_id: uuid.UUID | None = None
    person_id: uuid.UUID | None = None
    declared: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Workspace, person_id: uuid.UUID | None = None) -> "ServerScope":
        """Return the scope of the MCP servers that a workspace, and a person in it, can use. Reads
        `workspace.project`."""
        declared = {each.name: each.digest for each in declared_by(workspace) if not each.problem}
        return cls(workspace.project.team_id, workspace.project_id, workspace.pk, person_id, declared)

    def counts(self, row: McpServer) -> bool:
        return row.workspace_id is None or self.declared.get(row.name) == row.digest


@dataclass(frozen=True, slots=True)
class FoundServer:
    """An MCP server of a project with its last recorded state. For a local server, this is the state in one workspace.
    The state is None if the server was never reached."""

    row: McpServer
    state: McpServerState | None

    @property
    def definitions(self) -> Sequence[Mapping[str, Any]]:
        """The tool definitions that the server listed last in this workspace, or else in any other workspace."""
        tools: Sequence[Mapping[str, Any]] = self.state.tools if self.state and self.state.tools else self.row.seen
        return tools


@per_revision
def session_server_tools(session: Session, person: TurnPerson | None = None) -> tuple[Sourced, ...]:
    """Return the tools of a session's MCP servers, including a person's own servers. Reads `session.project` and
    `session.workspace`.

    This runs two database statements after each change of the session's configuration, and none otherwise. The person's
    own servers, and remote servers of a repository, need one more.
    """
    return tuple(tools_of_servers(session_servers(session, person)))


@per_revision
def session_servers(session: Session, person: TurnPerson | None = None) -> tuple[FoundServer, ...]:
    """Return the enabled servers of a session. Reads `session.project` and `session.workspace`."""
    session.workspace.project = session.project
    return tuple(servers_of(ServerScope.of(session.workspace, person.id if person else None)))


@per_revision
def session_offerings(session: Session, person: TurnPerson | None = None) -> tuple[tuple[McpServer, Offerings], ...]:
    """Return the prompts and resources of a session's MCP servers. After a call of `session_servers`, this runs no
    database statement."""
    found = session_servers(session, person)
    return tuple((each.row, Offerings.from_dict(each.state.offerings)) for each in found if each.state)


def servers_of(scope: ServerScope) -> list[FoundServer]:
    """Return the enabled servers of a scope, sorted by name, with their states."""
    rows = [row for row in nearest_servers(scope) if row.enabled]
    states = McpServerState.objects.filter(Q(workspace=None) | Q(workspace=scope.workspace_id), server__in=rows)
    by_server = {state.server_id: state for state in states} if rows else {}
    return [FoundServer(row, by_server.get(row.pk)) for row in rows]


def nearest_servers(scope: ServerScope) -> list[McpServer]:
    """Return the servers of a scope, enabled or not, one for each name: the project's, else the team's, the site's, the
    person's, or the repository's. Servers that the policies do not allow are left out."""
    places = Q(place=SITE_PLACE) | Q(team=scope.team_id)
    if scope.project_id is not None:
        places |= Q(project=scope.project_id, workspace=None)
    if scope.workspace_id is not None and scope.declared:
        places |= Q(workspace=scope.workspace_id)
    if scope.person_id is not None:
        places |= Q(person=scope.person_id)
    found = [row for row in McpServer.objects.filter(places) if scope.counts(row)]
    nearest = {row.name.lower(): row for row in sorted(_allowed(found, scope), key=_nearness)}
    return [nearest[name] for name in sorted(nearest)]


def _nearness(row: McpServer) -> int:
    if row.workspace_id is not None:
        return 0
    if row.person_id is not None:
        return 1
    return 4 if row.project_id is not None else 3 if row.team_id is not None else 2


def _allowed(rows: Sequence[McpServer], scope: ServerScope) -> list[McpServer]:
    """Return the servers that the policies allow. Servers that admins added are always allowed."""
    if not any(row.person_id or row.workspace_id for row in rows):
        return list(rows)
    policies = current_policies(team_id=scope.team_id, project_id=scope.project_id)

    def is_allowed(row: McpServer) -> bool:
        if row.workspace_id is not None:
            return row.kind == McpServer.Kind.LOCAL or policies.allows_mcp_host(host_of(row.url))
        return row.person_id is None or policies.own_mcp_servers

    return [row for row in rows if is_allowed(row)]


def host_of(url: str) -> str:
    return (urlsplit(url).hostname or "").lower()


def declared_by(workspace: Workspace) -> list[DeclaredServer]:
    """Return the servers that a workspace's files declare, usable or not."""
    return [DeclaredServer.from_dict(each) for each in workspace.declared_servers]


@per_revision
def waiting_servers(session: Session) -> tuple[str, ...]:
    """Return the names of the servers that the repository declares and that nobody has allowed yet. Reads
    `session.project` and `session.workspace`. This runs one database statement after each change of the configuration,
    and none if no file declares a server."""
    found = declared_by(session.workspace)
    if all(each.problem for each in found):
        return ()
    session.workspace.project = session.project
    scope = ServerScope.of(session.workspace)
    taken = {row.name.lower() for row in nearest_servers(scope)}
    waiting = [each for each in found if not each.problem and each.name.lower() not in taken]
    if any(each.kind == "remote" for each in waiting):
        policies = current_policies(team_id=scope.team_id, project_id=scope.project_id)
        waiting = [each for each in waiting if each.kind == "local" or policies.allows_mcp_host(host_of(each.url))]
    return tuple(each.name for each in waiting)


def tools_of_servers(servers: Iterable[FoundServer]) -> list[Sourced]:
    """Return the usable tools of servers. Tools whose name belongs to a tool or permission of the site, or to another
    tool, are left out."""
    taken = set(reserved_names())
    found: list[Sourced] = []
    for server in servers:
        for tool_id, tool in named_tools(server.row, server.definitions, taken).items():
            if not tool.problem:
                found.append(
                    Sourced(
                        McpTool(tool_id, known(server.row), tool, accepted_of(server.row, tool)), source_of(server.row)
                    )
                )
            taken.add(tool_id.lower())
    return found


def named_tools(
    row: McpServer, definitions: Sequence[Mapping[str, Any]], taken: Iterable[str]
) -> dict[str, ServerTool]:
    """Return the tools of a server by the ids under which models see them. If an id is in `taken`, a hash makes it
    unique."""
    tools = [ServerTool.from_dict(each) for each in definitions]
    ids = tool_ids(row.name, tools, taken)
    return {ids[tool.name]: tool for tool in tools if tool.name in ids}


def accepted_of(row: McpServer, tool: ServerTool) -> Mapping[str, Any] | None:
    """Return the definition that people accepted for a tool; None if they accepted none. Until the server's first list
    of tools is stored, every definition is accepted."""
    if row.accepted is None:
        return tool.as_dict()
    found: Mapping[str, Any] | None = row.accepted.get(tool.name)
    return found


def known(row: McpServer) -> KnownServer:
    return KnownServer(row.public_id, row.name, row.kind, float(row.timeout_seconds))


def source_of(row: McpServer) -> str:
    """Return the text that tells people which server a tool comes from."""
    return f"MCP server {row.name}"
