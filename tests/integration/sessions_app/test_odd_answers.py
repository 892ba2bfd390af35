"""Complete but unusual answers of a model have a defined result, and the conversation stays well-formed."""

import json

import pytest

from deploy.demo_model.scripts import ScriptedCall, Step
from sessions_app.models import Message, Part, ToolCall, Turn
from sessions_app.workers.agent import model_calls
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed

pytestmark = pytest.mark.one_database


def is_well_formed(script: PostedScript, *, request: int) -> bool:
    return chat_is_well_formed(script.requests(at_least=request)[request - 1]["body"]["messages"])


def test_calls_with_the_same_id_are_both_made_and_told_apart(site: SessionSite) -> None:
    site.write("a.txt", "first\n")
    site.write("b.txt", "second\n")
    twins = [
        ScriptedCall(name="read", arguments=json.dumps({"filePath": name}), id="call_twin")
        for name in ("a.txt", "b.txt")
    ]
    script = site.script(calls(*twins), text("Both read."))
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED] * 2
    assert len({call.provider_id for call in site.calls(turn)}) == 2
    assert is_well_formed(script, request=2)


@pytest.mark.parametrize(
    "arguments", ['{"filePath": "a.txt"', "no json at all", "[1, 2]", '"text"', '{"filePath": NaN}', "\x00"]
)
def test_arguments_that_are_no_object_are_answered_to_the_model(site: SessionSite, arguments: str) -> None:
    script = site.script(calls(ScriptedCall(name="read", arguments=arguments)), text("I see."))
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    (call,) = site.calls(turn)
    assert call.state == ToolCall.State.ERROR
    assert "read" in call.output
    assert is_well_formed(script, request=2)


def test_one_of_several_calls_that_fails_costs_the_others_nothing(site: SessionSite) -> None:
    site.write("a.txt", "there\n")
    script = site.script(
        calls(tool_call("read", filePath="a.txt"), tool_call("read", filePath="gone.txt"), tool_call("nonsense")),
        text("Two failed."),
    )
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    assert sorted(call.state for call in site.calls(turn)) == ["completed", "error", "error"]
    assert is_well_formed(script, request=2)


@pytest.mark.parametrize("finish", ["stop", "length", "content_filter", "something_new"])
def test_calls_are_made_whatever_the_finish_reason_says(site: SessionSite, finish: str) -> None:
    site.script(calls(tool_call("todoread"), finish=finish), text("Done."))
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED]


@pytest.mark.parametrize("finish", ["tool_calls", "length", "content_filter", "something_new"])
def test_text_without_calls_ends_the_turn_whatever_the_finish_reason_says(site: SessionSite, finish: str) -> None:
    site.script(text("That is all.", finish=finish))
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    (answer,) = site.answers(turn)
    assert answer.state == Message.State.COMPLETE


def test_thinking_without_a_word_ends_the_turn_and_stays_visible(site: SessionSite) -> None:
    site.script(Step(reasoning="I wonder."))
    session = site.open_session()
    turn = site.run_prompt(session=session)

    assert turn.state == Turn.State.COMPLETED
    assert Part.objects.get(message__turn=turn, type=Part.Type.REASONING).text == "I wonder."
    after = site.script(text("Hello."))
    assert site.run_prompt("Say it.", session=session).state == Turn.State.COMPLETED
    assert is_well_formed(after, request=1)


def test_an_answer_without_an_end_is_cut_and_not_asked_for_again(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_calls, "OUTPUT_LIMIT", 500)
    script = site.script(text("and so on " * 200, chunk_size=50))
    turn = site.run_prompt()

    assert turn.state == Turn.State.FAILED
    assert "500 characters" in str(turn.error)
    assert len(script.requests()) == 1


def test_a_hundred_calls_in_one_answer_are_all_answered(site: SessionSite) -> None:
    script = site.script(calls(*[tool_call("todoread") for _ in range(100)]), text("Enough."))
    turn = site.run_prompt()

    assert turn.state == Turn.State.COMPLETED
    assert len(site.calls(turn)) == 100
    assert is_well_formed(script, request=2)
