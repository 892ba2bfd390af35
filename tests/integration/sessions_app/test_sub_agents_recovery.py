"""Recovery of sub-agents from lost and repeated tasks, killed workers, deleted sessions and simultaneous actions.

In the end, the call and its sub-agent have matching states, and no tool call was executed twice.
"""

from typing import Any

import pytest

from sessions_app.actions.calls import close_call
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.sub_agents import follow_child
from sessions_app.events.log import session_write
from sessions_app.models import Session, SessionEvent, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE
from tests.support.model_server import calls, text
from tests.support.session_site import SessionSite, find_log_gaps, snapshot_of, verify_events
from tests.support.sub_agents import ask, call_of, child_of, scripts_of, session_of, until_asked
from tests.support.threads import race
from tests.support.workers import COUNT, finish, runs, taken


def test_the_broker_may_be_emptied_after_every_single_delivery(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "One"), ask("general", "Two")), text("Done.")],
        child=[calls(COUNT), calls(COUNT), text("Mine is done."), text("Mine too.")],
    )
    session = site.open_session()
    site.settings.MODEL_NAME = "demo"
    turn = site.prompt(session, parent.marker)
    Session.objects.update(rules=[{"permission": "bash", "pattern": "*", "action": "allow"}])
    before = snapshot_of(session.pk)
    for _ in range(80):
        site.pump.lose()
        site.recover()
        if not site.pump.waiting:
            break
        site.pump.step()
        Session.objects.update(rules=[{"permission": "bash", "pattern": "*", "action": "allow"}])
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert runs(site) == 2
    verify_events(session.pk, before)


def test_wake_ups_that_come_twice_do_no_harm(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run(times=2)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert Turn.objects.filter(caller__turn=turn).count() == 1
    ends = SessionEvent.objects.filter(session=turn.session_id, type="call.updated", data__state="completed")
    assert ends.count() == 1


def test_a_lost_word_of_the_end_is_sent_again(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run(until=lambda: Turn.objects.get(caller__turn=turn).state == "completed")
    site.pump.lose()
    assert call_of(turn).state == ToolCall.State.WAITING
    assert site.recover()["children"] == 1
    assert finish(site, turn.pk).state == Turn.State.COMPLETED


def test_a_lost_word_that_a_person_must_answer_is_sent_again(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    turn = until_asked(site, child=[calls(DEPLOYS)])
    site.pump.run(until=lambda: site.open_requests().exists())
    site.pump.lose()
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.RUNNING
    assert site.recover()["children"] == 1
    site.pump.run()
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.WAITING
    assert set(site.recover(later=60).values()) == {0}


def test_a_call_whose_worker_died_before_the_sub_agent_began_starts_one(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Done.")], child=[text("I looked.")])
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    taken(call_of(turn))
    site.abandon()
    site.recover(later=0)
    assert finish(site, turn.pk).state == Turn.State.COMPLETED
    assert Session.objects.filter(parent=turn.session_id).count() == 1


def test_what_ends_in_the_middle_of_the_start_leaves_nothing_of_it(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Done.")], child=[text("I looked.")])
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=ToolCall.objects.exists)
    with monkeypatch.context() as patch:
        patch.setattr("sessions_app.actions.sub_agents.add_message", die)
        with pytest.raises(KeyboardInterrupt):
            site.pump.run()
    assert not Session.objects.exclude(parent=None).exists()
    assert call_of(turn).state == ToolCall.State.RUNNING
    site.abandon()
    site.recover(later=0)
    assert finish(site, turn.pk).state == Turn.State.COMPLETED
    assert Session.objects.filter(parent=turn.session_id).count() == 1


def test_a_call_whose_sub_agent_was_deleted_ends_with_that_word(site: SessionSite) -> None:
    turn = until_asked(site)
    Session.objects.filter(parent=turn.session_id).delete()
    site.pump.lose()
    assert site.recover()["children"] == 1
    assert finish(site, turn.pk).state == Turn.State.COMPLETED
    assert "was deleted" in call_of(turn).output


def test_a_sub_agent_that_nobody_waits_for_any_more_is_stopped(site: SessionSite) -> None:
    turn = until_asked(site)
    with session_write(turn.session_id) as write:
        close_call(write, call_of(turn), ToolCall.State.ERROR, output="Lost.")
    assert site.recover()["children"] == 1
    assert Turn.objects.get(caller__turn=turn).state == Turn.State.ABORTED
    assert site.recover()["children"] == 0


def test_stopping_and_ending_at_the_same_moment_leaves_both_at_their_end(site: SessionSite) -> None:
    for _ in range(5):
        turn = until_asked(site)
        site.pump.run(until=lambda turn=turn: Turn.objects.get(caller__turn=turn).state == "completed")  # type: ignore[misc]
        call = call_of(turn)
        session, before = session_of(turn), snapshot_of(turn.session_id)
        race(lambda: abort_turn(actor=site.user, session=session), lambda: follow_child(call.pk))  # noqa: B023
        site.pump.run()
        turn.refresh_from_db()
        assert turn.state in {Turn.State.ABORTED, Turn.State.COMPLETED}
        assert not ToolCall.objects.filter(state__in=ToolCall.OPEN).exists()
        assert find_log_gaps(session_of(turn)) == []
        verify_events(turn.session_id, before)


def test_many_who_follow_the_same_end_close_the_call_once(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run(until=lambda: Turn.objects.get(caller__turn=turn).state == "completed")
    call = call_of(turn)
    race(*[lambda: follow_child(call.pk)] * 4)
    ends = SessionEvent.objects.filter(session=turn.session_id, type="call.updated", data__state="completed")
    assert ends.count() == 1
    assert finish(site, turn.pk).state == Turn.State.COMPLETED


def test_stopping_the_parent_reaches_a_sub_agent_that_is_being_asked_at_that_moment(site: SessionSite) -> None:
    """Stopping a parent also stops a sub-agent that begins at the same moment. No work runs afterwards, whichever comes
    first."""
    for _ in range(5):
        parent, _ = scripts_of(site, parent=[calls(ask("general", "Look"))], child=[text("I looked.")] * 2)
        turn = site.prompt(site.open_session(), parent.marker)
        site.pump.run(until=lambda turn=turn: ToolCall.objects.filter(turn=turn).exists())  # type: ignore[misc]
        session = session_of(turn)
        race(lambda: abort_turn(actor=site.user, session=session), site.pump.step)  # noqa: B023
        assert not Turn.objects.filter(state__in=Turn.OPEN).exists()
        site.pump.run()
        assert set(site.recover(later=60).values()) == {0}


def test_the_end_of_a_sub_agent_is_told_though_its_session_was_the_last_to_be_looked_at(site: SessionSite) -> None:
    """Reports of a sub-agent's progress that arrive after its end change nothing in the parent's session."""
    turn = until_asked(site)
    child = child_of(turn)
    site.pump.run()
    before = snapshot_of(turn.session_id)
    from sessions_app.tasks import update_parent_call

    update_parent_call(child.pk)
    follow_child(call_of(turn).pk)
    assert snapshot_of(turn.session_id) == before
