"""A stop takes effect at once in every state of a session, and no late message undoes the stop."""

import signal
import uuid
from collections.abc import Callable
from decimal import Decimal

import pytest
from django.utils import timezone

from agentsite.base.errors import Missing, NotAllowed
from agentsite.tenancy.roles import Role
from sessions_app.actions.calls import find_call
from sessions_app.actions.failed_steps import retry_step
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.turns import LeaseLost, begin_step, finish_step, open_message, save_parts
from sessions_app.agent.answer import DraftPart, ModelAnswer
from sessions_app.llm.port import Finished, TextDelta
from sessions_app.models import Message, Part, PermissionRequest, Session, ToolCall, Turn
from sessions_app.spending.reservations import StepUsage
from tests.support.builders import make_member, make_team
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.processes import is_alive
from tests.support.session_site import SessionSite, chat_is_well_formed, snapshot_of, verify_events
from tests.support.threads import at_work
from tests.support.workers import acquire, complete


def stop(site: SessionSite, turn: Turn) -> Turn:
    assert abort_turn(actor=site.user, session=Session.objects.select_related("project").get(pk=turn.session_id))
    turn.refresh_from_db()
    return turn


def assert_stopped(turn: Turn) -> None:
    assert turn.state == Turn.State.ABORTED
    assert turn.ended_at is not None
    assert Session.objects.get(pk=turn.session_id).status == Session.Status.IDLE
    assert not ToolCall.objects.filter(turn=turn, state__in=ToolCall.OPEN).exists()
    assert not Message.objects.filter(turn=turn, state=Message.State.STREAMING).exists()


def test_while_the_model_streams_the_stop_is_seen_at_once_and_the_connection_is_closed(site: SessionSite) -> None:
    hold = uuid.uuid4().hex
    script = site.script(text("Once upon a time", chunk_size=4, hold=hold, hold_after=2))
    turn = site.prompt(site.open_session())
    before = snapshot_of(turn.session_id)
    with at_work(site.pump.run):
        script.requests(at_least=1, state="held")
        wait_until(lambda: Part.objects.filter(message__turn=turn, type="text").count() == 2, "the answer is shown")
        assert_stopped(stop(site, turn))
        script.requests(at_least=1, state="disconnected")
    (answer,) = site.answers(turn)
    assert answer.state == Message.State.INTERRUPTED
    assert_stopped(turn)
    verify_events(turn.session_id, before)


def test_a_running_command_really_ends(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="echo $$ > pid; echo begun; exec sleep 300")))
    turn = site.prompt(site.open_session(allow=("bash",)))
    before = snapshot_of(turn.session_id)
    pid_file = site.files / "pid"
    with at_work(site.pump.run):
        wait_until(lambda: pid_file.exists() and bool(pid_file.read_text().strip()), "the command runs")
        wait_until(lambda: ToolCall.objects.get(turn=turn).live_output == "begun\n", "its output is kept")
        assert_stopped(stop(site, turn))
    pid = int(pid_file.read_text())
    site.pump.run()
    wait_until(lambda: not is_alive(pid), "the process is gone")
    call = ToolCall.objects.get(turn=turn)
    assert call.state == ToolCall.State.ABORTED
    assert call.output == "begun\n\n\nStopped by a person."
    verify_events(turn.session_id, before)


def test_the_wake_up_to_end_a_command_alone_ends_it(site: SessionSite) -> None:
    """The task `end_tool_call` alone ends the command of a stopped turn, because the worker that ran the command is
    dead."""
    site.script(calls(tool_call("bash", command="trap '' TERM; echo $$ > pid; while true; do sleep 1; done")))
    turn = site.prompt(site.open_session(allow=("bash",)))
    pid_file = site.files / "pid"
    with at_work(site.pump.run):
        wait_until(lambda: pid_file.exists() and bool(pid_file.read_text().strip()), "the command runs")
        pid = int(pid_file.read_text())
        assert is_alive(pid)
        stop(site, turn)
        assert "sessions.end_tool_call" in site.pump.names()
    site.pump.run()
    assert not is_alive(pid)


def test_stopping_while_a_person_is_asked_takes_the_question_back(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="make hi")))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    assert_stopped(stop(site, turn))
    assert PermissionRequest.objects.get().state == PermissionRequest.State.CANCELLED
    assert site.pump.names() == []
    verify_events(turn.session_id, before)


def test_stopping_before_anything_began(site: SessionSite) -> None:
    script = site.script(text("Never said."))
    turn = site.prompt(site.open_session())
    assert_stopped(stop(site, turn))
    site.pump.run()
    assert script.requests() == []
    assert_stopped(Turn.objects.get(pk=turn.pk))


def test_stopping_during_the_pause_before_a_retry(site: SessionSite) -> None:
    script = site.script(text("", fault="status", status=500), text("Never said."))
    turn = site.run_prompt()
    assert_stopped(stop(site, turn))
    site.skip_waits()
    site.recover()
    site.pump.run()
    assert len(script.requests()) == 1


def test_an_idle_session_has_nothing_to_stop(site: SessionSite) -> None:
    session = site.open_session()
    last = Session.objects.get(pk=session.pk).last_seq
    assert not abort_turn(actor=site.user, session=session)
    assert Session.objects.get(pk=session.pk).last_seq == last


def test_a_viewer_may_not_stop_and_a_stranger_sees_nothing(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="make hi")))
    turn = site.run_prompt()
    session = Session.objects.select_related("project").get(pk=turn.session_id)
    with pytest.raises(NotAllowed):
        abort_turn(actor=site.member(Role.VIEWER), session=session)
    with pytest.raises(Missing):
        abort_turn(actor=make_member(make_team()), session=session)
    turn.refresh_from_db()
    assert turn.state == Turn.State.WAITING


def test_what_the_stopped_step_writes_later_is_dropped(site: SessionSite) -> None:
    turn = site.prompt(site.open_session())
    step = begin_step(turn.id, token="a" * 32, model="demo")
    assert step is not None
    part = DraftPart(uuid.uuid4(), 0, "text", "half")
    open_message(step, [part])
    stop(site, turn)
    before = snapshot_of(turn.session_id)
    answer = ModelAnswer(uuid.uuid4)
    answer.add(TextDelta("the whole answer"))
    answer.add(Finished("stop"))
    attempts: tuple[Callable[[], None], ...] = (
        lambda: finish_step(step, answer, StepUsage({}, Decimal(0)), opened=True),
        lambda: open_message(step, [DraftPart(uuid.uuid4(), 1, "text")]),
        lambda: save_parts(step, [part]),
        lambda: retry_step(step, message="again", delay=1.0, tries=6),
    )
    for late in attempts:
        with pytest.raises(LeaseLost):
            late()
    assert snapshot_of(turn.session_id) == before


def test_the_result_of_a_stopped_call_is_dropped(site: SessionSite) -> None:
    site.script(calls(tool_call("todoread")))
    turn = site.prompt(site.open_session())
    site.pump.run(until=ToolCall.objects.exists)
    (call,) = site.calls(turn)
    judged, running = (find_call(call.id, token=token * 32, now=timezone.now()) for token in "ab")
    assert judged is not None
    assert running is not None
    assert acquire(running)
    stop(site, turn)
    before = snapshot_of(turn.session_id)
    assert not acquire(judged)
    assert not complete(running, "late")
    assert not complete(judged, "late")
    assert snapshot_of(turn.session_id) == before


@pytest.mark.parametrize("moment", ["streaming", "running", "waiting"])
def test_a_prompt_after_the_stop_works_and_the_conversation_is_well_formed(site: SessionSite, moment: str) -> None:
    hold = uuid.uuid4().hex
    first = {
        "streaming": text("Half a", chunk_size=3, hold=hold, hold_after=1),
        "running": calls(tool_call("bash", command="touch begun; sleep 300"), tool_call("todoread")),
        "waiting": calls(tool_call("bash", command="make hi"), tool_call("bash", command="make ho")),
    }[moment]
    script = site.script(first, text("Here I am."))
    session = site.open_session(allow=("bash",) if moment == "running" else ())
    turn = site.prompt(session, "Begin.")
    with at_work(site.pump.run):
        if moment == "streaming":
            script.requests(at_least=1, state="held")
        elif moment == "running":
            wait_until((site.files / "begun").exists, "the command runs")
        else:
            wait_until(lambda: PermissionRequest.objects.count() == 2, "both calls wait")
        stop(site, turn)
    again = site.run_prompt("Are you there?", session=session)
    assert again.pk != turn.pk
    assert again.state == Turn.State.COMPLETED
    sent = script.requests(at_least=2)[1]["body"]["messages"]
    assert chat_is_well_formed(sent)
    assert [message["content"] for message in sent if message["role"] == "user"] == ["Begin.", "Are you there?"]
    made = [call for message in sent for call in message.get("tool_calls") or ()]
    assert len(made) == (0 if moment == "streaming" else 2)


def test_ending_a_call_twice_does_no_harm(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="sleep 300 & echo $! > pid; wait")))
    turn = site.prompt(site.open_session(allow=("bash",)))
    pid_file = site.files / "pid"
    with at_work(site.pump.run):
        wait_until(lambda: pid_file.exists() and bool(pid_file.read_text().strip()), "the command runs")
        stop(site, turn)
    site.pump.run(times=2)
    assert not is_alive(int(pid_file.read_text()))


def test_the_signal_that_ends_a_command_is_not_ours(site: SessionSite) -> None:
    """A command that ends itself with a signal has an ordinary result, unlike a command that was stopped."""
    site.script(calls(tool_call("bash", command="kill -TERM $$")), text("It ended itself."))
    turn = site.run_prompt(session=site.open_session(allow=("bash",)))
    assert turn.state == Turn.State.COMPLETED
    assert site.calls(turn)[0].metadata["exit_code"] == 128 + signal.SIGTERM
