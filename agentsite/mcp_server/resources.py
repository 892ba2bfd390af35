"""The resources of the MCP server: sessions, their messages, changes and files. Each is read with a REST operation that
is also a tool of the server."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from tools_app.mcp.served import ServedResource

SCHEME: Final = "agentsite"
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class SiteTemplate:
    """An MCP resource template.

    `operation` reads a resource, with the variables of its address as arguments. `text_field` is the field of the
    answer that is returned as the content; if it is empty, the whole answer is returned as JSON.
    """

    pattern: re.Pattern[str]
    operation: str
    shown: ServedResource
    text_field: str = ""


def _template(
    path: str, pattern: str, operation: str, title: str, description: str, *, media_type: str = _JSON, text: str = ""
) -> SiteTemplate:
    shown = ServedResource(f"{SCHEME}://sessions/{path}", operation, title, description, media_type)
    return SiteTemplate(re.compile(rf"{SCHEME}://sessions/{pattern}"), operation, shown, text)


_ID: Final = r"(?P<session_id>[^/?#]+)"
TEMPLATES: Final = (
    _template("{session_id}", _ID, "get_session", "Session", "A session: its state, agent, model and cost."),
    _template(
        "{session_id}/messages",
        rf"{_ID}/messages",
        "list_messages",
        "Messages of a session",
        "The newest messages of a session with their texts and tool calls.",
    ),
    _template(
        "{session_id}/diff",
        rf"{_ID}/diff",
        "get_session_diff",
        "Changes of a session",
        "What changed in the workspace since the session's first tool call, as patches.",
    ),
    _template(
        "{session_id}/files/{+path}",
        rf"{_ID}/files/(?P<path>[^?#]+)",
        "read_file",
        "File of a session's workspace",
        "The first 2,000 lines of a text file in the workspace of a session.",
        media_type="text/plain",
        text="text",
    ),
)


def find_template(uri: str) -> tuple[SiteTemplate, dict[str, str]] | None:
    """Return the template that a resource's address matches, and the values of the template's variables; None if none
    matches."""
    for template in TEMPLATES:
        if found := template.pattern.fullmatch(uri):
            return template, {name: unquote(value) for name, value in found.groupdict().items()}
    return None


def session_resource(session: Mapping[str, Any]) -> ServedResource:
    """Return the resource of a session, from its view in the REST API."""
    return ServedResource(
        f"{SCHEME}://sessions/{quote(session['id'], safe='')}",
        session["id"],
        session["title"] or "Session without a title",
        f"A session of the agent '{session['agent']}'.",
        _JSON,
    )
