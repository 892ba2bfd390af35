"""Slightly different streams of providers result in the same events."""

from collections.abc import Mapping
from typing import Any

import pytest

from sessions_app.llm.chunks import ChunkReader, read_usage
from sessions_app.llm.port import Finished, LlmUnavailable, ModelEvent, ReasoningDelta, TokenUsage, ToolCallDelta


def delta(finish: str | None = None, **content: Any) -> Mapping[str, Any]:
    return {"choices": [{"delta": content, "finish_reason": finish}]}


def fragment(arguments: str, **fields: Any) -> Mapping[str, Any]:
    name = fields.pop("name", None)
    return delta(tool_calls=[{**fields, "function": {"name": name, "arguments": arguments}}])


def read(*chunks: Mapping[str, Any]) -> list[ModelEvent]:
    reader = ChunkReader(make_id=iter(["made-1", "made-2"]).__next__)
    return [event for chunk in chunks for event in reader.feed(chunk)] + [reader.finished()]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_reasoning_has_two_names(name: str) -> None:
    assert read(delta(**{name: "hm"}), delta("stop", content="ok"))[0] == ReasoningDelta("hm")


def test_parallel_calls_that_share_an_index_are_told_apart_by_id() -> None:
    events = read(
        fragment('{"a"', index=0, id="x", name="read"),
        fragment(":1}", index=0),
        fragment("{}", index=0, id="y", name="grep"),
        delta("tool_calls"),
    )
    assert events[:-1] == [
        ToolCallDelta(0, "x", "read", '{"a"'),
        ToolCallDelta(0, "", "", ":1}"),
        ToolCallDelta(1, "y", "grep", "{}"),
    ]


def test_calls_without_index_or_id_get_both() -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("read", "grep")]
    assert read(delta(tool_calls=calls), delta("stop"))[:-1] == [
        ToolCallDelta(0, "made-1", "read", "{}"),
        ToolCallDelta(1, "made-2", "grep", "{}"),
    ]


def test_a_repeated_id_in_later_fragments_is_the_same_call() -> None:
    events = read(
        fragment("{", index=0, id="x", name="read"), fragment("}", index=0, id="x", name="read"), delta("stop")
    )
    assert [event.index for event in events if isinstance(event, ToolCallDelta)] == [0, 0]


def test_calls_win_over_stop() -> None:
    assert read(fragment("{}", index=0, id="x", name="read"), delta("stop"))[-1] == Finished("tool_calls")


def test_usage_may_come_after_the_finish_reason() -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}
    assert read(delta("stop", content="hi"), usage)[-1] == Finished("stop", TokenUsage(input=5, output=2))


def test_an_unknown_finish_reason_is_unknown() -> None:
    assert read(delta("because", content="hi"))[-1] == Finished("unknown")


def test_a_stream_without_finish_reason_was_cut() -> None:
    with pytest.raises(LlmUnavailable):
        read(delta(content="all of it"))


def test_nothing_at_all_is_no_answer() -> None:
    with pytest.raises(LlmUnavailable):
        read(delta("stop", role="assistant", content=""))


def test_nothing_is_accepted_where_it_may_be_empty() -> None:
    reader = ChunkReader(may_be_empty=True)
    assert list(reader.feed(delta("stop"))) == []
    assert reader.finished() == Finished("stop")


def test_reasoning_that_is_counted_apart_is_not_subtracted() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 10}}
    assert read_usage(usage) == TokenUsage(input=1, output=3, reasoning=10)


def test_cache_writes_are_no_fresh_input() -> None:
    usage = {"prompt_tokens": 100, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}
    assert read_usage(usage) == TokenUsage(input=10, cache_read=60, cache_write=30)
