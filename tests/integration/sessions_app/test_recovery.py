"""Turns, steps and tool calls are executed exactly once, even if workers die and tasks are lost or delivered twice."""

import uuid
from typing import Any

import pytest

from agentsite.base.background import background
from sessions_app.actions.turns import (
    STEP_LIMIT,
    begin_step,
    open_message,
)
from sessions_app.agent.answer import DraftPart
from sessions_app.models import Message, ToolCall, Turn
from sessions_app.workers.sandbox import deployment
from sessions_app.workers.sandbox.tool_call import OUR_FAULT
from tests.support.asking import waiting_turn
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import at_work
from tests.support.workers import COUNT, finish, found, runs, taken, token, until_called

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
    turn = waiting_turn(site)
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
    """A command whose worker died continues, and the next worker takes over the same process instead of starting a
    second one."""
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
    runtime = deployment.runtime_of(site.workspace)
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
    assert call.state == ToolCall.State.ERROR
    assert call.output == "interrupted: the file was either changed as asked or not at all. Read it before you go on."
    assert (site.files / "a.txt").read_text() == "one two one two\n"
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == call.output
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
