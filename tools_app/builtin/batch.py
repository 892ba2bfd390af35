"""The `batch` tool: make several tool calls at once."""

import json
from collections.abc import Sequence
from typing import Any, Final

from pydantic import AliasChoices, Field, field_validator

from tools_app.arguments import ToolArguments
from tools_app.description import description_beside
from tools_app.spec import CallOutcome, PermissionNeed, Tool, ToolContext, ToolResult
from tools_app.suspension import AwaitCalls
from tools_app.text import counted, is_clean

MAX_CALLS: Final = 25
# `invalid` must never be called, and structured output ends the turn, so it cannot be combined with other calls.
NOT_ALLOWED_INSIDE: Final = frozenset({"batch", "invalid", "structuredoutput"})


class InnerCall(ToolArguments):
    tool: str = Field(min_length=1, max_length=200, description="The tool to call.")
    arguments: dict[str, Any] = Field(
        default_factory=dict,
        validation_alias=AliasChoices("arguments", "parameters"),
        description="Its arguments, as in a direct call of the tool.",
    )

    @field_validator("tool")
    @classmethod
    def _may_be_inside(cls, tool: str) -> str:
        if tool.lower() in NOT_ALLOWED_INSIDE:
            raise ValueError(f"`{tool}` cannot be called within a batch")
        return tool

    @field_validator("arguments", mode="before")
    @classmethod
    def _written_as_text(cls, arguments: Any) -> Any:
        """Accept arguments that are written as JSON text, because some models write them so, and some providers do not
        support free-form objects."""
        if not isinstance(arguments, str):
            return arguments
        try:
            value = json.loads(arguments or "{}")
            written = json.dumps(value, ensure_ascii=False)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not valid JSON ({error})") from error
        if not is_clean(written):
            raise ValueError("a text in it contains half of a character (a lone surrogate)")
        return value


class BatchArguments(ToolArguments):
    calls: list[InnerCall] = Field(
        min_length=1,
        max_length=MAX_CALLS,
        validation_alias=AliasChoices("calls", "tool_calls"),
        description="The calls to make.",
    )


class BatchTool(Tool[BatchArguments]):
    id = "batch"
    permission = "batch"
    parameters = BatchArguments
    description = description_beside(__file__)

    async def needs(self, args: BatchArguments, ctx: ToolContext) -> list[PermissionNeed]:
        """Return the permission needed for the batch itself. The permissions of each call in the batch are checked
        separately."""
        title = f"Make {counted(len(args.calls), 'call')} at once"
        return [PermissionNeed("batch", ("*",), ("*",), {"title": title})]

    async def run(self, args: BatchArguments, ctx: ToolContext) -> ToolResult:
        if not ctx.outcomes:
            calls = [{"tool": each.tool, "arguments": each.arguments} for each in args.calls]
            raise AwaitCalls(calls, title=f"Make {counted(len(calls), 'call')} at once")
        return ToolResult(
            f"Made {counted(len(ctx.outcomes), 'call')} at once",
            _as_text(ctx.outcomes),
            {"calls": [_line(each) for each in ctx.outcomes]},
            tuple(attachment for each in ctx.outcomes for attachment in each.attachments),
        )


def _as_text(outcomes: Sequence[CallOutcome]) -> str:
    failed = [f"{number} ({each.tool})" for number, each in enumerate(outcomes, 1) if each.state != "completed"]
    head = f"{len(outcomes) - len(failed)} of {counted(len(outcomes), 'call')} succeeded."
    if failed:
        head = f"{head} Not: {', '.join(failed)}."
    bodies = [f"[{number}] {each.tool}: {each.state}\n{each.output}" for number, each in enumerate(outcomes, 1)]
    return "\n\n".join([head, *bodies])


def _line(outcome: CallOutcome) -> dict[str, str]:
    return {"call_id": outcome.call_id, "tool": outcome.tool, "title": outcome.title, "state": outcome.state}
