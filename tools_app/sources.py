"""Sources of tools: the built-in tools are one source; projects, plugins and MCP servers can be others.

A source returns its tools for a scope (team, project and workspace), from memory or the database. It is called at every
step of a turn, so it must not use the network. Its tools are checked here: a tool is skipped and logged if providers do
not accept its name, or if an earlier source has a tool of that name. If a source raises an exception, it is logged and
the turn goes on without its tools.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog

from tools_app.spec import Tool

# Names that every provider accepts: OpenAI allows 64 characters, Gemini requires a letter or an underscore first.
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolScope:
    """The team, project and workspace whose tools are meant, by public ids. All empty: the site's own tools."""

    team_id: str = ""
    project_id: str = ""
    workspace_id: str = ""


class ToolSource(Protocol):
    """A source of tools. `name` is shown to people as the origin of a tool ("built-in", "mcp github")."""

    @property
    def name(self) -> str: ...

    def tools(self, scope: ToolScope) -> Iterable[Tool[Any]]: ...


@dataclass(frozen=True, slots=True)
class Sourced:
    """A tool and the name of its source."""

    tool: Tool[Any]
    source: str


_added_sources: list[ToolSource] = []


def add_source(source: ToolSource) -> Callable[[], None]:
    """Add a source to every catalogue from now on. Returns a function that removes it again.

    Call it when the process starts. If two sources have a tool of the same name, the source added first wins.
    """
    _added_sources.append(source)
    return lambda: _added_sources.remove(source)


def sources() -> tuple[ToolSource, ...]:
    """Return the added sources in order. The built-in tools, which come before all of them, are not included."""
    return tuple(_added_sources)


def tools_of(source: ToolSource, scope: ToolScope, taken: Iterable[str]) -> Iterator[Sourced]:
    """Yield the usable tools of a source; `taken` are the names that are already in use."""
    known = {name.lower() for name in taken}
    for tool in _load_tools(source, scope):
        if not NAME.fullmatch(tool.id):
            logger.warning("tool_left_out", source=source.name, tool=tool.id[:100], reason="name")
        elif tool.id.lower() in known:
            logger.warning("tool_left_out", source=source.name, tool=tool.id, reason="taken")
        else:
            known.add(tool.id.lower())
            yield Sourced(tool, source.name)


def _load_tools(source: ToolSource, scope: ToolScope) -> tuple[Tool[Any], ...]:
    try:
        return tuple(source.tools(scope))
    except Exception as error:  # a failing source must not affect the tools of the others
        logger.error("tool_source_failed", source=source.name, exc_info=error)
        return ()
