"""The chain of steps around every tool call: validate, before-hooks, collect permission needs, [gate], run,
after-hooks, truncate.

The chain is the same for every source of tools. The caller runs its two halves: `prepare`, then
`gate.judge(prepared.needs, ...)`, then `run` if the verdict is "allow".

Errors raised here: ToolError (its text is returned to the model as the result of the call), the suspensions
AwaitAnswer, AwaitChild, AwaitCalls and AwaitPermission, SandboxUnavailable and SandboxLost, ProtocolError, and
cancellation.
"""

import asyncio
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from pydantic import BaseModel, ValidationError

from sandbox.errors import LimitReached, SandboxRefused
from tools_app import hooks
from tools_app.builtin.invalid import explain
from tools_app.git_steering import with_steering
from tools_app.registry import Catalogue, catalogue
from tools_app.spec import OfferContext, PermissionNeed, Tool, ToolContext, ToolError, ToolResult
from tools_app.suspension import AwaitPermission
from tools_app.text import clean, clean_value, is_clean
from tools_app.truncation import cut_to_size

_MAX_NAME_CHARACTERS: Final = 60  # of an unknown tool's name, quoted in an error
_MAX_PROBLEMS: Final = 10  # validation errors in one message
_MAX_DEPTH: Final = 100  # levels of nested JSON in the arguments


@dataclass(frozen=True, slots=True)
class Prepared:
    """A validated tool call that has not been run yet."""

    tool: Tool[Any]
    arguments: Mapping[str, Any]
    """The arguments as JSON data, after the before-hooks."""
    args: BaseModel
    """The validated `arguments`."""
    needs: tuple[PermissionNeed, ...]
    """The permission needs, which the gate judges."""

    @property
    def title(self) -> str:
        """The call's title in a permission request, such as "Run pytest -q"."""
        titles = (need.metadata.get("title") for need in reversed(self.needs))
        return next((title for title in titles if title), self.tool.id)


async def prepare(tool_id: str, raw_arguments: str, ctx: ToolContext, tools: Catalogue | None = None) -> Prepared:
    """Find the tool in `tools` (by default the site's own), validate its arguments and collect its permission needs.

    Reads the sandbox but changes nothing. Raises ToolError for everything that the model can correct.
    """
    tool = _find(tool_id, catalogue() if tools is None else tools, ctx)
    arguments = _parse(tool.id, raw_arguments)
    args = _validate(tool, arguments, ctx)
    changed = await hooks.before(tool.id, arguments, ctx)
    if changed is not arguments:
        arguments = _require_clean(tool.id, changed)
        args = _validate(tool, arguments, ctx)
    with _refusals_for_the_model():
        needs = await tool.needs(args, ctx)
        if any(need.permission == "edit" for need in needs):
            needs = await with_steering(needs, ctx.runtime)
    return Prepared(tool, arguments, args, tuple(_clean_need(need, ctx) for need in needs))


async def run(prepared: Prepared, ctx: ToolContext) -> ToolResult:
    """Run a prepared call within the tool's timeout and truncate its output.

    The full text of a truncated output is kept in the sandbox.
    """
    tool = prepared.tool
    with _refusals_for_the_model():
        try:
            async with asyncio.timeout(tool.timeout) as limit:
                result = await tool.run(prepared.args, ctx)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolError(f"`{tool.id}` did not finish within {tool.timeout:g} s. Ask for less at once.") from error
        except AwaitPermission as wait:
            wait.result = await _finish(prepared, wait.result, ctx)
            wait.needs = tuple(need for need in wait.needs if not _names_a_secret(need, ctx))
            wait.title = ctx.masks.mask(wait.title)
            if not wait.needs:  # nobody can allow a name that nobody may see
                return wait.result
            raise
    return await _finish(prepared, result, ctx)


async def _finish(prepared: Prepared, result: ToolResult, ctx: ToolContext) -> ToolResult:
    """Run the after-hooks, and clean and truncate the result."""
    tool = prepared.tool
    result = await hooks.after(tool.id, prepared.arguments, result, ctx)
    cleaned = replace(
        result,
        title=ctx.masks.mask(clean(result.title)),
        output=ctx.masks.mask(clean(result.output)),
        metadata=ctx.masks.mask_value(clean_value(result.metadata)),
        refused=[
            replace(each, name=ctx.masks.mask(each.name), reason=ctx.masks.mask(each.reason)) for each in result.refused
        ],
    )
    return cleaned if cleaned.truncated else await cut_to_size(cleaned, tool.keep, ctx)


def _names_a_secret(need: PermissionNeed, ctx: ToolContext) -> bool:
    return any(ctx.masks.mask(pattern) != pattern for pattern in need.patterns)


def offer_context(ctx: ToolContext) -> OfferContext:
    """Return the call's agent, model, callable agents, settings and output schema as the context for offering tools."""
    return OfferContext(ctx.agent, ctx.model, ctx.agents, ctx.settings, ctx.output_schema)


def _clean_need(need: PermissionNeed, ctx: ToolContext) -> PermissionNeed:
    return PermissionNeed(
        need.permission,
        tuple(map(clean, need.patterns)),
        tuple(map(clean, need.always)),
        ctx.masks.mask_value(clean_value(need.metadata)),
    )


def _find(tool_id: str, tools: Catalogue, ctx: ToolContext) -> Tool[Any]:
    tool = tools.find(tool_id)
    if tool is None:
        names = ", ".join(known.id for known in tools.known_to(offer_context(ctx)))
        raise ToolError(
            explain(clean(tool_id[:_MAX_NAME_CHARACTERS]), f"there is no tool of this name. The tools are: {names}")
        )
    return tool


def _parse(tool_id: str, raw_arguments: str) -> Mapping[str, Any]:
    try:
        arguments = json.loads(raw_arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError(explain(tool_id, f"the arguments are not valid JSON ({error})")) from error
    return _require_clean(tool_id, arguments)


def _require_clean(tool_id: str, arguments: Any) -> Mapping[str, Any]:
    if not isinstance(arguments, dict):
        raise ToolError(explain(tool_id, "the arguments must be one JSON object"))
    if _depth_exceeds(arguments, _MAX_DEPTH):
        raise ToolError(explain(tool_id, f"the arguments are nested more than {_MAX_DEPTH} levels deep"))
    if not _is_clean_data(arguments):
        problem = "a text contains a NUL or half of a character (a lone surrogate), or a number is NaN or infinite"
        raise ToolError(explain(tool_id, problem))
    return arguments


def _depth_exceeds(value: Any, limit: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    items = value.values() if isinstance(value, dict) else value
    return limit == 0 or any(_depth_exceeds(item, limit - 1) for item in items)


def _is_clean_data(value: Any) -> bool:
    if isinstance(value, str):
        return is_clean(value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(is_clean(key) and _is_clean_data(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_is_clean_data, value))


def _validate(tool: Tool[Any], arguments: Mapping[str, Any], ctx: ToolContext) -> BaseModel:
    try:
        return cast(BaseModel, tool.read_arguments(arguments, ctx))
    except ValidationError as error:
        raise ToolError(explain(tool.id, _problems(error))) from error


def _problems(error: ValidationError) -> str:
    items = error.errors(include_url=False)[:_MAX_PROBLEMS]
    return "; ".join(f"{'.'.join(map(str, item['loc'])) or 'arguments'}: {clean(item['msg'])}" for item in items)


@contextmanager
def _refusals_for_the_model() -> Iterator[None]:
    """Context manager that turns SandboxRefused and LimitReached into a ToolError with the same message."""
    try:
        yield
    except (SandboxRefused, LimitReached) as error:
        raise ToolError(error.message) from error
