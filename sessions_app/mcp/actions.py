"""Create, change and remove MCP servers, and accept the tools that they offer."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.door_encryption import DOOR
from agentsite.tenancy.models import User
from sessions_app.mcp.clients import check_sign_in, forget_accounts, forget_sign_ins, store_client
from sessions_app.mcp.places import ServerPlace, place_of
from sessions_app.mcp.remote import list_later
from sessions_app.mcp.rules import Kind, ServerSettings, check_name, check_settings
from sessions_app.models import McpSecret, McpServer, McpServerState, Workspace
from sessions_app.queueing import enqueue_mcp_refresh
from tools_app.mcp.definitions import ServerTool

MAX_SERVERS: Final = 50  # of the site, a team or a project
MAX_REFRESHED: Final = 20  # workspaces
_PLAIN: Final = ("description", "enabled", "url", "transport", "timeout_seconds", "sign_in", "client_id")


def create_server(*, actor: User, place: ServerPlace, name: str, kind: Kind, wanted: ServerSettings) -> McpServer:
    """Create an MCP server. Raises BadInput for settings that are not allowed, and Stale if the owner already has a
    server with this name."""
    place.require_edit(actor)
    check_name(name)
    check_settings(kind, wanted)
    if place.person is not None and kind == "local":
        raise BadInput(
            "Your own MCP servers cannot run in workspaces, which you share with others.",
            hint="Ask an admin to add it for the project or the team.",
            fields={"kind": "must be remote"},
        )
    check_sign_in(place, wanted)
    missing = "command" if kind == "local" else "url"
    if getattr(wanted, missing) is None:
        raise BadInput(f"A {kind} server needs a {missing}.", fields={missing: "required"})
    row = McpServer(
        place=place.key,
        team_id=None if place.project_id else place.team_id,
        project_id=place.project_id,
        person=place.person,
        name=name,
        kind=kind,
        changed_by=actor,
        changed_at=timezone.now(),
    )
    _apply(row, wanted)
    with _unique_name(name), sqlite_write_lock(), transaction.atomic():
        if McpServer.objects.filter(place=place.key).count() >= MAX_SERVERS:
            raise BadInput(f"At most {MAX_SERVERS} MCP servers can be set here.", hint="Remove a server first.")
        row.save(force_insert=True)
        _store_secrets(row, wanted)
        store_client(row, wanted)
        _audit(actor, place, row, "mcp_server.created")
        transaction.on_commit(partial(_refresh, row, place))
    return row


def change_server(
    *,
    actor: User,
    server: McpServer,
    wanted: ServerSettings,
    check_version: Callable[[McpServer], None] = lambda _row: None,
) -> McpServer:
    """Change settings of a server. In `wanted`, None keeps the stored value. `check_version` is called with the locked
    row.

    If the command or the address changes, the server has to list its tools again, and people have to accept them again.
    If the address or `sign_in` changes, the accounts at the server are removed.
    """
    place = place_of_server(actor, server)
    if server.workspace_id is not None:
        raise BadInput(
            f"This server is declared in {server.source}.",
            hint="Change the file. A person is asked again before the changed server is started.",
        )
    kind: Kind = "local" if server.kind == McpServer.Kind.LOCAL else "remote"
    check_settings(kind, wanted)
    check_sign_in(place, wanted)
    with sqlite_write_lock(), transaction.atomic():
        row = McpServer.objects.select_for_update().filter(pk=server.pk).first()
        if row is None:
            raise Missing("This MCP server no longer exists.")
        check_version(row)
        before, whose = (row.command, row.url), row.sign_in
        _require_secrets_again(row, wanted)
        _apply(row, wanted)
        _store_secrets(row, wanted)
        if (row.command, row.url) != before:
            row.accepted, row.seen = None, []
            McpServerState.objects.filter(server=row).delete()
            forget_sign_ins(row)
        elif row.sign_in != whose:
            forget_accounts(row)
        store_client(row, wanted)
        row.version, row.changed_by, row.changed_at = row.version + 1, actor, timezone.now()
        row.save()
        _audit(actor, place, row, "mcp_server.changed", changed=sorted(wanted.given()))
        transaction.on_commit(partial(_refresh, row, place))
    return row


def remove_server(*, actor: User, server: McpServer) -> None:
    """Delete an MCP server. The next step no longer offers its tools."""
    place = place_of_server(actor, server)
    with sqlite_write_lock(), transaction.atomic():
        if not McpServer.objects.filter(pk=server.pk).delete()[0]:
            raise Missing("This MCP server no longer exists.")
        _audit(actor, place, server, "mcp_server.removed")


def accept_tools(*, actor: User, server: McpServer, digests: Mapping[str, str]) -> McpServer:
    """Accept the tool definitions that the actor has read. `digests` has the digest of each by the name of the tool.

    Raises Stale if the server no longer offers one of the tools, or offers it with another definition.
    """
    place = place_of_server(actor, server)
    with sqlite_write_lock(), transaction.atomic():
        row = McpServer.objects.select_for_update().filter(pk=server.pk).first()
        if row is None:
            raise Missing("This MCP server no longer exists.")
        tools = {each["name"]: ServerTool.from_dict(each) for each in row.seen}
        for name, digest in digests.items():
            if name not in tools or tools[name].digest != digest:
                raise Stale(
                    f"The server now offers another definition of the tool '{name[:60]}'.",
                    code=ErrorCode.STALE_MCP_SERVER,
                    hint="Load the list of tools again, and read what has changed.",
                )
        row.accepted = {**(row.accepted or {}), **{name: tools[name].as_dict() for name in digests}}
        row.save(update_fields=["accepted"])
        _audit(actor, place, row, "mcp_server.tools_accepted", tools=dict(sorted(digests.items())[:100]))
    return row


def _refresh(row: McpServer, place: ServerPlace) -> None:
    """Request that the tools of an MCP server are listed again. For a local server, the most recently used running
    workspaces do this now, the others when they start."""
    if not row.enabled:
        return
    if row.kind == McpServer.Kind.REMOTE:
        list_later(row)
        return
    rows = Workspace.objects.filter(state=Workspace.State.RUNNING).exclude(node="")
    if place.project_id is not None:
        rows = rows.filter(project=place.project_id)
    elif place.team_id is not None:
        rows = rows.filter(project__team=place.team_id)
    for key, node in rows.order_by("-last_used_at").values_list("pk", "node")[:MAX_REFRESHED]:
        enqueue_mcp_refresh(key, node=node)


def place_of_server(actor: User, server: McpServer) -> ServerPlace:
    """Return the owner of an MCP server. Raises NotAllowed if the actor may not change the server."""
    place = place_of(server)
    place.require_edit(actor)
    return place


def _apply(row: McpServer, wanted: ServerSettings) -> None:
    for name in _PLAIN:
        if (value := getattr(wanted, name)) is not None:
            setattr(row, name, value)
    if wanted.command is not None:
        row.command = list(wanted.command)
    if wanted.environment is not None:
        row.environment = dict(wanted.environment)
    if wanted.headers is not None:
        row.headers = dict(wanted.headers)
    if wanted.secret_headers is not None:
        row.secret_headers = sorted(wanted.secret_headers)
    both = {name.lower() for name in row.headers} & {name.lower() for name in row.secret_headers}
    if both:
        raise BadInput(f"The header {min(both)} is set twice.", fields={"secret_headers": "already among the headers"})


def _store_secrets(row: McpServer, wanted: ServerSettings) -> None:
    """Encrypt and store the secret headers that have a value in `wanted`. Stored headers that `wanted` lists without a
    value are kept, all other stored headers are deleted."""
    if wanted.secret_headers is None:
        return
    stored = set(McpSecret.objects.filter(server=row).values_list("name", flat=True))
    for name, value in wanted.secret_headers.items():
        if value is None and name not in stored:
            problem = f"the value of {name[:60]} is missing"
            raise BadInput(f"A secret header needs a value: {problem}.", fields={"secret_headers": problem})
    McpSecret.objects.filter(server=row).exclude(name__in=wanted.secret_headers).delete()
    for name, value in wanted.secret_headers.items():
        if value is not None:
            McpSecret.objects.update_or_create(server=row, name=name, defaults={"sealed": DOOR.seal(value)})


def _require_secrets_again(row: McpServer, wanted: ServerSettings) -> None:
    """Raise BadInput if a stored secret header would be sent to another host than the one for which it was entered."""
    is_moved = wanted.url is not None and _origin(wanted.url) != _origin(row.url)
    keeps = wanted.secret_headers is None or None in wanted.secret_headers.values()
    if is_moved and row.secret_headers and keeps:
        raise BadInput(
            "A server at another address needs its secret headers again.",
            hint="Enter the values of the secret headers, or remove them.",
            fields={"secret_headers": "enter the values again"},
        )


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3]).lower()


@contextmanager
def _unique_name(name: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise Stale(
            f"There is already an MCP server '{name}' here.",
            code=ErrorCode.MCP_SERVER_EXISTS,
            fields={"name": "already used here"},
        ) from None


def _audit(actor: User, place: ServerPlace, row: McpServer, action: str, **data: Any) -> None:
    """Record a change of an MCP server in the audit log, without values of environment variables and headers."""
    where = {"command": row.command[:20]} if row.kind == McpServer.Kind.LOCAL else {"url": row.url}
    audit.record(
        team_id=place.team_id,
        actor=actor,
        action=action,
        subject=row.public_id,
        data={
            "place": place.key,
            "name": row.name,
            "kind": row.kind,
            "enabled": row.enabled,
            **where,
            "variables": sorted(row.environment),
            "headers": sorted([*row.headers, *row.secret_headers]),
            **data,
        },
        project_id=place.project_id,
    )
