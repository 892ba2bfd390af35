"""The catalogue of tools. A module in `builtin/` that defines a Tool is in it; nothing else has to know."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType, ModuleType
from typing import Any

from tools_app import builtin
from tools_app.permission.engine import hidden_tools
from tools_app.permission.model import Layer
from tools_app.schema import parameters_schema
from tools_app.spec import Tool


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """What a model is told about a tool."""

    name: str
    description: str
    schema: Mapping[str, Any]


@cache
def catalogue() -> Mapping[str, Tool[Any]]:
    """Every tool by id, in the order of their ids; read once per process."""
    tools = {tool.id: tool for tool in _discover()}
    return MappingProxyType(dict(sorted(tools.items())))


def find(name: str) -> Tool[Any] | None:
    """The tool that a model means by this name: as it stands, or in lower case."""
    return catalogue().get(name) or catalogue().get(name.lower())


def offered(preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> tuple[ToolOffer, ...]:
    """The tools that an agent with these rules is told about. Rules seldom change, so answers are remembered."""
    return _offered(tuple(preferences), tuple(limits))


@lru_cache(maxsize=256)
def _offered(preferences: tuple[Layer, ...], limits: tuple[Layer, ...]) -> tuple[ToolOffer, ...]:
    candidates = {tool.id: tool.permission for tool in catalogue().values() if tool.offered}
    hidden = hidden_tools(candidates, preferences, limits)
    return tuple(_offer(tool_id) for tool_id in candidates if tool_id not in hidden)


@cache
def _offer(tool_id: str) -> ToolOffer:
    tool = catalogue()[tool_id]
    return ToolOffer(tool.id, tool.description, parameters_schema(tool.parameters))


def _discover() -> Iterator[Tool[Any]]:
    for module_info in pkgutil.iter_modules(builtin.__path__):
        yield from _tools_in(importlib.import_module(f"{builtin.__name__}.{module_info.name}"))


def _tools_in(module: ModuleType) -> Iterator[Tool[Any]]:
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Tool) and value.__module__ == module.__name__:
            yield value()
