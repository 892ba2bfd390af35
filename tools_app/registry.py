"""The catalogue of tools. A module in `builtin/` that defines a Tool is in it; nothing else has to know.

Which of them a model is told about is decided for each session anew: by the agent, the model's family, the rules in
force, and the sources that the scope has.
"""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Final

from tools_app import builtin
from tools_app.hooks import define
from tools_app.model_families import is_tool_for
from tools_app.permission.engine import hidden_tools
from tools_app.permission.model import Layer
from tools_app.provider_schema import adapt
from tools_app.sources import Sourced, ToolScope, sources, tools_of
from tools_app.spec import OfferContext, Tool, ToolOffer

BUILT_IN: Final = "built-in"
SITE: Final = ToolScope()


class Catalogue(Mapping[str, Tool[Any]]):
    """Every tool of a scope by id, in the order of their ids."""

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
        """The tool that a model means by this name: as it stands, in lower case, or by an alias."""
        return self.get(name) or self.get(self._by_lower_name.get(name.lower(), ""))

    def source_of(self, tool_id: str) -> str:
        """Where it is from ("built-in")."""
        return self._tools[tool_id].source

    def known_to(self, offer: OfferContext) -> list[Tool[Any]]:
        """The tools there are for a model, before any rule hides one."""
        family = offer.model.family
        return [tool for tool in self.values() if tool.is_offered(offer) and is_tool_for(tool.id, family)]

    def offered(
        self, preferences: Sequence[Layer], limits: Sequence[Layer] = (), offer: OfferContext | None = None
    ) -> tuple[ToolOffer, ...]:
        """What a model is told, for an agent with these rules."""
        offer = offer or OfferContext()
        candidates = self.known_to(offer)
        permissions = tuple((tool.id, tool.permission) for tool in candidates if tool.permission)
        hidden = _hidden(permissions, tuple(preferences), tuple(limits))
        return tuple(offer_of(tool, offer) for tool in candidates if tool.id not in hidden)


def catalogue(scope: ToolScope = SITE) -> Catalogue:
    """The tools of a scope. The built-in ones are read once per process, other sources are asked each time."""
    outside = sources()
    if not outside:
        return _built_in()
    tools = [Sourced(tool, BUILT_IN) for tool in _built_in().values()]
    taken = {name for each in tools for name in (each.tool.id, *each.tool.aliases)}
    for source in outside:
        found = tuple(tools_of(source, scope, taken))
        taken.update(each.tool.id for each in found)
        tools.extend(found)
    return Catalogue(tools)


def find(name: str, scope: ToolScope = SITE) -> Tool[Any] | None:
    """As `Catalogue.find`."""
    return catalogue(scope).find(name)


def offered(
    preferences: Sequence[Layer], limits: Sequence[Layer] = (), offer: OfferContext | None = None
) -> tuple[ToolOffer, ...]:
    """As `Catalogue.offered`, of the site's own tools."""
    return catalogue().offered(preferences, limits, offer)


def offer_of(tool: Tool[Any], offer: OfferContext) -> ToolOffer:
    """The tool as this model is told of it: completed description, and the schema as its provider takes it."""
    return define(ToolOffer(tool.id, tool.describe(offer), adapt(tool.schema(offer), offer.model.family)))


@cache
def _built_in() -> Catalogue:
    return Catalogue([Sourced(tool, BUILT_IN) for tool in _discover()])


@lru_cache(maxsize=256)
def _hidden(
    permissions: tuple[tuple[str, str], ...], preferences: tuple[Layer, ...], limits: tuple[Layer, ...]
) -> frozenset[str]:
    """Rules seldom change, so answers are remembered."""
    return hidden_tools(dict(permissions), preferences, limits)


def _discover() -> Iterator[Tool[Any]]:
    for module_info in pkgutil.iter_modules(builtin.__path__):
        yield from _tools_in(importlib.import_module(f"{builtin.__name__}.{module_info.name}"))


def _tools_in(module: ModuleType) -> Iterator[Tool[Any]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Tool) and value.__module__ == module.__name__:
            yield value()
