"""Hooks around every tool, for plugins: change the descriptions of tools, and change calls before and after they run.

Hooks run in the order in which they were added, and each gets the result of the one before. `before` runs before the
gate, so permissions are decided about the arguments that the hooks return. A hook that raises an exception is logged
and skipped, with one exception: a ToolError from `before` refuses the call, and its message is sent to the model.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

from tools_app.spec import ToolContext, ToolError, ToolOffer, ToolResult

TIMEOUT_SECONDS: Final = 10.0  # for one hook
FAILED: Final = "tool_hook_failed"

logger = structlog.get_logger(__name__)


class ToolHooks:
    """The base class of hooks: override the methods you need. `name` identifies the hooks in log messages."""

    name: str = "hooks"

    def definition(self, offer: ToolOffer) -> ToolOffer:
        """Return the tool with a different description or schema. A different name is ignored."""
        return offer

    async def before(self, tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
        """Return the arguments with which the call runs, changed or not. Changed arguments are validated again."""
        return arguments

    async def after(self, tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
        """Return the result for the model, changed or not. This hook runs before the output is truncated."""
        return result


_hooks: list[ToolHooks] = []


def add_hooks(hooks: ToolHooks) -> Callable[[], None]:
    """Add hooks around every tool of this process. Returns a function that removes them again."""
    _hooks.append(hooks)
    return lambda: _hooks.remove(hooks)


def define(offer: ToolOffer) -> ToolOffer:
    """Return the offer of a tool as the `definition` hooks change it; its name cannot be changed."""
    for hooks in tuple(_hooks):
        try:
            offer = replace(hooks.definition(offer), name=offer.name)
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="definition", tool=offer.name, exc_info=error)
    return offer


async def before(tool: str, arguments: Mapping[str, Any], ctx: ToolContext) -> Mapping[str, Any]:
    """Apply the `before` hooks to the arguments of a call, and return the resulting arguments. Raises ToolError if a
    hook refuses the call."""
    for hooks in tuple(_hooks):
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                arguments = await hooks.before(tool, arguments, ctx)
        except ToolError:
            raise
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="before", tool=tool, exc_info=error)
    return arguments


async def after(tool: str, arguments: Mapping[str, Any], result: ToolResult, ctx: ToolContext) -> ToolResult:
    """Return the result of a tool call as the `after` hooks change it. A hook that fails is logged and skipped."""
    for hooks in tuple(_hooks):
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                result = await hooks.after(tool, arguments, result, ctx)
        except Exception as error:
            logger.error(FAILED, hooks=hooks.name, hook="after", tool=tool, exc_info=error)
    return result
