"""Requests of sub-agents are shown in the parent's session and answered in the sub-agents' sessions; stopping a session
stops its sub-agents."""

import pytest

from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.questions import dismiss_question
from sessions_app.actions.sessions import delete_session, update_session
from sessions_app.models import Message, Session, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE, set_policy
from tests.support.builders import browser_of
from tests.support.deadline import wait_until
from tests.support.model_server import calls, text, tool_call
from tests.support.processes import is_alive
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.sub_agents import ask, call_of, child_of, read_by_parent, scripts_of, session_of, until_asked
from tests.support.threads import at_work

QUESTION = tool_call("question", questions=[{"question": "Which?", "header": "Which one", "options": []}])


def test_what_a_sub_agent_asks_is_seen_at_its_parent_and_answered_in_its_own_session(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Deploy")), text("Deployed.")],
        child=[calls(DEPLOYS), text("It is out.")],
    )
    turn = site.prompt(site.open_session(), parent.marker)
    before = snapshot_of(turn.session_id)
    site.pump.run()
    turn.refresh_from_db()
    request = site.open_request()
    assert request.session == child_of(turn)
    (item,) = call_of(turn).metadata["waiting"]
    assert (item["kind"], item["id"], item["session_id"]) == (
        "permission", request.public_id, request.session.public_id,
    )  # fmt: skip
    assert turn.state == Turn.State.WAITING
    assert session_of(turn).status == Session.Status.WAITING
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert call_of(turn).metadata["waiting"] == []
    verify_events(turn.session_id, before)


def test_after_the_answer_the_parent_does_not_wait_for_a_person_any_more(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    parent, _ = scripts_of(
        site, parent=[calls(ask("general", "Deploy")), text("Out.")], child=[calls(DEPLOYS), text("It is out.")]
    )
    turn = site.run_prompt(parent.marker)
    site.reply("once")
    site.pump.run(until=lambda: Turn.objects.get(pk=turn.pk).state == "running")
    assert session_of(turn).status == Session.Status.RUNNING
    assert call_of(turn).state == ToolCall.State.WAITING


def test_a_question_of_a_sub_agent_is_seen_at_its_parent(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site, parent=[calls(ask("general", "Choose")), text("Then not.")], child=[calls(QUESTION), text("Never said.")]
    )
    turn = site.run_prompt(parent.marker)
    (item,) = call_of(turn).metadata["waiting"]
    assert (item["kind"], item["title"]) == ("question", "Which one")
    dismiss_question(actor=site.user, question=site.open_question())
    site.pump.run()
    assert "A person dismissed a question of the sub-agent" in read_by_parent(parent)
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.COMPLETED


def test_a_rejected_call_stops_the_sub_agent_and_its_parent_is_told(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    parent, _ = scripts_of(
        site, parent=[calls(ask("general", "Deploy")), text("Then not.")], child=[calls(DEPLOYS), text("Never said.")]
    )
    turn = site.run_prompt(parent.marker)
    site.reply("reject")
    site.pump.run()
    assert Turn.objects.get(caller__turn=turn).state == Turn.State.ABORTED
    assert "A person rejected what the sub-agent wanted to do" in read_by_parent(parent)
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.COMPLETED


def test_a_turn_that_waits_for_nobody_starts_sub_agents_that_wait_for_nobody(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site, parent=[calls(ask("general", "Deploy")), text("Then not.")], child=[calls(DEPLOYS), text("I could not.")]
    )
    turn = site.prompt(site.open_session(), parent.marker)
    Turn.objects.filter(pk=turn.pk).update(patience=0)
    site.pump.run()
    assert "I could not." in call_of(turn).output
    assert not site.open_requests().exists()


def test_a_person_may_talk_to_the_sub_agent_while_it_works(site: SessionSite) -> None:
    turn = until_asked(site, child=[text("I looked there too.")])
    session = child_of(turn)
    branch = Turn.objects.get(session=session)
    assert site.prompt(session, "And look there.") == branch
    site.pump.run()
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.COMPLETED


def test_what_a_person_asks_a_sub_agent_later_is_no_business_of_its_parent(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    before = snapshot_of(turn.session_id)
    site.script(text("Just for you."))
    again = site.run_prompt(session=child_of(turn))
    assert (again.state, again.caller) == (Turn.State.COMPLETED, None)
    assert snapshot_of(turn.session_id) == before


# the end


def test_stopping_the_parent_stops_its_sub_agents(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    set_policy(site.team, options={"subagent_depth": 2})
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "One"), ask("general", "Two"))],
        child=[calls(DEPLOYS), calls(ask("general", "Deeper")), calls(DEPLOYS)],
    )
    turn = site.run_prompt(parent.marker)
    snapshots = {session.pk: snapshot_of(session.pk) for session in Session.objects.all()}
    assert len(snapshots) == 4
    assert abort_turn(actor=site.user, session=session_of(turn))
    assert set(Turn.objects.values_list("state", flat=True)) == {Turn.State.ABORTED}
    assert set(Session.objects.values_list("status", flat=True)) == {Session.Status.IDLE}
    assert not ToolCall.objects.filter(state__in=ToolCall.OPEN).exists()
    assert not site.open_requests().exists()
    assert {call.metadata["state"] for call in site.calls(turn)} == {"aborted"}
    site.pump.run()
    for session_id, before in snapshots.items():
        verify_events(session_id, before)
    assert set(site.recover(later=60).values()) == {0}


def test_what_a_sub_agent_runs_really_ends_when_its_parent_is_stopped(site: SessionSite) -> None:
    set_policy(site.team, rules=[{"permission": "bash", "pattern": "*", "action": "allow"}])
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Sleep"))],
        child=[calls(tool_call("bash", command="echo $$ > pid; echo begun; exec sleep 300"))],
    )
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=ToolCall.objects.filter(tool="bash").exists)
    pid_file = site.files / "pid"
    with at_work(site.pump.run):
        wait_until(lambda: pid_file.exists() and bool(pid_file.read_text().strip()), "the command runs", seconds=15)
        assert abort_turn(actor=site.user, session=session_of(turn))
        assert not ToolCall.objects.filter(state__in=ToolCall.OPEN).exists()
    site.pump.run()
    pid = int(pid_file.read_text())
    wait_until(lambda: not is_alive(pid), "the process is gone")


def test_sub_agents_in_a_batch_work_at_the_same_time(site: SessionSite) -> None:
    asked = [ask("general", "One"), ask("explore", "Two")]
    batch = tool_call("batch", calls=[{"tool": "task", "arguments": one.arguments} for one in asked])
    parent, _ = scripts_of(site, parent=[calls(batch), text("Done.")], child=[text("First."), text("Second.")])
    turn = site.prompt(site.open_session(), parent.marker)
    before = snapshot_of(turn.session_id)
    site.pump.run(until=lambda: Turn.objects.filter(caller__turn=turn, state="queued").count() == 2)
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.RUNNING
    site.pump.run()
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.COMPLETED
    result = ToolCall.objects.get(turn=turn, tool="batch").output
    assert "First." in result
    assert "Second." in result
    verify_events(turn.session_id, before)


def test_stopping_a_sub_agent_tells_its_parent_which_goes_on(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)
    parent, _ = scripts_of(
        site, parent=[calls(ask("general", "Deploy")), text("It was stopped.")], child=[calls(DEPLOYS)]
    )
    turn = site.run_prompt(parent.marker)
    assert abort_turn(actor=site.user, session=child_of(turn))
    site.pump.run()
    assert "A person stopped the sub-agent" in read_by_parent(parent)
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.COMPLETED


def test_a_session_whose_sub_agent_is_at_work_is_neither_deleted_nor_archived(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    site.prompt(child_of(turn), "Go on.")
    session = session_of(turn)
    for refused in (
        lambda: delete_session(actor=site.user, session=session),
        lambda: update_session(actor=site.user, session=session, archived=True),
    ):
        with pytest.raises(Exception, match="still running"):
            refused()


def test_with_a_session_go_those_of_its_sub_agents(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    delete_session(actor=site.user, session=session_of(turn))
    assert not Session.objects.exists()


def test_the_sessions_of_sub_agents_are_listed_under_their_parent(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    browser = browser_of(site.user)
    parent, child = session_of(turn), child_of(turn)
    for path in ("/api/v1/sessions", f"/api/v1/projects/{site.project.public_id}/sessions"):
        assert [item["id"] for item in browser.get(path).json()["items"]] == [parent.public_id]
    below = browser.get(f"/api/v1/sessions/{parent.public_id}/children").json()["items"]
    assert [(item["id"], item["parent_id"]) for item in below] == [(child.public_id, parent.public_id)]
    assert browser.get(f"/api/v1/sessions/{child.public_id}/children").json()["items"] == []


def test_a_sub_agent_is_asked_by_nobody_in_particular(site: SessionSite) -> None:
    turn = until_asked(site)
    (prompt,) = Message.objects.filter(session=child_of(turn), role="user")
    assert (prompt.author, prompt.agent) == (None, "general")
    assert Turn.objects.get(session=child_of(turn)).started_by == site.user
