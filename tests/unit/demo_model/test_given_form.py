"""The demo model converts its replies to structured output."""

import json
from typing import Any

import pytest

from deploy.demo_model.app import plan_reply
from deploy.demo_model.structured_output import CANNOT_MATCH, TOOL
from tools_app.external_schema import problems, validated_schema

FORM = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "minLength": 3},
        "tests": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["other", "list"]},
        "sure": {"type": "boolean"},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}}},
        "either": {"anyOf": [{"const": 7}, {"type": "string"}]},
    },
    "required": ["answer", "tests", "kind", "sure", "parts", "either"],
    "additionalProperties": False,
}


def body(*messages: dict[str, Any], schema: Any = FORM, **fields: Any) -> dict[str, Any]:
    names = {"list": {}, TOOL: schema}
    tools = [{"type": "function", "function": {"name": name, "parameters": given}} for name, given in names.items()]
    return {"model": "demo", "messages": list(messages), "tools": tools, "tool_choice": "required", **fields}


def made(name: str, output: str, arguments: str = "{}") -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": output},
    ]


LIST_FILES = {"role": "user", "content": "List the files."}


def test_the_work_is_done_first() -> None:
    (call,) = plan_reply(body(LIST_FILES)).calls
    assert call.name == "list"


def test_then_what_it_has_to_say_is_put_into_the_form() -> None:
    (call,) = plan_reply(body(LIST_FILES, *made("list", "a list of 3 files"))).calls
    value = json.loads(call.arguments)
    assert call.name == TOOL
    assert problems(value, validated_schema(FORM)) == []
    assert (value["tests"], value["kind"], value["sure"], value["either"]) == (3, "list", False, 7)
    assert "a list of 3 files" in value["answer"]


def test_a_form_that_it_cannot_fill_in_is_left_after_one_try() -> None:
    reply = plan_reply(body(LIST_FILES, *made("list", "x"), *made(TOOL, "The answer does not fit")))
    assert (reply.text, reply.calls) == (CANNOT_MATCH, ())


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": []}, 7])
def test_an_odd_form_breaks_nothing(schema: Any) -> None:
    assert plan_reply(body({"role": "user", "content": "hello"}, schema=schema)) is not None


def test_without_a_form_it_answers_in_words() -> None:
    assert plan_reply(body({"role": "user", "content": "hello"}, tool_choice="auto")).calls == ()
