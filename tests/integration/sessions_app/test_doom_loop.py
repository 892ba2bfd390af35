"""A call that an agent makes a third time, after reading its result twice, needs a person's decision."""

import pytest
from pytest_django import DjangoAssertNumQueries

from deploy.demo_model.scripts import ScriptedCall
from sessions_app.actions.calls import find_call
from sessions_app.actions.decisions import MAX_SHOWN_ARGUMENTS, repetition_needs
from sessions_app.models import Grant, ToolCall, Turn
from tests.support.asking import DEPLOYS, go_on, set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.workers import found

pytestmark = pytest.mark.one_database

LOOK = tool_call("list")
OTHER = tool_call("glob", pattern="*.md")


def run(site: SessionSite, *made: ScriptedCall) -> Turn:
    """Run a turn whose model makes these calls, each in a message of its own."""
    site.script(*(calls(call) for call in made), text("Done."))
    return site.run_prompt()


def test_the_third_identical_call_in_a_row_is_asked(site: SessionSite) -> None:
    turn = run(site, LOOK, LOOK, LOOK)
    assert turn.state == Turn.State.WAITING
    assert [call.state for call in site.calls(turn)] == ["completed", "completed", "waiting"]
    (need,) = site.open_request().needs
    assert (need["permission"], need["patterns"], need["always"]) == ("doom_loop", ["list"], ["list"])


def test_the_question_shows_what_the_call_does(site: SessionSite) -> None:
    run(site, OTHER, OTHER, OTHER)
    (need,) = site.open_request().needs
    assert need["metadata"] == {"times": 3, "arguments": {"pattern": "*.md"}}


def test_the_question_shows_the_beginning_of_very_long_arguments(site: SessionSite) -> None:
    long = tool_call("glob", pattern="*.md" + "x" * 50_000)
    run(site, long, long, long)
    (need,) = site.open_request().needs
    shown = need["metadata"]["raw_arguments"]
    assert "*.md" in shown
    assert len(shown) == MAX_SHOWN_ARGUMENTS + 1


@pytest.mark.parametrize(
    "made",
    [
        (LOOK, LOOK),
        (LOOK, LOOK, OTHER, LOOK, LOOK),
        (LOOK, OTHER, LOOK, OTHER, LOOK),
        (LOOK, tool_call("list", path="."), LOOK, tool_call("list", path=".")),
    ],
)
def test_less_than_three_in_a_row_are_nobodys_business(site: SessionSite, made: tuple[ScriptedCall, ...]) -> None:
    assert run(site, *made).state == Turn.State.COMPLETED


def test_the_same_call_several_times_at_once_is_no_repetition(site: SessionSite) -> None:
    """The same call several times in one message is no repetition, because the agent has read none of the results when
    it makes the others."""
    site.script(calls(LOOK, LOOK, LOOK, LOOK), text("Done."))
    assert site.run_prompt().state == Turn.State.COMPLETED


def test_twice_at_once_and_then_again_is_made_in_two_answers_only(site: SessionSite) -> None:
    site.script(calls(LOOK, LOOK), calls(LOOK), text("Done."))
    assert site.run_prompt().state == Turn.State.COMPLETED


def test_a_call_among_others_is_repeated_as_well(site: SessionSite) -> None:
    site.script(calls(OTHER, LOOK), calls(LOOK, tool_call("list", path=".")), calls(LOOK, LOOK, OTHER), text("Done."))
    turn = site.run_prompt()
    assert [call.state for call in site.calls(turn)][4:] == ["waiting", "waiting", "completed"]


def test_calls_that_were_rejected_count_and_one_request_asks_for_everything(site: SessionSite) -> None:
    turn = run(site, DEPLOYS, DEPLOYS, DEPLOYS)
    for _ in range(2):
        assert [need["permission"] for need in site.open_request().needs] == ["bash"]
        site.reply("reject", message="No.")
        go_on(site, turn)
    assert [need["permission"] for need in site.open_request().needs] == ["bash", "doom_loop"]


def test_another_turn_begins_anew(site: SessionSite) -> None:
    session = site.open_session()
    for _ in range(3):
        site.script(calls(LOOK), text("Done."))
        assert site.run_prompt(session=session).state == Turn.State.COMPLETED


def test_once_allows_two_more_like_it(site: SessionSite) -> None:
    turn = run(site, *[LOOK] * 7)
    asked = []
    while turn.state == Turn.State.WAITING:
        asked.append(len(site.calls(turn)))
        site.reply("once")
        go_on(site, turn)
    assert asked == [3, 6]
    assert turn.state == Turn.State.COMPLETED


def test_always_is_about_the_tool(site: SessionSite) -> None:
    turn = run(site, *[LOOK] * 7)
    site.reply("always")
    assert go_on(site, turn).state == Turn.State.COMPLETED
    grant = Grant.objects.get()
    assert (grant.permission, grant.pattern) == ("doom_loop", "list")


def test_a_reject_with_words_breaks_the_loop(site: SessionSite) -> None:
    turn = run(site, LOOK, LOOK, LOOK)
    site.reply("reject", message="You have seen it twice.")
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == ["completed", "completed", "error"]


@pytest.mark.parametrize(("action", "state"), [("allow", "completed"), ("deny", "error")])
def test_rules_decide_about_it(site: SessionSite, action: str, state: str) -> None:
    set_policy(site.team, rules=[{"permission": "doom_loop", "pattern": "list", "action": action}])
    turn = run(site, LOOK, LOOK, LOOK)
    assert [call.state for call in site.calls(turn)] == ["completed", "completed", state]


def test_looking_for_it_costs_nothing_while_calls_differ(
    site: SessionSite, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    site.script(calls(LOOK), calls(OTHER), calls(LOOK))
    turn = site.prompt(site.open_session())
    site.pump.run(until=lambda: ToolCall.objects.filter(turn=turn).count() == 3)
    last = site.calls(turn)[-1]
    with django_assert_num_queries(1):
        assert repetition_needs(found(last).row) == ()


def test_it_is_known_again_when_the_call_is_looked_at_again(site: SessionSite) -> None:
    turn = run(site, LOOK, LOOK, LOOK)
    ToolCall.objects.filter(turn=turn, state="waiting").update(state="pending")
    (call,) = ToolCall.objects.filter(turn=turn, state="pending")
    for _ in range(2):
        held = find_call(call.id, token="t", now=call.created_at)
        assert held is not None
        assert len(repetition_needs(held.row)) == 1
