"""Store the result of asking an MCP server for its tools: the tools, the server's description of itself, and its
problem."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.models import McpServer, McpServerState, Workspace
from tools_app.mcp.definitions import ServerTool
from tools_app.mcp.offerings import Offerings
from tools_app.text import clean

CHECKED_EVERY: Final = timedelta(minutes=5)
"""The interval at which `checked_at` is updated for a server that has not changed. It is not shorter, because each
change of a row makes sessions derive their tools again."""
MAX_PROBLEM_CHARACTERS: Final = 1_500


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of asking an MCP server for its tools. `tools` is None if the server does not work, `offerings` is
    None if the server was not asked for prompts and resources."""

    status: str
    problem: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    tools: Sequence[ServerTool] | None = None
    offerings: Offerings | None = None


def store_seen(server: McpServer, workspace: Workspace | None, seen: Seen) -> None:
    """Store the state of an MCP server in a workspace, or of a remote server (without a workspace), for the settings
    that `server` has.

    The first list of tools counts as accepted, because a person added the server. A server that does not work keeps the
    tools that it listed last.
    """
    place: dict[str, Any] = {"server": server, "workspace": workspace}
    before = McpServerState.objects.filter(**place).first()
    tools = None if seen.tools is None else [tool.as_dict() for tool in seen.tools]
    news = {
        "status": seen.status,
        "problem": clean(seen.problem)[:MAX_PROBLEM_CHARACTERS],
        "facts": dict(seen.facts) if seen.facts or before is None else before.facts,
        "tools": (before.tools if before else []) if tools is None else tools,
        "offerings": _kept(before, seen.offerings),
        "of_version": server.version,
    }
    now = timezone.now()
    is_same = before is not None and all(getattr(before, name) == value for name, value in news.items())
    if before is not None and is_same and before.checked_at > now - CHECKED_EVERY:
        return
    person = server.person_id if workspace is None else None
    team = None if workspace is not None else server.team_id or (server.project.team_id if server.project else None)
    try:
        with sqlite_write_lock(), transaction.atomic():
            McpServerState.objects.update_or_create(
                **place, defaults={**news, "team_id": team, "person_id": person, "checked_at": now}
            )
            if tools is not None:
                _store_tools(server, tools)
    except IntegrityError:  # removed, or stored by another process, meanwhile
        return


def _kept(before: McpServerState | None, offerings: Offerings | None) -> dict[str, Any]:
    """Return the prompts and resources to store for an MCP server: `offerings`, or the stored ones if `offerings` is
    None because they were not requested."""
    if offerings is not None:
        stored: dict[str, Any] = json.loads(json.dumps(offerings.as_dict()))
        return stored
    return before.offerings if before else {}


def _store_tools(server: McpServer, tools: list[dict[str, Any]]) -> None:
    rows = McpServer.objects.filter(pk=server.pk, version=server.version)
    stored = rows.values_list("seen", "accepted").first()
    if stored is None:  # its settings were changed: what was seen is of another server
        return
    if stored[1] is None:
        rows.update(seen=tools, accepted={tool["name"]: tool for tool in tools})
    elif stored[0] != tools:
        rows.update(seen=tools)
