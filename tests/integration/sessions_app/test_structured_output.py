"""Structured output: a prompt with a JSON Schema gets an answer that matches the schema, or a failure with a reason."""

from typing import Any

import pytest

from sessions_app.actions.prompts import submit_prompt
from sessions_app.agent.structured_output import REMINDER
from sessions_app.models import Session, Turn
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of, verify_events

pytestmark = pytest.mark.one_database

SCHEMA = {
    "type": "object",
    "properties": {"cups": {"type": "integer", "minimum": 1}, "kind": {"enum": ["green", "black"]}},
    "required": ["cups"],
    "additionalProperties": False,
}
ANSWER = tool_call("StructuredOutput", cups=2, kind="green")


def ask(site: SessionSite, session: Session | None = None, *, schema: Any = SCHEMA) -> Turn:
    session = session or site.open_session()
    turn, _ = submit_prompt(actor=site.user, session=session, text="How many cups?", output_schema=schema)
    site.pump.run()
    turn.refresh_from_db()
    return turn


def test_the_answer_is_the_turns_and_ends_it(site: SessionSite) -> None:
    script = site.script(calls(ANSWER))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = ask(site, session)
    assert (turn.state, turn.output) == (Turn.State.COMPLETED, {"cups": 2, "kind": "green"})
    assert len(script.requests(at_least=1)) == 1
    assert snapshot_of(session.id)["turns"][0]["output"] == {"cups": 2, "kind": "green"}
    verify_events(session.id, before)


def test_the_model_is_offered_the_schema_and_has_to_call(site: SessionSite) -> None:
    script = site.script(calls(ANSWER))
    ask(site)
    body = script.requests(at_least=1)[0]["body"]
    (tool,) = [each["function"] for each in body["tools"] if each["function"]["name"] == "StructuredOutput"]
    assert tool["parameters"] == SCHEMA
    assert body["tool_choice"] == "required"
    assert "call StructuredOutput" in body["messages"][0]["content"]


def test_other_prompts_are_not_offered_it(site: SessionSite) -> None:
    script = site.script(text("Two."))
    turn = site.run_prompt()
    body = script.requests(at_least=1)[0]["body"]
    assert "StructuredOutput" not in {each["function"]["name"] for each in body["tools"]}
    assert "tool_choice" not in body
    assert turn.output is None


def test_an_answer_that_does_not_fit_is_given_back_to_be_corrected(site: SessionSite) -> None:
    script = site.script(calls(tool_call("StructuredOutput", cups=0, sugar=True)), calls(ANSWER))
    turn = ask(site)
    said = script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert "cups: 0 is less than the minimum of 1" in said
    assert "'sugar' was unexpected" in said
    assert turn.output == {"cups": 2, "kind": "green"}


def test_the_other_calls_of_the_answer_are_made_too(site: SessionSite) -> None:
    site.script(calls(ANSWER, tool_call("todowrite", todos=[{"content": "tea", "status": "pending"}])))
    turn = ask(site)
    assert turn.state == Turn.State.COMPLETED
    assert Session.objects.get(pk=turn.session_id).todos[0]["content"] == "tea"


def test_words_alone_are_answered_with_a_reminder(site: SessionSite) -> None:
    script = site.script(text("Two cups."), calls(ANSWER))
    turn = ask(site)
    asked = script.requests(at_least=2)[1]["body"]["messages"]
    assert [message["role"] for message in asked[-2:]] == ["assistant", "user"]
    assert asked[-1]["content"] == REMINDER
    assert turn.output == {"cups": 2, "kind": "green"}


def test_a_model_that_never_gives_it_fails_the_turn_with_the_reason(site: SessionSite) -> None:
    script = site.script(text("Two."), text("Two!"), text("I said two."), text("Never asked for."))
    turn = ask(site)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "no_structured_output"
    assert len(script.requests(at_least=3)) == 3


def test_a_prompt_that_came_meanwhile_is_answered_before_the_turn_ends(site: SessionSite) -> None:
    script = site.script(calls(tool_call("StructuredOutput", cups=1)), calls(tool_call("StructuredOutput", cups=3)))
    session = site.open_session()
    turn, _ = submit_prompt(actor=site.user, session=session, text="How many?", output_schema=SCHEMA)
    site.pump.run(until=lambda: len(site.calls(turn)) == 1)
    submit_prompt(actor=site.user, session=session, text="One more for me and one for you.")
    site.pump.run()
    turn.refresh_from_db()
    assert (turn.state, turn.output) == (Turn.State.COMPLETED, {"cups": 3})
    assert len(script.requests(at_least=2)) == 2


def test_a_call_that_nobody_asked_for_is_answered(site: SessionSite) -> None:
    script = site.script(calls(ANSWER), text("Two."))
    turn = site.run_prompt()
    assert (turn.state, turn.output) == (Turn.State.COMPLETED, None)
    assert (
        "The prompt did not ask for structured output"
        in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    )


@pytest.mark.parametrize("schema", [{"type": "array"}, {"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}}])
def test_a_schema_that_cannot_be_used_is_refused(site: SessionSite, schema: dict[str, Any]) -> None:
    session = site.open_session()
    path = f"/sessions/{session.public_id}/prompts"
    error = RestApi(site.user).error("post", path, {"text": "x", "output_schema": schema}, expect=400)
    assert error["fields"] == {"output_schema": "not a usable JSON Schema"}
    assert not Turn.objects.filter(session=session).exists()


def test_the_demo_model_gives_answers_in_form_without_any_key(site: SessionSite) -> None:
    site.settings.MODEL_NAME = "demo"
    site.write("tea.txt", "green\n")
    text_of_answer = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    turn, _ = submit_prompt(
        actor=site.user, session=site.open_session(), text="List the files.", output_schema=text_of_answer
    )
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert turn.output is not None
    assert "tea.txt" in turn.output["answer"]
