"""What others may add around every tool: change what a model is told of it, and look at calls before and after.

Hooks run in the order in which they were added, and each sees what the one before it changed. `before` runs before the
gate, so permissions are decided about the arguments as the hooks left them. A hook that fails is logged and passed
over; only a ToolError of `before` counts: it refuses the call, and its text goes to the model.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

from tools_app.spec import ToolContext, ToolError, ToolOffer, ToolResult

PATIENCE: Final = 10.0  # seconds that one hook may take
FAILED: Final = "tool_hook_failed"

logger = structlog.get_logger(__name__)


class ToolHooks:
    """Subclass it and override what is wanted. `name` is what people read when one of them fails."""

    name: str = "hooks"

    def definition(self, offer: ToolOffer) -> ToolOffer:
        """Another description or schema. The name stays as it is."""
        return offer

    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        """The arguments to go on with; they are checked again."""
        return arguments

    async def after(self, tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
        """The result to go on with, before it is cut to size."""
        return result


_hooks: list[ToolHooks] = []


def add_hooks(hooks: ToolHooks) -> Callable[[], None]:
    """From now on, around every tool of this process. Returns what takes them out again."""
    _hooks.append(hooks)
    return lambda: _hooks.remove(hooks)


def define(offer: ToolOffer) -> ToolOffer:
    for hooks in tuple(_hooks):
        try:
            offer = replace(hooks.definition(offer), name=offer.name)
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="definition", tool=offer.name, exc_info=error)
    return offer


async def before(tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
    for hooks in tuple(_hooks):
        try:
            async with asyncio.timeout(PATIENCE):
                arguments = await hooks.before(tool, arguments, ctx)
        except ToolError:
            raise
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="before", tool=tool, exc_info=error)
    return arguments


async def after(tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
    for hooks in tuple(_hooks):
        try:
            async with asyncio.timeout(PATIENCE):
                result = await hooks.after(tool, arguments, result, ctx)
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="after", tool=tool, exc_info=error)
    return result
