"""Conversations that grow too long: a summary replaces the older part, old outputs are cleared, and the agent
continues."""

import json
from typing import Any

import pytest

from sessions_app.actions.agents import create_agent
from sessions_app.agent.compaction import PRUNED
from sessions_app.agent.overrides import AgentDocument
from sessions_app.models import Part, Session, ToolCall, Turn
from sessions_app.workers.agent.history import history
from tests.support.asking import go_on
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, chat_is_well_formed, find_log_gaps, snapshot_of, verify_events
from tools_app.policies.scopes import PolicyScope

pytestmark = pytest.mark.one_database

TOO_LONG = json.dumps({"error": {"message": "maximum context length is 10 tokens", "code": "context_length_exceeded"}})
OVERFLOW: Any = {"fault": "status", "status": 400, "body": TOO_LONG}
READ = tool_call("read", filePath="big.txt")


def usage(tokens: int) -> dict[str, int]:
    return {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}


def small_context(site: SessionSite, tokens: int = 40_000) -> None:
    """Give the model a small context window. Of the default 40,000 tokens, 20,000 may be used."""
    site.settings.MODEL_CONTEXT = tokens


def notes_of(session: Session) -> list[Part]:
    return list(Part.objects.filter(session=session, type="compaction").order_by("id"))


def last_requests(script: Any) -> list[dict[str, Any]]:
    return [request["body"] for request in script.requests()]


def test_a_conversation_that_grows_too_long_is_written_down_and_goes_on(site: SessionSite) -> None:
    small_context(site)
    site.write("big.txt", "line\n" * 9000)
    session = site.open_session()
    before = snapshot_of(session.id)
    script = site.script(
        calls(READ, text="Reading.", usage=usage(20_000)), text("We make tea.", usage=usage(900)), text("Tea is made.")
    )
    turn = site.run_prompt("Make tea.", session=session)
    assert (turn.state, turn.step_count) == (Turn.State.COMPLETED, 2)
    first, noting, second = last_requests(script)
    assert "tools" not in noting
    assert "write the notes" in noting["messages"][0]["content"].lower()
    assert "Make tea." in noting["messages"][1]["content"]
    assert "We make tea." in second["messages"][1]["content"]
    assert "Make tea." in second["messages"][1]["content"]
    assert second["tools"] == first["tools"]
    assert len(json.dumps(second)) < len(json.dumps(first)) + 3_000
    assert [(message.agent, message.state) for message in site.answers(turn)] == [
        ("build", "complete"),
        ("compaction", "complete"),
        ("build", "complete"),
    ]
    (notes,) = notes_of(session)
    assert (notes.text, notes.data["kept_from"], notes.data["prompt"]) == ("We make tea.", None, "Make tea.")
    verify_events(session.id, before)
    session.refresh_from_db()
    assert find_log_gaps(session) == []


def test_what_was_said_once_is_said_again_when_notes_took_its_place(site: SessionSite) -> None:
    small_context(site)
    for path, content in (("src/AGENTS.md", "use tabs"), ("src/a.py", "x\n"), ("big.txt", "line\n" * 9000)):
        site.write(path, content)
    read = tool_call("read", filePath="src/a.py")
    script = site.script(
        calls(read, READ, usage=usage(20_000)), text("Notes.", usage=usage(900)), calls(read), text("Done.")
    )
    site.run_prompt("Look.")
    *_, last = last_requests(script)
    assert "use tabs" in last["messages"][-1]["content"]


def test_the_end_is_kept_word_for_word_and_calls_stay_with_their_results(site: SessionSite) -> None:
    small_context(site)
    site.write("small.txt", "the answer is 42\n")
    session = site.open_session()
    site.script(text("Long ago. " * 3000))
    site.run_prompt("First question.", session=session)
    read = calls(tool_call("read", filePath="small.txt"), usage=usage(25_000))
    script = site.script(read, text("Notes."), text("It is 42."))
    turn = site.run_prompt("Second question.", session=session)
    assert turn.state == Turn.State.COMPLETED
    _, noting, second = last_requests(script)
    assert "First question." in noting["messages"][1]["content"]
    assert "Second question." not in noting["messages"][1]["content"]
    roles = [message["role"] for message in second["messages"]]
    assert roles == ["system", "user", "user", "assistant", "tool"]
    assert second["messages"][2]["content"] == "Second question."
    assert "the answer is 42" in second["messages"][4]["content"]
    assert chat_is_well_formed(second["messages"][1:])


def test_later_notes_are_made_on_top_of_earlier_ones(site: SessionSite) -> None:
    small_context(site)
    session = site.open_session()
    script = site.script(
        text("One. " * 4000, usage=usage(20_000)),
        text("Notes one."), text("Two. " * 4000, usage=usage(20_000)),
        text("Notes two."), text("Three."),
    )  # fmt: skip
    for prompt in ("A", "B", "C"):
        assert site.run_prompt(prompt, session=session).state == Turn.State.COMPLETED
    requests = last_requests(script)
    assert "Notes one." in requests[3]["messages"][1]["content"]
    assert "One. One." not in requests[3]["messages"][1]["content"]
    final = json.dumps(requests[4]["messages"])
    assert "Notes two." in final
    assert "Notes one." not in final


def test_a_process_that_knows_nothing_of_the_session_sends_the_same(site: SessionSite) -> None:
    small_context(site)
    session = site.open_session()
    site.script(text("One. " * 4000, usage=usage(20_000)), text("Notes."), text("Two."))
    site.run_prompt("A", session=session)
    site.run_prompt("B", session=session)
    script = site.script(text("Three."), text("Four."))
    site.run_prompt("C", session=session)
    history._known.clear()
    site.run_prompt("D", session=session)
    warm, cold = [request["messages"] for request in last_requests(script)]
    assert cold[: len(warm)] == warm


def test_without_the_providers_count_the_size_is_estimated(site: SessionSite) -> None:
    small_context(site)
    site.write("big.txt", "tea and cake\n" * 3900)
    no_usage: Any = {"usage": {}}
    script = site.script(
        calls(READ, **no_usage), calls(READ, **no_usage), text("Notes.", **no_usage), text("Done.", **no_usage)
    )
    turn = site.run_prompt(session=site.open_session())
    assert turn.state == Turn.State.COMPLETED
    assert "Write the notes now." in last_requests(script)[2]["messages"][1]["content"]


def test_what_the_provider_finds_too_long_is_written_down_and_tried_again(site: SessionSite) -> None:
    session = site.open_session()
    site.script(text("Hello."))
    site.run_prompt("One.", session=session)
    script = site.script(text("", **OVERFLOW), text("Notes."), text("Done."))
    turn = site.run_prompt("Two.", session=session)
    assert (turn.state, turn.step_count) == (Turn.State.COMPLETED, 1)
    assert "Notes." in last_requests(script)[2]["messages"][1]["content"]


def test_a_conversation_that_does_not_fit_with_notes_either_ends_the_turn(site: SessionSite) -> None:
    session = site.open_session()
    site.script(text("Hello."))
    site.run_prompt("One.", session=session)
    script = site.script(text("", **OVERFLOW), text("Notes."), text("", **OVERFLOW))
    turn = site.run_prompt("Two.", session=session)
    assert (turn.state, (turn.error or {})["code"]) == (Turn.State.FAILED, "model_context_overflow")
    assert len(last_requests(script)) == 3


def test_notes_that_do_not_fit_are_made_of_less(site: SessionSite) -> None:
    session = site.open_session()
    site.script(text("Hello. " * 9000))
    site.run_prompt("One.", session=session)
    script = site.script(text("", **OVERFLOW), text("", **OVERFLOW), text("Notes."), text("Done."))
    turn = site.run_prompt("Two.", session=session)
    assert turn.state == Turn.State.COMPLETED
    sizes = [len(request["messages"][1]["content"]) for request in last_requests(script)[1:3]]
    assert sizes[1] < sizes[0] * 0.6


def test_a_first_prompt_that_is_too_long_is_the_users_to_shorten(site: SessionSite) -> None:
    script = site.script(text("", **OVERFLOW))
    turn = site.run_prompt()
    assert (turn.error or {})["code"] == "model_context_overflow"
    assert len(last_requests(script)) == 1


def test_where_nobody_makes_notes_nothing_is_compacted(site: SessionSite) -> None:
    small_context(site)
    fields = AgentDocument(disable=True)
    create_agent(actor=site.user, place=PolicyScope("team", site.team), name="compaction", document=fields)
    script = site.script(calls(tool_call("todoread"), usage=usage(39_000)), text("Done."))
    turn = site.run_prompt()
    assert turn.state == Turn.State.COMPLETED
    assert len(last_requests(script)) == 2
    address = f"/api/v1/sessions/{turn.session.public_id}/compact"
    assert browser_of(site.user).post(address, {}, content_type="application/json").status_code == 409


def test_a_wish_for_notes_that_nobody_can_fulfil_any_more_is_dropped(site: SessionSite) -> None:
    session = site.open_session()
    script = site.script(text("Hello."))
    site.run_prompt(session=session)
    browser_of(site.user).post(f"/api/v1/sessions/{session.public_id}/compact", {}, content_type="application/json")
    fields = AgentDocument(disable=True)
    create_agent(actor=site.user, place=PolicyScope("team", site.team), name="compaction", document=fields)
    site.pump.run()
    assert Turn.objects.latest("id").state == Turn.State.COMPLETED
    assert len(last_requests(script)) == 1


def test_people_can_have_notes_made_at_any_time(site: SessionSite) -> None:
    session = site.open_session()
    browser = browser_of(site.user)
    address = f"/api/v1/sessions/{session.public_id}/compact"
    assert browser.post(address, {}, content_type="application/json").status_code == 409
    script = site.script(text("Hello."), text("We said hello."), text("Hello again."))
    site.run_prompt("Hi.", session=session)
    before = snapshot_of(session.id)
    answer = browser.post(address, {}, content_type="application/json")
    assert answer.status_code == 202
    site.pump.run()
    turn = Turn.objects.latest("id")
    assert (turn.public_id, turn.state, turn.step_count) == (answer.json()["id"], Turn.State.COMPLETED, 0)
    verify_events(session.id, before)
    site.run_prompt("Hi again.", session=session)
    assert "We said hello." in last_requests(script)[2]["messages"][1]["content"]


def test_notes_wanted_while_a_turn_runs_are_made_after_its_step(site: SessionSite) -> None:
    session = site.open_session()
    script = site.script(calls(tool_call("todoread")), text("Notes."), text("Done."))
    turn = site.prompt(session)
    site.pump.run(until=ToolCall.objects.exists)
    browser_of(site.user).post(f"/api/v1/sessions/{session.public_id}/compact", {}, content_type="application/json")
    turn = go_on(site, turn)
    assert turn.state == Turn.State.COMPLETED
    assert "tools" not in last_requests(script)[1]
    assert "Notes." in last_requests(script)[2]["messages"][1]["content"]


def test_a_failed_model_is_asked_for_its_notes_again(site: SessionSite) -> None:
    small_context(site)
    session = site.open_session()
    site.script(text("Hello.", usage=usage(20_000)))
    site.run_prompt("One.", session=session)
    script = site.script(text("", fault="status", status=500), text("Notes."), text("Done."))
    turn = site.prompt(session, "Two.")
    site.pump.run(until=lambda: Part.objects.filter(type="retry").exists())
    site.skip_waits()
    turn = go_on(site, turn)
    assert turn.state == Turn.State.COMPLETED
    assert len(last_requests(script)) == 3


def test_old_outputs_are_cleared_when_a_turn_begins(site: SessionSite) -> None:
    site.write("big.txt", "tea and cake and tea and cake and tea\n" * 1900)
    session = site.open_session(allow=("doom_loop",))
    for _ in range(3):
        site.script(calls(READ, READ), text("Read."))
        site.run_prompt("Read.", session=session)
    before = snapshot_of(session.id)
    for _ in range(2):
        script = site.script(calls(READ, READ), text("Read."))
        site.run_prompt("Read.", session=session)
    cleared = list(ToolCall.objects.filter(session=session, pruned=True).order_by("id"))
    assert cleared == list(ToolCall.objects.filter(session=session).order_by("id")[: len(cleared)])
    assert cleared
    messages = last_requests(script)[0]["messages"]
    outputs = [message["content"] for message in messages if message["role"] == "tool"]
    assert outputs[: len(cleared)] == [PRUNED] * len(cleared)
    assert PRUNED not in outputs[len(cleared) :]
    assert chat_is_well_formed(messages[1:])
    verify_events(session.id, before)
    assert all(call.output for call in cleared)


def test_the_outputs_of_the_last_two_turns_are_never_cleared(site: SessionSite) -> None:
    site.write("big.txt", "tea and cake\n" * 3900)
    session = site.open_session(allow=("doom_loop",))
    for _ in range(2):
        site.script(calls(*[READ] * 5), text("Read."))
        site.run_prompt("Read.", session=session)
    assert not ToolCall.objects.filter(pruned=True).exists()


def test_people_can_have_a_session_summed_up(site: SessionSite) -> None:
    session = site.open_session()
    address = f"/api/v1/sessions/{session.public_id}/summary"
    browser = browser_of(site.user)
    assert browser.post(address, {}, content_type="application/json").status_code == 409
    site.script(text("Tea is made."))
    site.run_prompt("Make tea.", session=session)
    before = snapshot_of(session.id)
    assert browser.post(address, {}, content_type="application/json").status_code == 202
    site.pump.run()
    session.refresh_from_db()
    assert "Make tea." in session.summary
    assert "Tea is made." in session.summary
    verify_events(session.id, before)


def test_a_session_tells_how_full_its_context_is(site: SessionSite) -> None:
    small_context(site)
    session = site.open_session()
    site.script(text("Hello.", usage=usage(5_000)))
    site.run_prompt(session=session)
    view = snapshot_of(session.id)["session"]
    assert (view["context_tokens"], view["context_limit"]) == (5_001, 20_000)
