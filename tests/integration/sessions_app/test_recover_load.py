"""While workers are missing for long, recovery tasks do not pile up and do not delay the remaining workers."""

import pytest
from django.db import DataError, OperationalError
from django.utils import timezone

from deploy.demo_model.scripts import ScriptedCall
from sessions_app import queueing
from sessions_app.actions import recover
from sessions_app.actions.calls import fail_turn_of, find_call
from sessions_app.models import Session, ToolCall, Turn, Workspace
from sessions_app.workers.agent import step
from tests.support.lanes import fewer
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.workers import acquire

COUNT = tool_call("bash", command="echo ran >> counter.txt")


def until_called(site: SessionSite, *tool_calls: ScriptedCall) -> Turn:
    """Run a turn until its first step has requested these calls; none of them has begun."""
    site.script(calls(*tool_calls), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    site.pump.run(until=ToolCall.objects.filter(turn=turn).exists)
    site.pump.lose()
    return turn


def finish(site: SessionSite, turn: Turn) -> str:
    site.pump.run()
    turn.refresh_from_db()
    return turn.state


def test_wake_ups_do_not_pile_up_while_no_worker_is_there(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueing, "MAX_QUEUE_LENGTH", 5)
    site.script(text("Done."))
    turn = site.prompt(site.open_session())
    for _ in range(50):
        site.recover()
    assert site.pump.names().count("sessions.advance_turn") == 5
    site.pump.lose()
    assert site.recover()["turns"] == 1
    assert finish(site, turn) == Turn.State.COMPLETED


def test_calls_of_a_node_that_is_gone_stand_in_nobodys_way(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recover, "BATCH", 1)
    monkeypatch.setattr(queueing, "MAX_QUEUE_LENGTH", 2)
    gone = until_called(site, COUNT, COUNT, COUNT)
    workspace = Workspace.objects.create(project=site.project, name="gone", node="gone", seeded=True)
    Session.objects.filter(pk=gone.session_id).update(workspace=workspace)
    turn = until_called(site, COUNT)
    for _ in range(fewer(100, default=40)):  # each takes one of four rows by chance
        site.recover()
    assert [wake_up.queue for wake_up in site.pump.waiting].count("sandbox.gone") == 2
    assert finish(site, turn) == Turn.State.COMPLETED


def test_a_long_queue_of_the_real_broker_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueing, "MAX_QUEUE_LENGTH", 2)
    assert queueing.has_room("sandbox.somewhere")
    for _ in range(2):
        queueing.enqueue_node_housekeeping("somewhere")
    assert not queueing.has_room("sandbox.somewhere")
    assert queueing.has_room("sandbox.elsewhere")


def test_an_answer_that_the_database_refuses_is_not_asked_for_for_ever(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model's answer that the database refuses is not requested again, because each attempt is a model call that
    costs money."""

    def refuse(*_args: object, **_fields: object) -> None:
        raise DataError("numeric field overflow")

    monkeypatch.setattr(step, "finish_step", refuse)
    script = site.script(text("Done."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.FAILED
    assert turn.error == step.OUR_FAULT
    assert site.recover()["turns"] == 0
    assert len(script.requests()) == 1


def test_an_answer_for_which_the_database_is_away_is_asked_for_again(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock_out(*_args: object, **_fields: object) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as locked:
        locked.setattr(step, "finish_step", lock_out)
        site.script(text("Done."), text("Done."))
        turn = site.prompt(site.open_session())
        with pytest.raises(OperationalError):
            site.pump.run()
    site.abandon()
    site.pump.lose()
    assert site.recover(later=0)["turns"] == 1
    assert finish(site, turn) == Turn.State.COMPLETED


def test_a_worker_that_lost_its_call_does_not_fail_the_turn_of_the_one_that_has_it(site: SessionSite) -> None:
    turn = until_called(site, COUNT)
    (call,) = site.calls(turn)
    slow, quick = (find_call(call.id, token=name, now=timezone.now()) for name in ("slow", "quick"))
    assert slow is not None
    assert quick is not None
    assert acquire(quick)
    assert not fail_turn_of(slow, error={"code": "sandbox_unavailable", "message": "Away.", "hint": ""})
    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING
    assert fail_turn_of(quick, error={"code": "sandbox_unavailable", "message": "Away.", "hint": ""})
    turn.refresh_from_db()
    assert turn.state == Turn.State.FAILED
