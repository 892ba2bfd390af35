"""MCP servers that ask people questions during a call: the question, its answers, and the outcome without an answer."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions_app.actions.prompts import abort_turn, submit_prompt
from sessions_app.actions.server_questions import ask_form
from sessions_app.models import Question, Session, ToolCall, Turn
from sessions_app.workers.sandbox import mcp_forms
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.support.deadline import wait_until
from tests.support.local_mcp import add_server, keep_runtimes
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.threads import at_work
from tests.support.workers import taken
from tools_app.mcp.forms import read_form

SCRIPT = Path(__file__).parents[2] / "support" / "scripted_mcp_server.py"


@pytest.fixture(autouse=True)
def _server(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_runtimes(site, monkeypatch)
    monkeypatch.setattr(mcp_forms, "POLL_SECONDS", 0.02)
    add_server(site, command=[sys.executable, "-I", "scripted.py", "form"])
    shutil.copy(SCRIPT, site.files / "scripted.py")
    refresh(site.workspace.pk, node=site.workspace.node)


def prompt(site: SessionSite, **more: Any) -> Turn:
    session = site.open_session(allow=("demo_*",))
    site.script(calls(tool_call("demo_echo")), text("Done."))
    return submit_prompt(actor=site.user, session=session, text="Order tea.", **more)[0]


def asked_meanwhile(site: SessionSite, act: Callable[[Question], Any]) -> ToolCall:
    """Let an agent call a tool of the MCP server, and run `act` when the server asks its question. Return the finished
    call."""
    turn = prompt(site)
    with at_work(site.pump.run):
        act(open_question())
    (call,) = site.calls(turn)
    return call


def open_question() -> Question:
    wait_until(Question.objects.filter(state="open").exists, "the server asks", seconds=60)
    row: Question = Question.objects.select_related("session__project").get()
    return row


def reply_of(call: ToolCall) -> Any:
    assert call.state == ToolCall.State.COMPLETED, call.output
    return json.loads(call.output)["form"]


def reply(site: SessionSite, question: Question, *answers: list[str], expect: int = 200) -> Any:
    return RestApi(site.user)("post", f"/questions/{question.public_id}/reply", {"answers": answers}, expect=expect)


def test_a_server_asks_people_and_the_call_goes_on_with_their_answers(site: SessionSite) -> None:
    def act(question: Question) -> None:
        call, session = ToolCall.objects.get(), Session.objects.get()
        assert (call.state, call.waits_for, session.status) == ("waiting", "question", "waiting")
        shown = RestApi(site.user)("get", f"/questions/{question.public_id}")
        assert shown["server"] == {"name": "demo", "message": "What would you like?", "url": ""}
        assert [each["prefilled"] for each in shown["questions"]] == [[], ["2"], []]
        assert [each["required"] for each in shown["questions"]] == [True, False, False]
        bad = reply(site, question, ["Ada"], ["12"], [], expect=400)
        assert "Cups: at most 9." in bad["error"]["message"]
        reply(site, question, ["Ada"], ["3"], ["Darjeeling"])

    call = asked_meanwhile(site, act)
    assert reply_of(call) == {"action": "accept", "content": {"name": "Ada", "cups": 3, "tea": "d"}}
    assert Turn.objects.get().state == Turn.State.COMPLETED


def test_who_dismisses_the_question_refuses_and_the_turn_goes_on(site: SessionSite) -> None:
    call = asked_meanwhile(site, lambda each: RestApi(site.user)("post", f"/questions/{each.public_id}/reject"))
    assert reply_of(call) == {"action": "decline"}
    assert Turn.objects.get().state == Turn.State.COMPLETED


def test_a_question_that_nobody_answers_in_time_is_told_as_cancelled(site: SessionSite) -> None:
    call = asked_meanwhile(site, lambda _: site.recover(later=700))
    assert reply_of(call) == {"action": "cancel"}


def test_stopping_the_turn_withdraws_the_question(site: SessionSite) -> None:
    call = asked_meanwhile(site, lambda each: abort_turn(actor=site.user, session=each.session))
    assert call.state == ToolCall.State.ABORTED
    assert Question.objects.get().state == Question.State.CANCELLED


def test_nobody_is_asked_in_a_turn_that_does_not_wait_for_answers(site: SessionSite) -> None:
    turn = prompt(site, wait_for_answers=0)
    site.pump.run()
    (call,) = site.calls(turn)
    assert reply_of(call) == {"action": "cancel"}
    assert not Question.objects.exists()


def test_rules_that_deny_questions_count_for_servers_too(site: SessionSite) -> None:
    turn = prompt(site)
    rules = [*turn.session.rules, {"permission": "question", "pattern": "*", "action": "deny"}]
    Session.objects.update(rules=rules)
    site.pump.run()
    (call,) = site.calls(turn)
    assert reply_of(call) == {"action": "decline"}


def test_the_question_of_a_killed_worker_is_withdrawn_and_the_call_may_have_been_made(site: SessionSite) -> None:
    prompt(site)
    site.pump.run(until=ToolCall.objects.exists)
    site.pump.lose()
    held = taken(ToolCall.objects.get())
    assert ask_form(held.row, held.session, "demo", read_form("Who?", {"properties": {}}))
    site.abandon()
    site.recover()
    site.pump.run()
    call = ToolCall.objects.get()
    assert call.state == ToolCall.State.ERROR
    assert "may have done what was asked" in call.output
    assert Question.objects.get().state == Question.State.CANCELLED
