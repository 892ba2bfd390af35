"""Answers of a model arrive unchanged through both adapters."""

import json
from contextlib import aclosing
from dataclasses import replace

import pytest

from deploy.demo_model.scripts import ScriptedCall
from sessions_app.llm.port import Finished, ModelEvent, TextDelta, TokenUsage, ToolCallDelta
from tests.contract.llm.conftest import KEY, READ_TOOL, Caller, ending, said, thought
from tests.support.model_server import ModelServer, calls, text, tool_call

pytestmark = pytest.mark.filterwarnings("ignore")


def collected_calls(events: list[ModelEvent]) -> dict[int, tuple[str, str, str]]:
    """Return the id, name and arguments of each call by its index."""
    found: dict[int, tuple[str, str, str]] = {}
    for event in events:
        if isinstance(event, ToolCallDelta):
            call_id, name, arguments = found.get(event.index, ("", "", ""))
            found[event.index] = (call_id or event.id, name or event.name, arguments + event.arguments)
    return found


async def test_text_arrives_in_pieces_and_whole(caller: Caller, model_server: ModelServer) -> None:
    events = await caller.answer(model_server.script(text("Grüße, 世界! All is well.", chunk_size=4)))
    assert said(events) == "Grüße, 世界! All is well."
    assert sum(isinstance(event, TextDelta) for event in events) > 3


async def test_reasoning_is_told_apart_from_text(caller: Caller, model_server: ModelServer) -> None:
    events = await caller.answer(model_server.script(text("42", reasoning="six times seven", chunk_size=5)))
    assert (thought(events), said(events)) == ("six times seven", "42")


async def test_parallel_calls_keep_their_arguments_apart(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(
        calls(tool_call("read", filePath="a.py"), tool_call("grep", pattern="def"), text="Looking.", chunk_size=6)
    )
    found = collected_calls(await caller.answer(script, tools=[READ_TOOL]))
    assert [(name, json.loads(arguments)) for _, name, arguments in found.values()] == [
        ("read", {"filePath": "a.py"}),
        ("grep", {"pattern": "def"}),
    ]
    assert len({call_id for call_id, _, _ in found.values()}) == 2


async def test_calls_finish_with_tool_calls(caller: Caller, model_server: ModelServer) -> None:
    events = await caller.answer(model_server.script(calls(tool_call("read", filePath="a.py"))), tools=[READ_TOOL])
    assert ending(events).reason == "tool_calls"


async def test_a_request_that_wants_a_call_says_so(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(calls(tool_call("read", filePath="a.py")))
    await caller.answer(script, tools=[READ_TOOL], must_call=True)
    assert script.requests(at_least=1)[0]["body"]["tool_choice"] == "required"


async def test_calls_count_even_when_the_server_says_stop(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(calls(tool_call("read", filePath="a.py"), finish="stop"))
    assert ending(await caller.answer(script, tools=[READ_TOOL])).reason == "tool_calls"


async def test_broken_arguments_are_passed_on_as_written(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(calls(ScriptedCall("read", '{"filePath": "a.py', id="call_1")))
    found = collected_calls(await caller.answer(script, tools=[READ_TOOL]))
    assert found == {0: ("call_1", "read", '{"filePath": "a.py')}


async def test_usage_is_split_into_counts_that_do_not_overlap(caller: Caller, model_server: ModelServer) -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 50,
        "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 30},
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    events = await caller.answer(model_server.script(text("Hello", usage=usage)))
    assert ending(events).usage == TokenUsage(input=70, output=30, reasoning=20, cache_read=30)


async def test_an_answer_cut_by_the_token_limit_says_so(caller: Caller, model_server: ModelServer) -> None:
    assert ending(await caller.answer(model_server.script(text("Once upon", finish="length")))).reason == "length"


async def test_silence_after_a_tool_result_is_an_answer(caller: Caller, model_server: ModelServer) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Read it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "1: x"},
    ]
    events = await caller.answer(model_server.script(text("")), messages=messages, tools=[READ_TOOL])
    assert [event for event in events if not isinstance(event, Finished)] == []


async def test_the_request_arrives_as_it_was_made(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("ok"))
    await caller.answer(script, tools=[READ_TOOL], temperature=0.25, max_tokens=77)
    body = script.requests(at_least=1)[0]["body"]
    assert body["messages"][-1] == {"role": "user", "content": "Hello"}
    assert body["tools"][0]["function"]["name"] == "read"
    assert (body["temperature"], body["max_tokens"], body["stream"]) == (0.25, 77, True)


async def test_key_and_extra_headers_are_sent(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("ok"))
    endpoint = replace(caller.endpoint(script), headers={"X-Team": "blue"})
    await caller.answer(script, endpoint=endpoint)
    headers = script.requests(at_least=1)[0]["headers"]
    assert (headers["authorization"], headers["x-team"]) == (f"Bearer {KEY}", "blue")


async def test_session_metadata_stays_here(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("ok"))
    await caller.answer(script, metadata={"session": "ses_private"})
    assert "ses_private" not in json.dumps(script.requests(at_least=1)[0])


async def test_closing_the_iterator_closes_the_connection(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("one two three four", chunk_size=4, hold="never", hold_after=2))
    async with aclosing(caller.gateway.stream(caller.request(script))) as stream:
        assert isinstance(await anext(stream), TextDelta)
    assert script.requests(at_least=1, state="disconnected")
