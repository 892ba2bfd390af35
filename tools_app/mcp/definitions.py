"""The tools of an MCP server as the site stores them: checked definitions, their digests, and the names that models
see. Pure.

Everything here comes from the server and is not trusted. A definition that cannot be used stays in the list with its
`problem`, so that people see why a tool is missing.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tools_app.external_schema import BadSchema, validated_schema
from tools_app.text import clean, clean_value

MAX_TOOLS: Final = 300  # of one server
MAX_NAME_CHARACTERS: Final = 200  # of a tool, as the server writes it
MAX_TITLE_CHARACTERS: Final = 200
MAX_DESCRIPTION_CHARACTERS: Final = 8_000
MAX_ID_CHARACTERS: Final = 64  # of a tool, as models see it
DIGEST_CHARACTERS: Final = 16
SERVER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
"""Statements of servers about their tools. They are shown to people, and decide nothing."""

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")
_NO_ARGUMENTS: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class ServerTool:
    """A tool of an MCP server. `schema` is checked and contains no references; `problem` says why the tool cannot be
    used."""

    name: str
    title: str = ""
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: dict(_NO_ARGUMENTS))
    hints: Mapping[str, bool] = field(default_factory=dict)
    problem: str = ""

    @property
    def digest(self) -> str:
        """A hash of the definition that models and people see."""
        text = json.dumps([self.name, self.title, self.description, self.schema, self.hints], sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ServerTool":
        return cls(**data)


def read_tools(raw: Iterable[Any]) -> list[ServerTool]:
    """Return the tools in a server's answers to `tools/list`, sorted by name, without duplicates."""
    found: dict[str, ServerTool] = {}
    for item in raw:
        tool = _read_tool(item)
        if tool is not None and tool.name not in found:
            found[tool.name] = tool
        if len(found) == MAX_TOOLS:
            break
    return [found[name] for name in sorted(found)]


def _read_tool(item: Any) -> ServerTool | None:
    name = item.get("name") if isinstance(item, Mapping) else None
    if not isinstance(name, str) or not name or len(name) > MAX_NAME_CHARACTERS:
        return None
    notes = item.get("annotations")
    notes = notes if isinstance(notes, Mapping) else {}
    title = _text(item.get("title"), MAX_TITLE_CHARACTERS) or _text(notes.get("title"), MAX_TITLE_CHARACTERS)
    schema, problem = _schema(item.get("inputSchema"))
    description = _text(item.get("description"), None)
    if len(description) > MAX_DESCRIPTION_CHARACTERS:
        problem = f"Its description has more than {MAX_DESCRIPTION_CHARACTERS:,} characters."
    return ServerTool(
        name=clean(name),
        title=title,
        description=description[:MAX_DESCRIPTION_CHARACTERS],
        schema=schema,
        hints={hint: notes[hint] for hint in HINTS if isinstance(notes.get(hint), bool)},
        problem=problem,
    )


def _schema(raw: Any) -> tuple[Mapping[str, Any], str]:
    try:
        return clean_value(validated_schema({"type": "object"} if raw is None else raw)), ""
    except BadSchema as error:
        return dict(_NO_ARGUMENTS), f"Its schema cannot be used: {error}"


def _text(value: Any, longest: int | None) -> str:
    return clean(value)[:longest] if isinstance(value, str) else ""


def tool_ids(server: str, tools: Sequence[ServerTool], taken: Iterable[str]) -> dict[str, str]:
    """Return the id of each tool by its name at the server. The id is `server_tool` without characters that are not
    allowed.

    It is also the name of the tool's permission. An id that is too long, is in `taken`, or already belongs to another
    tool ends with a hash of the name instead. So a server called `bash` with a tool `output` cannot replace the tool
    `bash_output`.
    """
    used = {name.lower() for name in taken}
    found: dict[str, str] = {}
    for tool in tools:
        wanted = f"{server}_{_UNSAFE.sub('_', tool.name)}"
        if len(wanted) > MAX_ID_CHARACTERS or wanted.lower() in used:
            mark = hashlib.sha256(tool.name.encode()).hexdigest()[:8]
            wanted = f"{wanted[: MAX_ID_CHARACTERS - len(mark) - 1]}_{mark}"
        if wanted.lower() not in used:
            used.add(wanted.lower())
            found[tool.name] = wanted
    return found


def changes(tool: ServerTool, accepted: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the differences between a tool and the definition that people accepted: {before, after} of each changed
    field; empty if nothing differs. `before` is empty for a tool that is new."""
    before = ServerTool.from_dict(accepted) if accepted else ServerTool("", schema={})
    if accepted and before.digest == tool.digest:
        return {}
    fields = ("title", "description", "schema", "hints")
    return {
        name: {"before": getattr(before, name), "after": getattr(tool, name)}
        for name in fields
        if getattr(before, name) != getattr(tool, name)
    }


def as_text(value: Any) -> str:
    """Return a field of a tool's definition as text that people can compare."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
