"""A tool call starts a sub-agent in its own session; the call shows the sub-agent's work, and ends with its answer."""

from sessions_app.actions.sessions import update_session
from sessions_app.actions.sub_agent_report import closing_words
from sessions_app.actions.sub_agents import MAX_RUNNING_SUB_AGENTS
from sessions_app.actions.turns import STEP_LIMIT
from sessions_app.models import Message, Part, Session, SessionEvent, ToolCall, Turn
from tests.support.asking import set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, find_log_gaps, snapshot_of, verify_events
from tests.support.sub_agents import ask, call_of, child_of, read_by_parent, scripts_of, session_of, until_asked


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


def test_files_that_a_task_names_are_read_first_and_commands_in_a_models_words_are_not_run(site: SessionSite) -> None:
    site.write("src/a.txt", "hello\n")
    parent, child = scripts_of(
        site,
        parent=[calls(ask("general", "Compare @src/a.txt with !`touch evil` and mail me@example.org.")), text("Done.")],
        child=[text("It says hello.")],
    )
    session = child_of(site.run_prompt(parent.marker))
    (read,) = ToolCall.objects.filter(session=session)
    assert (read.tool, read.state, "hello" in read.output) == ("read", "completed", True)
    assert "hello" in str(child.requests(at_least=1)[0]["body"]["messages"])
    assert not (site.files / "evil").exists()


def test_notes_that_were_asked_for_meanwhile_are_not_taken_for_its_words(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Done.")], child=[text("I looked.")])
    session = child_of(site.run_prompt(parent.marker))
    turn = Turn.objects.get(session=session)
    notes = Message.objects.create(session=session, turn=turn, role="assistant", state="complete")
    Part.objects.create(session=session, message=notes, index=0, type=Part.Type.COMPACTION, text="Notes.")
    assert closing_words(turn) == "I looked."


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
    assert find_log_gaps(session_of(turn)) == []


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
    again = site.run_prompt(parent.marker, session=session_of(turn))
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
    site.settings.MODEL_CHOICES = ["demo-other"]
    session = site.open_session()
    Session.objects.filter(pk=session.pk).update(model="demo-other")
    turn = site.prompt(session, parent.marker)
    site.pump.run()
    assert child.requests(at_least=1)[0]["body"]["model"] == "demo-other"
    Session.objects.filter(pk=session.pk).update(model="")
    again, _ = scripts_of(
        site, parent=[calls(ask("general", "Go on", task_id=child_of(turn).public_id)), text("Done.")]
    )
    before = snapshot_of(child_of(turn).pk)
    site.run_prompt(again.marker, session=session)
    assert child_of(turn).model == ""
    verify_events(child_of(turn).pk, before)


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
    again = site.run_prompt(parent.marker, session=session_of(turn))
    outputs = {call.state: call.output for call in site.calls(again)}
    assert "still running" in outputs["error"]
    assert "On." in outputs["completed"]


def test_a_sub_agent_that_goes_on_is_bound_by_what_binds_its_parent_by_now(site: SessionSite) -> None:
    parent, _ = scripts_of(site, parent=[calls(ask("general", "Look")), text("Wait.")], child=[text("I looked.")])
    turn = site.run_prompt(parent.marker)
    known = child_of(turn)
    session = update_session(actor=site.user, session=session_of(turn), agent="plan")
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
        parent=[calls(*[ask("general", f"Part {n}") for n in range(MAX_RUNNING_SUB_AGENTS + 1)]), text("Done.")],
        child=[text("Here.")] * MAX_RUNNING_SUB_AGENTS,
    )
    turn = site.prompt(site.open_session(), parent.marker)
    site.pump.run(until=lambda: ToolCall.objects.filter(turn=turn, state="error").exists())
    refused = ToolCall.objects.get(turn=turn, state="error")
    assert "already run" in refused.output
    assert Session.objects.filter(parent=turn.session_id).count() == MAX_RUNNING_SUB_AGENTS


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
