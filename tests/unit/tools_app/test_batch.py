"""The tool `batch` requests several tool calls at once, and combines their results."""

import json
from dataclasses import replace
from typing import Any, cast

import pytest

from sandbox.ports import Runtime
from tests.support.tool_context import make_context
from tools_app import chain
from tools_app.builtin.batch import MAX_CALLS
from tools_app.spec import Attachment, CallOutcome, ToolContext, ToolError
from tools_app.suspension import AwaitCalls

READ = {"tool": "read", "arguments": {"filePath": "a"}}


@pytest.fixture
def ctx() -> ToolContext:
    return make_context(cast(Runtime, None))


async def wanted(ctx: ToolContext, arguments: Any) -> list[dict[str, Any]]:
    prepared = await chain.prepare("batch", json.dumps(arguments), ctx)
    assert [(need.permission, need.patterns) for need in prepared.needs] == [("batch", ("*",))]
    with pytest.raises(AwaitCalls) as waiting:
        await chain.run(prepared, ctx)
    return waiting.value.calls


async def test_it_waits_for_its_calls_and_needs_only_to_be_made(ctx: ToolContext) -> None:
    assert await wanted(ctx, {"calls": [READ, {"tool": "todoread"}]}) == [READ, {"tool": "todoread", "arguments": {}}]


@pytest.mark.parametrize(
    "arguments",
    [
        {"tool_calls": [{"tool": "read", "parameters": {"filePath": "a"}}]},
        {"calls": [{"tool": "read", "arguments": '{"filePath": "a"}'}]},
    ],
)
async def test_the_spellings_that_models_know_are_understood(ctx: ToolContext, arguments: dict[str, Any]) -> None:
    assert await wanted(ctx, arguments) == [READ]


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([], "at least 1 item"),
        ([READ] * (MAX_CALLS + 1), f"at most {MAX_CALLS} items"),
        ([{"tool": "batch", "arguments": {"calls": [READ]}}], "`batch` cannot be called within a batch"),
        ([{"tool": "Invalid"}], "`Invalid` cannot be called within a batch"),
        ([{"tool": "StructuredOutput"}], "cannot be called within a batch"),
        ([{"tool": ""}], "calls.0.tool"),
        ([{"tool": "read", "arguments": "{"}], "not valid JSON"),
        ([{"tool": "read", "arguments": '{"filePath": "\\ud800"}'}], "half of a character"),
        ([{"tool": "read", "arguments": {"limit": float("inf")}}], "NaN or infinite"),
        ([{"tool": "read", "arguments": [1]}], "calls.0.arguments"),
        ([{"tool": "read", "extra": 1}], "extra"),
    ],
)
async def test_what_cannot_be_made_is_answered(ctx: ToolContext, calls: list[Any], said: str) -> None:
    with pytest.raises(ToolError, match=said):
        await chain.prepare("batch", json.dumps({"calls": calls}), ctx)


async def test_the_results_come_in_the_order_of_the_calls_with_what_failed_named_first(ctx: ToolContext) -> None:
    picture: Attachment = {"id": "att_1", "name": "a.png", "media_type": "image/png", "size": 3}
    outcomes = (
        CallOutcome("call_1", "read", "Read a", "completed", "1: x", (picture,)),
        CallOutcome("call_2", "bash", "Run y", "error", "It was denied."),
    )
    prepared = await chain.prepare("batch", json.dumps({"calls": [READ, READ]}), ctx)
    result = await chain.run(prepared, replace(ctx, outcomes=outcomes))
    assert result.title == "Made 2 calls at once"
    assert result.output == (
        "1 of 2 calls succeeded. Not: 2 (bash).\n\n[1] read: completed\n1: x\n\n[2] bash: error\nIt was denied."
    )
    assert result.metadata["calls"] == [
        {"call_id": "call_1", "tool": "read", "title": "Read a", "state": "completed"},
        {"call_id": "call_2", "tool": "bash", "title": "Run y", "state": "error"},
    ]
    assert list(result.attachments) == [picture]
