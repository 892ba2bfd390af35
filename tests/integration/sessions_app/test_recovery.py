"""Workers die, wake-ups get lost or come twice, and still everything happens once."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from agentsite.background import background
from sessions_app.actions.calls import INTERRUPTED, HeldCall, find_call, take_call
from sessions_app.actions.prompts import submit_prompt
from sessions_app.actions.recover import find_log_gaps
from sessions_app.actions.sessions import update_session
from sessions_app.actions.turns import (
    STEP_LIMIT,
    LeaseLost,
    Spent,
    Step,
    begin_step,
    fail_turn,
    finish_step,
    open_message,
    retry_step,
)
from sessions_app.agent.answer import Answer, DraftPart
from sessions_app.llm.port import Finished, TextDelta
from sessions_app.models import Message, Session, SessionEvent, ToolCall, Turn
from sessions_app.tasks import node
from sessions_app.tasks.call import OUR_FAULT
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, snapshot_of, verify_events
from tests.support.threads import at_work, of_kind, race

COUNT = tool_call("bash", command="echo ran >> counter.txt")


def token() -> str:
    return uuid.uuid4().hex


def found(call: ToolCall) -> HeldCall:
    held = find_call(call.id, token=token(), now=timezone.now())
    assert held is not None
    return held


def taken(call: ToolCall) -> HeldCall:
    held = found(call)
    assert take_call(held, decision=None, title="")
    return held


def runs(site: SessionSite) -> int:
    counter = site.files / "counter.txt"
    return len(counter.read_text().splitlines()) if counter.exists() else 0


def until_called(site: SessionSite, session: Session) -> ToolCall:
    """A turn whose first step has asked for one call that nobody has begun."""
    turn = site.prompt(session)
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    (call,) = site.calls(turn)
    return call


def finish(site: SessionSite, turn_id: uuid.UUID) -> Turn:
    site.pump.run()
    return Turn.objects.get(pk=turn_id)


# wake-ups


def test_a_lost_wake_up_of_a_turn_is_sent_again(site: SessionSite) -> None:
    site.script(text("Done."))
    turn = site.prompt(site.open_session())
    assert len(site.pump.lose()) >= 1
    assert site.recover(later=1)["turns"] == 0
    assert site.recover(later=6)["turns"] == 1
    assert finish(site, turn.id).state == Turn.State.COMPLETED


def test_a_lost_wake_up_of_a_call_is_sent_again(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    assert site.recover()["calls"] == 1
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    assert runs(site) == 1


def test_a_lost_wake_up_after_the_last_call_is_sent_again(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(until=ToolCall.objects.filter(state="completed").exists)
    site.pump.lose()
    assert site.recover()["turns"] == 1
    assert finish(site, turn.id).state == Turn.State.COMPLETED


def test_a_lost_wake_up_after_an_answer_is_sent_again(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    turn = site.run_prompt()
    site.reply("once")
    site.pump.lose()
    assert site.recover()["calls"] == 1
    assert finish(site, turn.id).state == Turn.State.COMPLETED


def test_the_broker_may_be_emptied_after_every_single_delivery(site: SessionSite) -> None:
    site.script(calls(COUNT, tool_call("todoread")), calls(COUNT), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    for _ in range(30):
        site.pump.lose()
        site.recover()
        if not site.pump.waiting:
            break
        site.pump.step()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert runs(site) == 2


def test_what_is_done_is_not_woken_again(site: SessionSite) -> None:
    site.script(text("Done."))
    site.run_prompt()
    assert set(site.recover(later=3600).values()) == {0}


def test_what_waits_for_a_person_is_not_woken(site: SessionSite) -> None:
    site.script(calls(COUNT))
    site.run_prompt()
    assert set(site.recover(later=3600).values()) == {0}


# a worker dies


def test_a_step_whose_worker_died_before_the_answer_is_run_again(site: SessionSite) -> None:
    site.script(text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.lose()
    assert begin_step(turn.id, token=token(), model="demo") is not None
    assert site.recover(later=1)["turns"] == 0
    site.abandon()
    assert site.recover(later=0)["turns"] == 1
    assert finish(site, turn.id).state == Turn.State.COMPLETED


def test_a_step_whose_worker_died_in_the_middle_of_the_answer_is_run_again(site: SessionSite) -> None:
    script = site.script(text("The whole answer."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.prompt(session)
    site.pump.lose()
    step = begin_step(turn.id, token=token(), model="demo")
    assert step is not None
    open_message(step, [DraftPart(uuid.uuid4(), 0, "text", "The wh")])
    site.abandon()
    site.recover(later=0)
    assert finish(site, turn.id).state == Turn.State.COMPLETED
    assert [answer.state for answer in site.answers(turn)] == [Message.State.INTERRUPTED, Message.State.COMPLETE]
    assert [message["role"] for message in script.requests(at_least=1)[0]["body"]["messages"]] == ["system", "user"]
    verify_events(session.id, before)


def test_a_call_whose_worker_died_before_it_began_is_run_once(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    found(call)
    site.recover()
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    assert runs(site) == 1


def test_a_command_whose_worker_died_goes_on_and_its_result_is_taken_over(site: SessionSite) -> None:
    """The worker is lost while the command runs; its successor finds the same process, not a second one."""
    site.script(
        calls(tool_call("bash", command="echo ran >> counter.txt; until [ -e go ]; do sleep 0.02; done; echo end")),
        text("Done."),
    )
    call = until_called(site, site.open_session(allow=("bash",)))
    site.recover()

    def lose_the_lease() -> None:
        wait_until(lambda: runs(site) == 1, "the command runs")
        ToolCall.objects.filter(pk=call.pk).update(lease_token="dead worker")

    with at_work(site.pump.run):
        lose_the_lease()
    call.refresh_from_db()
    assert call.state == ToolCall.State.RUNNING
    site.abandon()
    site.recover(later=0)
    (site.files / "go").touch()
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    call.refresh_from_db()
    assert "end" in call.output
    assert runs(site) == 1


def test_a_command_that_ended_unseen_gives_its_result_to_the_successor(site: SessionSite) -> None:
    site.script(calls(COUNT), text("Done."))
    call = until_called(site, site.open_session(allow=("bash",)))
    taken(call)
    runtime = node.runtime_of(site.workspace)
    from sandbox.ports import RunRequest

    background.run(runtime.run(RunRequest(call.public_id, call.arguments["command"])))
    site.abandon()
    site.recover(later=0)
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    assert runs(site) == 1


def test_an_edit_whose_worker_died_is_not_repeated_and_the_model_is_told(site: SessionSite) -> None:
    site.write("a.txt", "one one\n")
    script = site.script(
        calls(tool_call("edit", filePath="a.txt", oldString="one", newString="one two", replaceAll=True)), text("Hm.")
    )
    session = site.open_session()
    before = snapshot_of(session.id)
    call = until_called(site, session)
    taken(call)
    site.write("a.txt", "one two one two\n")  # it had happened
    site.abandon()
    site.recover(later=0)
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    call.refresh_from_db()
    assert (call.state, call.output) == (ToolCall.State.ERROR, INTERRUPTED)
    assert (site.files / "a.txt").read_text() == "one two one two\n"
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == INTERRUPTED
    verify_events(session.id, before)


def test_a_reading_call_whose_worker_died_is_simply_made_again(site: SessionSite) -> None:
    site.write("a.txt", "hello\n")
    site.script(calls(tool_call("read", filePath="a.txt")), text("Done."))
    call = until_called(site, site.open_session())
    taken(call)
    site.abandon()
    site.recover(later=0)
    assert finish(site, call.turn_id).state == Turn.State.COMPLETED
    call.refresh_from_db()
    assert "hello" in call.output


def test_a_tool_that_fails_on_our_side_answers_the_model_instead_of_coming_back_for_ever(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(prepared: Any, ctx: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("tools_app.chain.run", fail)
    script = site.script(calls(tool_call("todoread")), text("I go on."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == OUR_FAULT


def test_a_turn_that_never_ends_is_stopped_with_a_reason(site: SessionSite) -> None:
    site.script(calls(tool_call("todoread")), text("Never said."))
    session = site.open_session()
    turn = site.prompt(session)
    Turn.objects.update(step_count=STEP_LIMIT)
    turn = finish(site, turn.id)
    assert turn.state == Turn.State.FAILED
    assert turn.error is not None
    assert turn.error["code"] == "step_limit"


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
    outcomes = race(*(lambda one=one: take_call(one, decision=None, title="") for one in held))
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
    site.script(calls(COUNT))
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
    answer = Answer(uuid.uuid4)
    answer.add(TextDelta("late"))
    answer.add(Finished("stop"))
    for late in (
        lambda: open_message(slow, []),
        lambda: finish_step(slow, answer, Spent({}, Decimal(0)), opened=False),
        lambda: retry_step(slow, message="again", delay=1.0),
        lambda: fail_turn(slow, error={"code": "x", "message": "x", "hint": "x"}),
    ):
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
    assert snapshot_of(turn.session_id) == before


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
