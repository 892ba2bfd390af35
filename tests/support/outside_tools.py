"""An external tool that a test registers, as a plugin or an MCP server does."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from tools_app.hooks import ToolHooks, add_hooks
from tools_app.registry import ToolScope, add_source
from tools_app.spec import PermissionNeed, Tool, ToolContext, ToolResult


class WeatherArguments(BaseModel):
    city: str = Field(description="Where.")


class WeatherTool(Tool[WeatherArguments]):
    permission = "weather"
    parameters = WeatherArguments
    description = "Tells the weather of a city."

    def __init__(self, name: str = "weather") -> None:
        self.id = name

    async def needs(self, args: WeatherArguments, ctx: ToolContext) -> list[PermissionNeed]:
        return [PermissionNeed(self.permission, ("*",), ("*",), {"title": f"Ask for the weather of {args.city}"})]

    async def run(self, args: WeatherArguments, ctx: ToolContext) -> ToolResult:
        return ToolResult(f"Asked for the weather of {args.city}", f"Sunny in {args.city}.", {"city": args.city})


@dataclass
class OutsideTools:
    """A fake plugin that offers tools to the site. `scopes` records the scope of each call of `tools`; `error` makes
    these calls fail."""

    found: Iterable[Tool[Any]] = field(default_factory=lambda: [WeatherTool()])
    name: str = "plugin weather"
    error: Exception | None = None
    scopes: list[ToolScope] = field(default_factory=list)

    def tools(self, scope: ToolScope) -> Iterable[Tool[Any]]:
        self.scopes.append(scope)
        if self.error is not None:
            raise self.error
        return self.found


@contextmanager
def added(source: OutsideTools) -> Iterator[OutsideTools]:
    remove = add_source(source)
    try:
        yield source
    finally:
        remove()


@contextmanager
def hooked(hooks: ToolHooks) -> Iterator[ToolHooks]:
    remove = add_hooks(hooks)
    try:
        yield hooks
    finally:
        remove()
