"""Fragments of a model's answer become message parts and tool calls."""

import itertools
import json
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.agent.answer import NAME_LIMIT, ModelAnswer
from sessions_app.llm.port import Finished, ModelEvent, ReasoningDelta, TextDelta, TokenUsage, ToolCallDelta


def answer_of(*events: ModelEvent) -> ModelAnswer:
    numbers = itertools.count(1)
    answer = ModelAnswer(lambda: uuid.UUID(int=next(numbers)))
    for event in events:
        answer.add(event)
    return answer


def call(index: int, arguments: str, *, given_id: str = "", name: str = "") -> ToolCallDelta:
    return ToolCallDelta(index, given_id, name, arguments)


def test_text_grows_in_one_part() -> None:
    answer = answer_of(TextDelta("Good "), TextDelta("morning"))
    assert [(part.type, part.text) for part in answer.parts] == [("text", "Good morning")]


def test_parts_stand_in_the_order_in_which_they_began() -> None:
    answer = answer_of(ReasoningDelta("hm"), TextDelta("a"), call(0, "{}", given_id="x", name="read"), TextDelta("b"))
    assert [(part.index, part.type) for part in answer.parts] == [
        (0, "reasoning"), (1, "text"), (2, "tool"), (3, "text"),
    ]  # fmt: skip


def test_an_empty_fragment_begins_no_part() -> None:
    assert answer_of(TextDelta(""), ReasoningDelta("")).parts == []


def test_fragments_of_parallel_calls_find_their_own_call() -> None:
    answer = answer_of(
        call(0, '{"a"', given_id="one", name="read"),
        call(1, '{"b"', given_id="two", name="grep"),
        call(0, ": 1}"),
        call(1, ": 2}"),
    )
    made = [part.call for part in answer.parts if part.call]
    assert [(each.provider_id, each.name, each.parsed()) for each in made] == [
        ("one", "read", {"a": 1}),
        ("two", "grep", {"b": 2}),
    ]


@pytest.mark.parametrize("wanted", ["", "same", "x" * (NAME_LIMIT + 1), "nul\0"])
def test_calls_get_ids_of_their_own_when_the_provider_gives_none_that_serve(wanted: str) -> None:
    answer = answer_of(call(0, "{}", given_id="same", name="read"), call(1, "{}", given_id=wanted, name="read"))
    first, second = [part.call.provider_id for part in answer.parts if part.call]
    assert first == "same"
    assert second not in {"", "same", wanted}
    assert len(second) <= NAME_LIMIT


def test_the_end_carries_reason_and_usage() -> None:
    answer = answer_of(TextDelta("x"), Finished("stop", TokenUsage(input=3)))
    assert (answer.finish, answer.usage) == ("stop", TokenUsage(input=3))


def test_only_parts_without_call_stream() -> None:
    answer = answer_of(TextDelta("x"), call(0, "{}", given_id="1", name="read"))
    assert [part.type for part in answer.streaming_parts] == ["text"]


@pytest.mark.parametrize("arguments", ["", "{", "[1]", "null", '"x"', "[" * 100_000, "1" * 5000])
def test_arguments_that_are_no_object_are_shown_as_empty(arguments: str) -> None:
    (part,) = answer_of(call(0, arguments, given_id="1", name="read")).parts
    assert part.call is not None
    assert part.call.parsed() == {}
    assert part.call.arguments == arguments


@pytest.mark.parametrize("arguments", ['{"x": NaN}', '{"x": [-Infinity]}', '{"x": 1e999}', r'{"\u0000": "\ud800"}'])
def test_parsed_arguments_can_be_stored_in_any_database(arguments: str) -> None:
    (part,) = answer_of(call(0, arguments, given_id="1", name="read")).parts
    assert part.call is not None
    stored = json.dumps(part.call.parsed(), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert b"\\u0000" not in stored
    assert part.call.parsed()


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**4000])
def test_huge_integers_travel_as_text_because_no_channel_layer_carries_them(number: int) -> None:
    (part,) = answer_of(call(0, json.dumps({"x": [number, 2**63 - 1, True]}), given_id="1", name="read")).parts
    assert part.call is not None
    assert part.call.parsed() == {"x": [str(number), 2**63 - 1, True]}


@pytest.mark.parametrize("depth", [200, 450, 900])
def test_arguments_that_no_serializer_follows_are_not_kept_as_an_object(depth: int) -> None:
    arguments = '{"x": ' + "[" * depth + "]" * depth + "}"
    (part,) = answer_of(call(0, arguments, given_id="1", name="read")).parts
    assert part.call is not None
    assert (part.call.parsed(), part.call.arguments) == ({}, arguments)


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=20))
def test_whatever_a_model_writes_can_be_stored_and_keeps_its_length(words: str) -> None:
    answer = answer_of(TextDelta("."), TextDelta(words), call(0, words, given_id=words, name=words))
    text = answer.parts[0].text
    assert len(text) == len(words) + 1
    made = answer.parts[1].call
    assert made is not None
    for stored in (text, made.name, made.arguments, made.provider_id):
        assert "\0" not in stored
        stored.encode("utf-8")
