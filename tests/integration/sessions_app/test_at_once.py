"""Of several workers or people who act at the same moment, exactly one succeeds, and the log stays in order."""

import uuid
from collections.abc import Callable
from decimal import Decimal

import pytest

from sessions_app.actions.failed_steps import fail_turn, retry_step
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.sessions import update_session
from sessions_app.actions.turns import LeaseLost, Step, begin_step, finish_step, open_message
from sessions_app.agent.answer import ModelAnswer
from sessions_app.llm.port import Finished, TextDelta
from sessions_app.models import Message, SessionEvent, ToolCall, Turn
from sessions_app.spending.reservations import StepUsage
from tests.support.asking import DEPLOYS
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text
from tests.support.session_site import SessionSite, chat_is_well_formed, find_log_gaps, snapshot_of
from tests.support.threads import at_work, of_kind, race
from tests.support.workers import COUNT, acquire, finish, found, runs, token, until_called

# two workers at once


def test_of_workers_that_begin_a_step_at_the_same_moment_exactly_one_does(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    outcomes = race(*(lambda: begin_step(turn.id, token=token(), model="demo") for _ in range(6)))
    assert len(of_kind(outcomes, Step)) == 1
    assert outcomes.count(None) == 5
    turn.refresh_from_db()
    assert turn.lease_token != ""


def test_of_workers_that_take_a_call_at_the_same_moment_exactly_one_does(site: SessionSite) -> None:
    site.script(calls(COUNT))
    call = until_called(site, site.open_session(allow=("bash",)))
    held = [found(call) for _ in range(6)]
    outcomes = race(*(lambda one=one: acquire(one) for one in held))
    assert sorted(outcomes) == [False] * 5 + [True]
    winner = held[outcomes.index(True)]
    assert ToolCall.objects.get(pk=call.pk).lease_token == winner.token


def test_of_workers_that_execute_a_call_at_the_same_moment_one_runs_it(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    site.recover()
    (wake_up,) = site.pump.lose()
    from celery import current_app

    outcomes = race(*(lambda: current_app.tasks[wake_up.name](*wake_up.args) for _ in range(4)))
    assert outcomes == [None] * 4
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    assert runs(site) == 1


def test_of_workers_that_ask_for_the_same_call_one_makes_a_request(site: SessionSite) -> None:
    site.script(calls(DEPLOYS))
    call = until_called(site, site.open_session())
    site.recover()
    (wake_up,) = site.pump.lose()
    from celery import current_app

    assert race(*(lambda: current_app.tasks[wake_up.name](*wake_up.args) for _ in range(4))) == [None] * 4
    assert call.permission_requests.count() == 1


def test_everything_delivered_twice_happens_once(site: SessionSite) -> None:
    script = site.script(calls(COUNT, COUNT), calls(COUNT), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(times=3)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert runs(site) == 3
    assert len(script.requests()) == 3
    assert chat_is_well_formed(script.requests()[-1]["body"]["messages"])


def test_a_worker_that_lost_its_lease_writes_nothing(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    slow = begin_step(turn.id, token=token(), model="demo")
    assert slow is not None
    site.abandon()
    fresh = begin_step(turn.id, token=token(), model="demo")
    assert fresh is not None
    before = snapshot_of(turn.session_id)
    answer = ModelAnswer(uuid.uuid4)
    answer.add(TextDelta("late"))
    answer.add(Finished("stop"))
    attempts: tuple[Callable[[], None], ...] = (
        lambda: open_message(slow, []),
        lambda: finish_step(slow, answer, StepUsage({}, Decimal(0)), opened=False),
        lambda: retry_step(slow, message="again", delay=1.0, tries=6),
        lambda: fail_turn(slow, error={"code": "x", "message": "x", "hint": "x"}),
    )
    for late in attempts:
        with pytest.raises(LeaseLost):
            late()
    assert snapshot_of(turn.session_id) == before


def test_a_lease_that_is_lost_while_the_model_streams_ends_the_step_in_silence(site: SessionSite) -> None:
    hold = token()
    script = site.script(text("Once upon a time", chunk_size=4, hold=hold, hold_after=2))
    turn = site.prompt(site.open_session())
    with at_work(site.pump.run):
        script.requests(at_least=1, state="held")
        wait_until(lambda: Message.objects.filter(turn=turn, role="assistant").exists(), "the answer is shown")
        Turn.objects.filter(pk=turn.pk).update(lease_token="another worker")
        before = snapshot_of(turn.session_id)
        script.requests(at_least=1, state="disconnected")
    after = snapshot_of(turn.session_id)
    assert after["session"]["unpriced_calls"] == 1  # of the answer's start
    for told in (before, after):
        for field in ("seq", "session"):
            del told[field]
    assert after == before


# the log


def test_the_log_has_no_gaps_and_one_order_under_many_writers(site: SessionSite) -> None:
    session = site.open_session()

    def write(number: int) -> None:
        for round_number in range(3):
            update_session(actor=site.user, session=session, title=f"{number}.{round_number}")

    assert race(*(lambda n=n: write(n) for n in range(20))) == [None] * 20
    session.refresh_from_db()
    assert find_log_gaps(session) == []
    assert session.last_seq == 1 + 60
    told = [event.data["title"] for event in SessionEvent.objects.filter(session=session).order_by("seq")][1:]
    assert len(set(told)) == 60
    assert told[-1] == session.title
    for number in range(20):
        mine = [title for title in told if title.startswith(f"{number}.")]
        assert mine == sorted(mine), "each writer's own order is kept"


def test_prompts_at_the_same_moment_start_one_turn(site: SessionSite) -> None:
    session = site.open_session()
    outcomes = race(
        *(lambda n=n: submit_prompt(actor=site.user, session=session, text=f"prompt {n}") for n in range(5))
    )
    assert len({turn.pk for turn, _ in outcomes}) == 1
    assert Message.objects.filter(session=session).count() == 5
    script = site.script(text("All five."))
    site.pump.run()
    assert Turn.objects.get().state == Turn.State.COMPLETED
    prompts = {message["content"] for message in script.requests(at_least=1)[0]["body"]["messages"][1:]}
    assert prompts == {f"prompt {n}" for n in range(5)}


def test_a_prompt_that_comes_while_the_last_answer_streams_is_answered_too(site: SessionSite) -> None:
    hold = token()
    script = site.script(text("First answer.", hold=hold, hold_after=1), text("Second answer."))
    session = site.open_session()
    turn = site.prompt(session, "One.")
    with at_work(site.pump.run):
        script.requests(at_least=1, state="held")
        assert site.prompt(session, "Two.").pk == turn.pk
        script.release(hold)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    contents = [message["content"] for message in script.requests(at_least=2)[1]["body"]["messages"][1:]]
    assert contents == ["One.", "First answer.", "Two."]
