"""A turn from prompt to end, on a real database, a real Valkey, a real model server and a local sandbox."""

from sessions_app.models import Message, PermissionRequest, SessionEvent, ToolCall, Turn
from tests.support.asking import DEPLOY, deployed, waiting_turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, find_log_gaps, snapshot_of, verify_events


def test_an_answer_without_calls_ends_the_turn(site: SessionSite) -> None:
    site.script(text("All is well."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    answer = Message.objects.get(turn=turn, role="assistant")
    assert answer.state == Message.State.COMPLETE
    assert [part.text for part in answer.parts.all()] == ["All is well."]


def test_a_call_runs_in_the_sandbox_and_its_result_goes_back_to_the_model(site: SessionSite) -> None:
    site.write("notes.txt", "the answer is 42\n")
    script = site.script(calls(tool_call("read", filePath="notes.txt")), text("It says 42."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert "the answer is 42" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED]


def test_parallel_calls_all_end_before_the_next_step(site: SessionSite) -> None:
    site.write("a.txt", "a")
    site.write("b.txt", "b")
    script = site.script(
        calls(tool_call("read", filePath="a.txt"), tool_call("read", filePath="b.txt")), text("Read both.")
    )
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert len(script.requests(at_least=2)) == 2
    assert turn.step_count == 2


def test_a_risky_call_waits_for_a_person_and_holds_no_worker(site: SessionSite) -> None:
    waiting_turn(site)
    assert site.pump.names() == []
    assert PermissionRequest.objects.get().needs[0]["patterns"] == [DEPLOY]
    assert deployed(site) == 0


def test_every_change_is_told_by_an_event(site: SessionSite) -> None:
    site.write("a.txt", "one\n")
    session = site.open_session()
    before = snapshot_of(session.id)
    site.script(
        calls(tool_call("edit", filePath="a.txt", oldString="one", newString="two"), tool_call("todoread")),
        calls(tool_call("bash", command="cat a.txt")),
    )
    site.run_prompt(session=session)
    verify_events(session.id, before)


def test_the_log_has_no_gaps(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="pwd")), text("Done."))
    turn = site.run_prompt()
    session = turn.session
    session.refresh_from_db()
    assert find_log_gaps(session) == []
    assert SessionEvent.objects.filter(session=session).count() == session.last_seq


def test_wake_ups_that_come_twice_change_nothing(site: SessionSite) -> None:
    script = site.script(calls(tool_call("bash", command="pwd")), text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.run(times=2)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert turn.step_count == 2
    assert len(script.requests()) == 2


def test_a_prompt_sent_while_a_turn_waits_joins_it(site: SessionSite) -> None:
    script = site.script(calls(tool_call("todoread")), text("Saw both."))
    session = site.open_session()
    first = site.prompt(session, "Begin.")
    site.pump.run(until=ToolCall.objects.exists)
    second = site.prompt(session, "And this too.")
    site.pump.run()
    assert first.pk == second.pk
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == "And this too."


def test_an_unknown_tool_answers_the_model(site: SessionSite) -> None:
    script = site.script(calls(tool_call("fly", to="moon")), text("Sorry."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert "fly" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]


def test_usage_adds_up_on_the_session(site: SessionSite) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    site.script(calls(tool_call("todoread"), usage=usage), text("Done.", usage=usage))
    turn = site.run_prompt()
    assert turn.session.__class__.objects.get(pk=turn.session_id).tokens["input"] == 20
