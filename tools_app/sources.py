"""Where tools come from. The built-in ones are one source; a project's own, plugins' and MCP servers' are others.

A source answers for a scope (which team, project and workspace), from what it has in memory or in the database: it is
asked at every step, so it must not go out to the network. What it answers is checked here: a name that providers do
not take, or that another source gave before it, is left out and logged. A source that fails offers nothing and breaks
nobody's turn.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import structlog

from tools_app.spec import Tool

# What every provider takes: OpenAI allows 64 characters, Gemini wants a letter or an underscore first.
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolScope:
    """Whose tools are meant, by public ids; "" where there is none: the site's own."""

    team_id: str = ""
    project_id: str = ""
    workspace_id: str = ""


class ToolSource(Protocol):
    """`name` is what people read about where a tool comes from ("built-in", "mcp github")."""

    @property
    def name(self) -> str: ...

    def tools(self, scope: ToolScope) -> Iterable[Tool[Any]]: ...


@dataclass(frozen=True, slots=True)
class Sourced:
    """A tool and where it is from."""

    tool: Tool[Any]
    source: str


_outside: list[ToolSource] = []


def add_source(source: ToolSource) -> Callable[[], None]:
    """Have its tools in every catalogue from now on. Returns what takes them out again. Call it when the process
    starts: sources that were added first win where two give the same name."""
    _outside.append(source)
    return lambda: _outside.remove(source)


def sources() -> tuple[ToolSource, ...]:
    """In their order, without the built-in one, which stands before all."""
    return tuple(_outside)


def tools_of(source: ToolSource, scope: ToolScope, taken: Iterable[str]) -> Iterator[Sourced]:
    """The usable tools of a source; `taken` are names that are given away already."""
    known = {name.lower() for name in taken}
    for tool in _asked(source, scope):
        if not NAME.fullmatch(tool.id):
            logger.warning("tool_left_out", source=source.name, tool=tool.id[:100], reason="name")
        elif tool.id.lower() in known:
            logger.warning("tool_left_out", source=source.name, tool=tool.id, reason="taken")
        else:
            known.add(tool.id.lower())
            yield Sourced(tool, source.name)


def _asked(source: ToolSource, scope: ToolScope) -> tuple[Tool[Any], ...]:
    try:
        return tuple(source.tools(scope))
    except Exception as error:  # not ours, and the others' tools must go on
        logger.error("tool_source_failed", source=source.name, exc_info=error)
        return ()
