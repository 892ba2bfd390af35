"""A tool call asks a sub-agent: its session works by itself, the call shows what it does and ends with what it says."""

import pytest

from sessions_app.actions.children import MOST_AT_ONCE
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.questions import dismiss_question
from sessions_app.actions.sessions import delete_session, update_session
from sessions_app.actions.turns import STEP_LIMIT
from sessions_app.models import Message, Session, SessionEvent, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE, set_policy
from tests.support.builders import browser_of
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, find_log_gaps, snapshot_of, verify_events
from tests.support.sub_agents import ask, call_of, child_of, scripts_of, until_asked

QUESTION = tool_call("question", questions=[{"question": "Which?", "header": "Which one", "options": []}])


def read_by_parent(script: PostedScript, *, at: int = -1) -> str:
    """What the model last read of a tool."""
    content: str = script.requests(at_least=1)[at]["body"]["messages"][-1]["content"]
    return content


def reloaded(turn: Turn) -> Session:
    row: Session = Session.objects.select_related("project").get(pk=turn.session_id)
    return row


def decision_of(session: Session, tool: str) -> dict[str, str]:
    decision = ToolCall.objects.get(session=session, tool=tool).decision
    assert decision is not None
    return dict(decision)


def test_the_sub_agent_works_in_a_session_of_its_own_and_its_words_are_the_result(site: SessionSite) -> None:
    site.write("a.txt", "hello\n")
    parent, child = scripts_of(
        site,
        parent=[calls(ask("general", "Read a.txt")), text("It says hello.")],
        child=[calls(tool_call("read", filePath="a.txt")), text("The file says hello.")],
    )
    turn = site.run_prompt(parent.marker)
    assert turn.state == Turn.State.COMPLETED
    session = child_of(turn)
    assert (session.parent_id, session.agent, session.workspace) == (turn.session_id, "general", site.workspace)
    assert session.title == "Read a.txt (@general)"
    assert session.status == Session.Status.IDLE
    result = read_by_parent(parent)
    assert result == f"task_id: {session.public_id}\n<task_result>\nThe file says hello.\n</task_result>"
    assert [message["role"] for message in child.requests(at_least=2)[0]["body"]["messages"]] == ["system", "user"]


def test_no_worker_waits_while_the_sub_agent_works(site: SessionSite) -> None:
    turn = until_asked(site)
    call = call_of(turn)
    assert (call.state, call.waits_for, call.lease_token) == ("waiting", "child", "")
    assert Turn.objects.exclude(lease_token="").count() == 0
    assert Turn.objects.get(pk=turn.pk).state == Turn.State.RUNNING


def test_the_call_shows_what_the_sub_agent_does(site: SessionSite) -> None:
    site.write("a.txt", "hello\n")
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Read a.txt")), text("Done.")],
        child=[calls(tool_call("read", filePath="a.txt"), tool_call("glob", pattern="*.txt")), text("Hello.")],
    )
    turn = site.prompt(site.open_session(), parent.marker)
    before = snapshot_of(turn.session_id)
    site.pump.run()
    shown = [
        event.data["metadata"]
        for event in SessionEvent.objects.filter(session=turn.session_id, type="call.updated").order_by("seq")
        if event.data["metadata"]
    ]
    assert shown[0]["state"] == "queued"
    assert shown[0]["summary"] == []
    assert any(entry["state"] == "pending" for each in shown for entry in each["summary"])
    last = call_of(turn).metadata
    assert [(entry["tool"], entry["state"]) for entry in last["summary"]] == [
        ("read", "completed"), ("glob", "completed"),
    ]  # fmt: skip
    assert (last["session_id"], last["agent"], last["description"]) == (
        child_of(turn).public_id, "general", "Read a.txt",
    )  # fmt: skip
    assert (last["state"], last["steps"], last["waiting"]) == ("completed", 2, [])
    assert last["tokens"]["output"] > 0
    verify_events(turn.session_id, before)
    assert find_log_gaps(reloaded(turn)) == []


def test_sub_agents_of_one_message_work_at_the_same_time(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "One"), ask("explore", "Two"), ask("general", "Three")), text("All done.")],
        child=[text("Here."), text("Here."), text("Here.")],
    )
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=lambda: Turn.objects.filter(caller__isnull=False).count() == 3)
    assert Turn.objects.filter(caller__turn=turn, state="queued").count() == 3
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert [call.state for call in site.calls(turn)] == ["completed"] * 3
    assert chat_is_well_formed(parent.requests(at_least=2)[-1]["body"]["messages"])


def test_the_same_sub_agent_goes_on_by_its_id(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Wait.")], child=[text("I looked.")])
    turn = site.run_prompt(parent.marker)
    known = child_of(turn)
    parent, child = scripts_of(
        site,
        parent=[calls(ask("general", "Look again", task_id=known.public_id)), text("Done.")],
        child=[text("I looked again.")],
    )
    again = site.run_prompt(parent.marker, session=reloaded(turn))
    assert child_of(again) == known
    assert Session.objects.filter(parent=turn.session_id).count() == 1
    said = [message["content"] for message in child.requests(at_least=1)[0]["body"]["messages"][1:]]
    assert said[1] == "I looked."
    assert "Look again" in said[2]
    assert call_of(again).metadata["steps"] == 1


def test_a_sub_agent_works_with_the_model_that_asks_for_it(site: SessionSite) -> None:
    parent, child = scripts_of(
        site, parent=[calls(ask("general", "Look")), text("Done.")], child=[text("I looked."), text("Again.")]
    )
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(model="demo-other")
    turn = site.prompt(session, parent.marker)
    site.pump.run()
    assert child.requests(at_least=1)[0]["body"]["model"] == "demo-other"
    Session.objects.filter(pk=session.pk).update(model="")
    again, _ = scripts_of(
        site, parent=[calls(ask("general", "Go on", task_id=child_of(turn).public_id)), text("Done.")]
    )
    site.run_prompt(again.marker, session=session)
    assert child_of(turn).model == ""


def test_a_stranger_session_is_no_sub_agent_to_go_on_with(site: SessionSite) -> None:
    other = site.open_session("Somebody else's")
    for wrong in (other.public_id, "ses_1", "x"):
        parent, _ = scripts_of(
            site, parent=[calls(ask("general", "Look", task_id=wrong)), text("Hm.")], child=[text("Never said.")]
        )
        turn = site.run_prompt(parent.marker)
        assert call_of(turn).state == ToolCall.State.ERROR
        assert "There is no sub-agent with this task_id" in read_by_parent(parent)
    assert not Session.objects.exclude(parent=None).exists()


def test_a_sub_agent_at_work_takes_no_second_task(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Wait.")], child=[text("I looked.")])
    turn = site.run_prompt(parent.marker)
    known = child_of(turn)
    parent, _ = scripts_of(
        site,
        parent=[calls(*[ask("general", "Go on", task_id=known.public_id)] * 2), text("Done.")],
        child=[text("On."), text("On.")],
    )
    again = site.run_prompt(parent.marker, session=reloaded(turn))
    outputs = {call.state: call.output for call in site.calls(again)}
    assert "still at work" in outputs["error"]
    assert "On." in outputs["completed"]


def test_a_sub_agent_that_goes_on_is_bound_by_what_binds_its_parent_by_now(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Wait.")], child=[text("I looked.")])
    turn = site.run_prompt(parent.marker)
    known = child_of(turn)
    session = update_session(actor=site.user, session=reloaded(turn), agent="plan")
    edit = tool_call("write", filePath="a.txt", content="x")
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Write it", task_id=known.public_id)), text("Done.")],
        child=[calls(edit), text("I may not.")],
    )
    site.run_prompt(parent.marker, session=session)
    assert not (site.files / "a.txt").exists()
    assert decision_of(known, "write")["action"] == "deny"


def test_an_unknown_sub_agent_is_refused_with_the_names_there_are(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("nobody", "Look")), text("Hm.")])
    site.run_prompt(parent.marker)
    assert "There is no sub-agent 'nobody'" in read_by_parent(parent)
    assert "- explore:" in read_by_parent(parent)


def test_a_sub_agent_starts_none_of_its_own(site: SessionSite) -> None:
    parent, child = scripts_of(
        site,
        parent=[calls(ask("general", "Delegate")), text("Done.")],
        child=[calls(ask("general", "Delegate further")), text("I may not.")],
    )
    turn = site.run_prompt(parent.marker)
    offered = {tool["function"]["name"] for tool in child.requests(at_least=1)[0]["body"]["tools"]}
    assert "read" in offered
    assert "task" not in offered
    assert not Session.objects.filter(depth=2).exists()
    assert decision_of(child_of(turn), "task")["layer"] == "sub-agent limits"


def test_policies_say_how_deep_sub_agents_go(site: SessionSite) -> None:
    set_policy(site.team, options={"subagent_depth": 2})
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Delegate")), text("Done.")],
        child=[calls(ask("explore", "Look further")), text("Far away."), text("I heard: far away.")],
    )
    turn = site.run_prompt(parent.marker)
    assert Session.objects.get(depth=2).parent == child_of(turn)
    assert "far away" in call_of(turn).output


def test_where_policies_allow_none_the_tool_is_not_offered(site: SessionSite) -> None:
    set_policy(site.project, options={"subagent_depth": 0})
    script = site.script(text("Alone."))
    site.run_prompt()
    offered = {tool["function"]["name"] for tool in script.requests(at_least=1)[0]["body"]["tools"]}
    assert "task" not in offered


def test_only_so_many_work_at_once(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site,
        parent=[calls(*[ask("general", f"Part {n}") for n in range(MOST_AT_ONCE + 1)]), text("Done.")],
        child=[text("Here.")] * MOST_AT_ONCE,
    )
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=lambda: ToolCall.objects.filter(turn=turn, state="error").exists())
    refused = ToolCall.objects.get(turn=turn, state="error")
    assert "at work already" in refused.output
    assert Session.objects.filter(parent=turn.session_id).count() == MOST_AT_ONCE


def test_steps_of_sub_agents_count_for_who_calls_them(site: SessionSite) -> None:
    turn = until_asked(site)
    Turn.objects.filter(pk=turn.pk).update(step_count=STEP_LIMIT)
    site.pump.run()
    branch = Turn.objects.get(caller__turn=turn)
    turn.refresh_from_db()
    assert [each.state for each in (branch, turn)] == [Turn.State.FAILED] * 2
    assert {each.error["code"] for each in (branch, turn) if each.error} == {"step_limit"}
    assert "The sub-agent could not finish" in call_of(turn).output


def test_a_failed_sub_agent_tells_its_parent_why(site: SessionSite) -> None:
    parent, _ = scripts_of(
        site,
        parent=[calls(ask("general", "Look")), text("Hm.")],
        child=[text("", fault="status", status=401)],
    )
    turn = site.run_prompt(parent.marker)
    assert turn.state == Turn.State.COMPLETED
    assert call_of(turn).state == ToolCall.State.ERROR
    assert "The sub-agent could not finish" in read_by_parent(parent)


# people


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
    assert reloaded(turn).status == Session.Status.WAITING
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
    assert reloaded(turn).status == Session.Status.RUNNING
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
    assert abort_turn(actor=site.user, session=reloaded(turn))
    assert set(Turn.objects.values_list("state", flat=True)) == {Turn.State.ABORTED}
    assert set(Session.objects.values_list("status", flat=True)) == {Session.Status.IDLE}
    assert not ToolCall.objects.filter(state__in=ToolCall.OPEN).exists()
    assert not site.open_requests().exists()
    assert {call.metadata["state"] for call in site.calls(turn)} == {"aborted"}
    site.pump.run()
    for session_id, before in snapshots.items():
        verify_events(session_id, before)
    assert set(site.recover(later=60).values()) == {0}


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
    session = reloaded(turn)
    for refused in (
        lambda: delete_session(actor=site.user, session=session),
        lambda: update_session(actor=site.user, session=session, archived=True),
    ):
        with pytest.raises(Exception, match="still at work"):
            refused()


def test_with_a_session_go_those_of_its_sub_agents(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    delete_session(actor=site.user, session=reloaded(turn))
    assert not Session.objects.exists()


def test_the_sessions_of_sub_agents_are_listed_under_their_parent(site: SessionSite) -> None:
    turn = until_asked(site)
    site.pump.run()
    browser = browser_of(site.user)
    parent, child = reloaded(turn), child_of(turn)
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
