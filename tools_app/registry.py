"""The catalogue of tools, and the sources that they come from.

The built-in tools are one source: every Tool class in a module of `builtin/` is registered automatically. Projects,
plugins and MCP servers can be others. A source returns its tools for a scope (team, project and workspace), from memory
or the database. It is called at every step of a turn, so it must not use the network. Its tools are checked here: a
tool is skipped and logged if providers do not accept its name, or if an earlier source has a tool of that name. If a
source raises an exception, it is logged, and the turn continues without its tools.

Which tools are offered to a model depends on the session: on its agent, the model's family, the current rules, and the
tool sources of its scope.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Final, Protocol

import structlog

from tools_app import builtin
from tools_app.hooks import define
from tools_app.model_families import adapt_schema, is_tool_for
from tools_app.permission.engine import hidden_tools
from tools_app.permission.model import Layer
from tools_app.spec import OfferContext, Tool, ToolOffer

# Names that every provider accepts: OpenAI allows 64 characters, Gemini requires a letter or an underscore first.
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
BUILT_IN: Final = "built-in"
PERMISSIONS_WITHOUT_TOOL: Final = frozenset(
    {
        "external_directory",
        "egress",
        "doom_loop",
        "git_push",
        "changed_tool",
        "mcp_server",
        "mcp_account",
        "webfetch",
        "setup",
    }
)
"""Permissions that belong to no tool of their name, or to tools that a site may not have."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ToolScope:
    """The public ids of the team, project and workspace whose tools are looked up.

    If all are empty, only the site's own tools are found.
    """

    team_id: str = ""
    project_id: str = ""
    workspace_id: str = ""


class ToolSource(Protocol):
    """A source of tools. `name` is shown to people as the origin of the source's tools ("built-in", "mcp github")."""

    @property
    def name(self) -> str: ...

    def tools(self, scope: ToolScope) -> Iterable[Tool[Any]]: ...


@dataclass(frozen=True, slots=True)
class Sourced:
    """A tool, with the name of the source that provides it, such as an MCP server."""

    tool: Tool[Any]
    source: str


_added_sources: list[ToolSource] = []


def add_source(source: ToolSource) -> Callable[[], None]:
    """Add a source to every catalogue made later. Returns a function that removes the source.

    Call it when the process starts. If two sources have a tool of the same name, the source added first wins.
    """
    _added_sources.append(source)
    return lambda: _added_sources.remove(source)


def sources() -> tuple[ToolSource, ...]:
    """Return the added sources in order. The built-in tools, which come before all of them, are not included."""
    return tuple(_added_sources)


def tools_of(source: ToolSource, scope: ToolScope, taken: Iterable[str]) -> Iterator[Sourced]:
    """Yield the tools of a source that can be used. Tools with an invalid name, or a name in `taken`, are left out and
    logged."""
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


SITE: Final = ToolScope()


class Catalogue(Mapping[str, Tool[Any]]):
    """All tools of a scope by id, sorted by id."""

    def __init__(self, tools: Sequence[Sourced]) -> None:
        self._tools = {each.tool.id: each for each in sorted(tools, key=lambda each: each.tool.id)}
        self._by_lower_name = {name.lower(): name for name in reversed(self._tools)}
        self._by_lower_name |= {alias: name for name, each in self._tools.items() for alias in each.tool.aliases}

    def __getitem__(self, tool_id: str) -> Tool[Any]:
        return self._tools[tool_id].tool

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def find(self, name: str) -> Tool[Any] | None:
        """Return the tool with this name, tried as given, in lower case, and as an alias; None if there is none."""
        return self.get(name) or self.get(self._by_lower_name.get(name.lower(), ""))

    def source_of(self, tool_id: str) -> str:
        """Return the name of the source of a tool, such as "built-in"."""
        return self._tools[tool_id].source

    def known_to(self, offer: OfferContext) -> list[Tool[Any]]:
        """Return the tools that the model of `offer` can use, including tools that the rules hide from it."""
        family = offer.model.family
        return [tool for tool in self.values() if tool.is_offered(offer) and is_tool_for(tool.id, family)]

    def offered(
        self, preferences: Sequence[Layer], limits: Sequence[Layer] = (), offer: OfferContext | None = None
    ) -> tuple[ToolOffer, ...]:
        """Return the tools that a model is offered if its agent has these preferences and limits; tools that the rules
        hide are left out."""
        offer = offer or OfferContext()
        candidates = self.known_to(offer)
        permissions = tuple((tool.id, tool.permission) for tool in candidates if tool.permission)
        hidden = _hidden(permissions, tuple(preferences), tuple(limits))
        return tuple(offer_of(tool, offer) for tool in candidates if tool.id not in hidden)


def catalogue(scope: ToolScope = SITE, further: Sequence[Sourced] = ()) -> Catalogue:
    """Return the tools of a scope. Built-in tools are loaded once per process, tools of other sources on every call.

    `further` are additional tools that the caller has found; `reserved_names` does not contain their names.
    """
    outside = sources()
    if not outside and not further:
        return _built_in()
    tools = [*(Sourced(tool, BUILT_IN) for tool in _built_in().values()), *further]
    taken = {name for each in tools for name in (each.tool.id, *each.tool.aliases)}
    for source in outside:
        found = tuple(tools_of(source, scope, taken))
        taken.update(each.tool.id for each in found)
        tools.extend(found)
    return Catalogue(tools)


@cache
def reserved_names() -> frozenset[str]:
    """Return the names, in lower case, that no tool from outside may have: names of built-in tools, and of permissions
    that rules know."""
    tools = _built_in().values()
    names = {name for tool in tools for name in (tool.id, *tool.aliases, tool.permission) if name}
    return frozenset(name.lower() for name in names | PERMISSIONS_WITHOUT_TOOL)


def find(name: str, scope: ToolScope = SITE) -> Tool[Any] | None:
    """Return the tool of a scope with this name; see `Catalogue.find`."""
    return catalogue(scope).find(name)


def offered(
    preferences: Sequence[Layer], limits: Sequence[Layer] = (), offer: OfferContext | None = None
) -> tuple[ToolOffer, ...]:
    """Return the tools to offer, out of the site's own tools; see `Catalogue.offered`."""
    return catalogue().offered(preferences, limits, offer)


def offer_of(tool: Tool[Any], offer: OfferContext) -> ToolOffer:
    """Return a tool in the form in which it is offered: with its completed description and a schema adapted to the
    model's provider."""
    return define(ToolOffer(tool.id, tool.describe(offer), adapt_schema(tool.schema(offer), offer.model.family)))


@cache
def _built_in() -> Catalogue:
    return Catalogue([Sourced(tool, BUILT_IN) for tool in _discover()])


@lru_cache(maxsize=256)
def _hidden(
    permissions: tuple[tuple[str, str], ...], preferences: tuple[Layer, ...], limits: tuple[Layer, ...]
) -> frozenset[str]:
    """Return the ids of tools that the rules hide from a model. The result is cached, because rules seldom change."""
    return hidden_tools(dict(permissions), preferences, limits)


def _discover() -> Iterator[Tool[Any]]:
    for module_info in pkgutil.iter_modules(builtin.__path__):
        yield from _tools_in(importlib.import_module(f"{builtin.__name__}.{module_info.name}"))


def _tools_in(module: ModuleType) -> Iterator[Tool[Any]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Tool) and value.__module__ == module.__name__:
            yield value()
