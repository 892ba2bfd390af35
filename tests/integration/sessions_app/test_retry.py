"""Failures of a model: their retries, the state that people see meanwhile, and the content of the next attempt."""

from typing import Any

import pytest

from deploy.demo_model.scripts import Step
from sessions_app.llm.retry import MAX_RETRIES
from sessions_app.models import Message, Part, Session, Turn
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, snapshot_of, verify_events

pytestmark = pytest.mark.one_database

BUSY = Step(fault="status", status=429, retry_after="7")
BROKEN = Step(fault="status", status=500)
CUT = Step(text="Half of a sent", chunk_size=4, fault="cut", fault_after=2)
GARBAGE = Step(fault="garbage")
HALF_CALL = Step(tool_calls=(tool_call("bash", command="echo hi"),), fault="half_call")
NO_END = Step(text="Never ends", fault="no_finish", fault_after=1)


def try_again(site: SessionSite, turn: Turn) -> Turn:
    """End the pause before the retry, and continue the turn."""
    site.skip_waits()
    site.recover()
    site.pump.run()
    turn.refresh_from_db()
    return turn


def retries(turn: Turn) -> list[dict[str, Any]]:
    return [part.data for part in Part.objects.filter(message__turn=turn, type=Part.Type.RETRY).order_by("id")]


def sent(script: PostedScript, *, request: int) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = script.requests(at_least=request)[request - 1]["body"]["messages"]
    return messages


@pytest.mark.parametrize(
    "fault", [BUSY, BROKEN, CUT, GARBAGE, HALF_CALL, NO_END, Step(fault="empty"), Step(fault="error_event")]
)
def test_a_passing_failure_is_shown_and_tried_again(site: SessionSite, fault: Step) -> None:
    site.script(fault, text("Now it works."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.RUNNING
    (note,) = retries(turn)
    assert note["attempt"] == 1
    assert note["message"].endswith(".")
    assert try_again(site, turn).state == Turn.State.COMPLETED
    assert [message.state for message in site.answers(turn)] == [Message.State.INTERRUPTED, Message.State.COMPLETE]
    assert turn.step_count == 1
    verify_events(session.id, before)


def test_the_pause_that_the_provider_asks_for_is_kept(site: SessionSite) -> None:
    script = site.script(BUSY, text("Never said."))
    turn = site.run_prompt()
    assert turn.not_before is not None
    assert (turn.not_before - turn.moved_at).total_seconds() == pytest.approx(7, abs=0.5)
    (wake_up,) = [one for one in site.pump.done if one.delay]
    assert wake_up.delay == pytest.approx(7)
    assert len(script.requests()) == 1


def test_nobody_goes_on_before_the_pause_is_over(site: SessionSite) -> None:
    script = site.script(BUSY, text("Never said."))
    turn = site.run_prompt()
    assert site.recover(later=6)["turns"] == 0
    assert site.recover(later=8)["turns"] == 1
    assert len(script.requests()) == 1
    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING


def test_half_an_answer_stays_visible_and_is_never_sent_again(site: SessionSite) -> None:
    script = site.script(CUT, text("The whole sentence."))
    session = site.open_session()
    turn = try_again(site, site.run_prompt("Begin.", session=session))
    assert turn.state == Turn.State.COMPLETED
    assert [message["role"] for message in sent(script, request=2)] == ["system", "user"]
    site.script(text("And?"))
    again = site.script(text("Good."))
    site.run_prompt("Go on.", session=session)
    assert [message["content"] for message in sent(again, request=1)[1:]] == [
        "Begin.", "The whole sentence.", "Go on.",
    ]  # fmt: skip


def test_the_call_of_a_broken_answer_is_not_made(site: SessionSite) -> None:
    site.script(HALF_CALL, text("Without it."))
    turn = try_again(site, site.run_prompt())
    assert turn.state == Turn.State.COMPLETED
    assert site.calls(turn) == []


def test_a_failure_in_the_middle_of_a_turn_keeps_what_was_done(site: SessionSite) -> None:
    script = site.script(calls(tool_call("todoread")), BROKEN, text("Done."))
    turn = try_again(site, site.run_prompt())
    assert turn.state == Turn.State.COMPLETED
    assert turn.step_count == 2
    assert len(site.calls(turn)) == 1
    assert chat_is_well_formed(sent(script, request=3))
    assert sent(script, request=3) == sent(script, request=2)


@pytest.mark.parametrize(("status", "hint"), [(401, "MODEL_API_KEY"), (403, "MODEL_API_KEY"), (404, "MODEL_NAME")])
def test_what_asking_again_cannot_mend_fails_at_once_with_a_next_step(
    site: SessionSite, status: int, hint: str
) -> None:
    script = site.script(Step(fault="status", status=status), text("Never said."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_refused"
    assert hint in turn.error["hint"]
    assert retries(turn) == []
    assert len(script.requests()) == 1
    assert Session.objects.get(pk=session.pk).status == Session.Status.IDLE
    verify_events(session.id, before)


def test_a_page_instead_of_a_model_fails_at_once(site: SessionSite) -> None:
    site.script(Step(fault="html"))
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert "MODEL_BASE_URL" in turn.error["hint"]


def test_a_model_that_cannot_be_reached_is_tried_again(site: SessionSite) -> None:
    site.settings.MODEL_BASE_URL = "http://127.0.0.1:1/v1"
    turn = site.run_prompt()
    assert turn.state == Turn.State.RUNNING
    assert "cannot be reached" in retries(turn)[0]["message"]


def test_after_the_last_try_the_turn_fails_and_says_why(site: SessionSite) -> None:
    script = site.script(*[BROKEN] * (MAX_RETRIES + 2))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    for _ in range(MAX_RETRIES):
        assert turn.state == Turn.State.RUNNING
        try_again(site, turn)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_unavailable"
    assert turn.error["hint"]
    assert [note["attempt"] for note in retries(turn)] == list(range(1, MAX_RETRIES + 1))
    assert len(script.requests()) == MAX_RETRIES + 1
    verify_events(session.id, before)


def test_pauses_grow_from_try_to_try(site: SessionSite) -> None:
    site.script(*[BROKEN] * (MAX_RETRIES + 1))
    turn = site.run_prompt()
    for _ in range(MAX_RETRIES - 1):
        try_again(site, turn)
    delays = [one.delay for one in site.pump.done if one.delay]
    assert len(delays) == MAX_RETRIES
    assert delays == sorted(delays)
    assert delays[0] >= 2


def test_a_success_forgets_the_failures_before_it(site: SessionSite) -> None:
    site.script(BROKEN, calls(tool_call("todoread")), BROKEN, text("Done."))
    turn = try_again(site, site.run_prompt())
    assert [note["attempt"] for note in retries(turn)] == [1, 1]
    assert try_again(site, turn).state == Turn.State.COMPLETED


def test_after_a_failed_turn_the_next_prompt_works(site: SessionSite) -> None:
    session = site.open_session()
    site.script(Step(fault="status", status=401))
    assert site.run_prompt("Begin.", session=session).state == Turn.State.FAILED
    script = site.script(text("Now."))
    assert site.run_prompt("Again.", session=session).state == Turn.State.COMPLETED
    assert [message["content"] for message in sent(script, request=1)[1:]] == ["Begin.", "Again."]


def test_a_conversation_that_is_too_long_fails_with_a_next_step(site: SessionSite) -> None:
    site.script(Step(fault="status", status=400, body='{"error": {"message": "maximum context length is 8192"}}'))
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "model_context_overflow"
    assert "new session" in turn.error["hint"]


def test_a_failure_of_our_own_ends_the_turn_instead_of_coming_back_for_ever(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions_app.workers.agent.step._build_request", lambda *_step, **_options: 1 // 0)
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "internal_error"
    assert site.recover()["turns"] == 0


def test_a_title_is_made_by_the_small_model_and_never_in_the_way(site: SessionSite) -> None:
    site.script(text("Hello."))
    session = site.open_session(title="")
    turn = site.run_prompt("Please count the tea boxes", session=session)
    session.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert session.title
    assert "\n" not in session.title


def test_without_the_small_model_the_first_words_are_the_title(site: SessionSite) -> None:
    site.settings.SMALL_MODEL_NAME = "unknown-model"
    site.script(text("Hello."))
    session = site.open_session(title="")
    site.run_prompt("Please count\nthe tea boxes", session=session)
    session.refresh_from_db()
    assert session.title == "Please count the tea boxes"
