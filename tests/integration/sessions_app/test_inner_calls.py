"""The tool calls of a batch are judged and run in parallel like any other calls; the batch has one result when its
last call has ended."""

from typing import Any

import pytest

from sessions_app.actions.prompts import abort_turn
from sessions_app.models import Session, ToolCall, Turn
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, snapshot_of, verify_events


def batch(*inner: tuple[str, dict[str, Any]]) -> Any:
    return calls(tool_call("batch", calls=[{"tool": tool, "arguments": arguments} for tool, arguments in inner]))


READ_BOTH = batch(("read", {"filePath": "a"}), ("read", {"filePath": "b"}))
ASK_AND_READ = batch(("bash", {"command": 'python3 -c \'open("made", "w")\''}), ("read", {"filePath": "a"}))


@pytest.fixture
def files(site: SessionSite) -> None:
    site.write("a", "tea\n")
    site.write("b", "coffee\n")


def outer_and_inner(turn: Turn) -> tuple[ToolCall, list[ToolCall]]:
    outer = ToolCall.objects.get(turn=turn, outer=None)
    return outer, list(ToolCall.objects.filter(outer=outer).order_by("id"))


def read_by_model(script: PostedScript, *, step: int = 2) -> str:
    messages = script.requests(at_least=step)[step - 1]["body"]["messages"]
    assert chat_is_well_formed(messages)
    answer: str = messages[-1]["content"]
    return answer


def test_the_model_reads_one_result_with_those_of_all_calls(site: SessionSite, files: None) -> None:
    script = site.script(READ_BOTH, text("Done."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.COMPLETED
    said = read_by_model(script)
    assert said.startswith("2 of 2 calls succeeded.\n\n[1] read: completed\n1: tea\n")
    assert "[2] read: completed\n1: coffee" in said
    verify_events(session.id, before)


def test_the_inner_calls_are_rows_without_a_part_of_the_message(site: SessionSite, files: None) -> None:
    site.script(READ_BOTH, text("Done."))
    outer, inner = outer_and_inner(site.run_prompt())
    assert [(row.tool, row.state, row.part_id, row.message_id) for row in inner] == [
        ("read", "completed", None, outer.message_id)
    ] * 2
    assert [line["call_id"] for line in outer.metadata["calls"]] == [row.public_id for row in inner]
    assert {line["state"] for line in outer.metadata["calls"]} == {"completed"}


def test_each_call_is_asked_about_by_itself_and_the_others_run(site: SessionSite, files: None) -> None:
    script = site.script(ASK_AND_READ, text("Done."))
    turn = site.run_prompt()
    outer, (asked, free) = outer_and_inner(turn)
    assert (turn.state, outer.state, outer.waits_for) == (Turn.State.WAITING, "waiting", "calls")
    assert (asked.state, free.state) == ("waiting", "completed")
    assert [line["state"] for line in outer.metadata["calls"]] == ["waiting", "completed"]
    assert site.open_request().call_id == asked.id
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert (site.files / "made").exists()
    assert read_by_model(script).startswith("2 of 2 calls succeeded.")


def test_a_call_that_fails_stops_no_other(site: SessionSite, files: None) -> None:
    script = site.script(
        batch(("read", {"filePath": "none"}), ("nonsense", {}), ("read", {"filePath": "a"})), text("x")
    )
    turn = site.run_prompt()
    said = read_by_model(script)
    assert said.startswith("1 of 3 calls succeeded. Not: 1 (read), 2 (nonsense).")
    assert "there is no tool of this name" in said
    assert [row.state for row in outer_and_inner(turn)[1]] == ["error", "error", "completed"]


def test_a_batch_never_waits_for_people_itself(site: SessionSite, files: None) -> None:
    """A batch is not shown as waiting for a person while its calls run."""
    site.script(READ_BOTH, text("Done."))
    turn = site.prompt(site.open_session())
    site.pump.run(until=lambda: ToolCall.objects.filter(waits_for="calls").exists())
    site.pump.step()
    turn.refresh_from_db()
    assert turn.state == Turn.State.RUNNING
    assert Session.objects.get(pk=turn.session_id).status == Session.Status.RUNNING


def test_a_rejected_call_stops_the_turn_with_all_the_others(site: SessionSite, files: None) -> None:
    site.script(batch(("bash", {"command": "python3 -c 1"}), ("bash", {"command": "python3 -c 2"})), text("Done."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    site.reply("reject", request=site.open_requests().first())
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED
    assert not ToolCall.objects.filter(turn=turn, state__in=ToolCall.OPEN).exists()
    verify_events(session.id, before)


def test_a_rejection_with_words_lets_the_batch_go_on(site: SessionSite, files: None) -> None:
    script = site.script(ASK_AND_READ, text("Done."))
    turn = site.run_prompt()
    site.reply("reject", message="Not now.")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert "They say: Not now." in read_by_model(script)


def test_a_stop_ends_the_batch_and_its_calls(site: SessionSite, files: None) -> None:
    site.script(ASK_AND_READ, text("Done."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    assert abort_turn(actor=site.user, session=Session.objects.select_related("project").get(pk=turn.session_id))
    site.pump.run()
    outer, inner = outer_and_inner(turn)
    assert [outer.state, *(row.state for row in inner)] == ["aborted", "aborted", "completed"]
    assert [line["state"] for line in outer.metadata["calls"]] == ["aborted", "completed"]
    verify_events(turn.session_id, before)


def test_every_wake_up_may_come_twice_or_get_lost(site: SessionSite, files: None) -> None:
    append = {"command": "echo once >> log"}
    script = site.script(batch(("bash", append), ("read", {"filePath": "a"})), text("Done."))
    turn = site.prompt(site.open_session(allow=("bash",)))
    for _ in range(40):
        site.pump.lose()
        site.recover()
        if not site.pump.waiting:
            break
        site.pump.step(times=2)
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert (site.files / "log").read_text() == "once\n"
    assert read_by_model(script).startswith("2 of 2 calls succeeded.")


def test_a_long_result_is_cut_and_kept_whole_in_the_sandbox(site: SessionSite) -> None:
    site.write("long", "x" * 1900 + "\n" + "tea\n" * 1900)
    script = site.script(batch(*[("read", {"filePath": "long"})] * 5), text("Done."))
    site.run_prompt()
    said = read_by_model(script)
    assert len(said.encode()) < 60_000
    assert "are not shown here. The full text is in /home/agent/.tool-output/call_" in said


def test_a_sub_agent_may_work_beside_other_calls(site: SessionSite, files: None) -> None:
    task = {"description": "Look", "prompt": "Look at it.", "subagent_type": "explore"}
    script = site.script(batch(("task", task), ("read", {"filePath": "a"})), text("I saw tea."), text("Done."))
    session = site.open_session()
    before = snapshot_of(session.id)
    turn = site.run_prompt(session=session)
    assert turn.state == Turn.State.COMPLETED
    said = read_by_model(script, step=3)
    assert said.startswith("2 of 2 calls succeeded.")
    assert "I saw tea." in said
    verify_events(session.id, before)


def test_where_batch_is_denied_none_of_its_calls_is_made(site: SessionSite) -> None:
    site.script(calls(tool_call("batch", calls=[{"tool": "todoread", "arguments": {}}])), text("Alone, then."))
    session = site.open_session()
    session.rules = [{"permission": "batch", "pattern": "*", "action": "deny"}]
    session.save()

    turn = site.run_prompt(session=session)

    (call,) = site.calls(turn)
    assert (call.tool, call.state) == ("batch", ToolCall.State.ERROR)
