"""Unattended turns: requests and questions wait as long as policies and prompt allow, and then end with a reason."""

from datetime import timedelta
from typing import Any

import pytest

from agentsite.base.errors import BadInput
from sessions_app.actions.prompts import submit_prompt
from sessions_app.models import PermissionRequest, Question, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE, audited, deployed, go_on, set_policy
from tests.support.builders import browser_of
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.sockets import do, open_socket, path_of

ASKS = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


def run(site: SessionSite, *asked: Any, wait: int | None) -> tuple[Turn, PostedScript]:
    """Run a turn that makes these calls in one step. Its requests and questions wait at most `wait` seconds, or as long
    as the policies allow if it is None."""
    site.write("Makefile", MAKEFILE)
    script = site.script(calls(*asked), text("Done."))
    turn, _ = submit_prompt(actor=site.user, session=site.open_session(), text="Do it.", wait_for_answers=wait)
    return go_on(site, turn), script


def waits(row: PermissionRequest | Question) -> timedelta:
    assert row.expires_at is not None
    return row.expires_at - row.created_at


def near(seconds: float) -> Any:
    return pytest.approx(seconds, abs=5)


@pytest.mark.parametrize(
    ("hours", "wait", "seconds"),
    [(None, None, 24 * 3600), (2.0, None, 7200), (None, 600, 600), (0.1, 600, 360), (1.0, 7200, 3600)],
)
def test_requests_and_questions_wait_for_the_shortest_of_the_limits(
    site: SessionSite, hours: float | None, wait: int | None, seconds: float
) -> None:
    if hours is not None:
        set_policy(site.team, options={"wait_hours": hours})
        set_policy(site.project, options={"wait_hours": 500})
    run(site, DEPLOYS, ASKS, wait=wait)
    assert waits(site.open_request()).total_seconds() == near(seconds)
    assert waits(site.open_question()).total_seconds() == near(seconds)


def test_what_nobody_answered_in_the_turns_own_time_is_denied_with_the_reason(site: SessionSite) -> None:
    turn, script = run(site, DEPLOYS, ASKS, wait=60)
    before = snapshot_of(turn.session_id)
    assert site.recover(later=50)["requests"] == site.recover(later=50)["questions"] == 0
    due = site.recover(later=70)
    assert (due["requests"], due["questions"]) == (1, 1)
    assert go_on(site, turn).state == Turn.State.COMPLETED
    said = [message["content"] for message in script.requests(at_least=2)[1]["body"]["messages"][-2:]]
    assert all("Nobody answered" in words for words in said)
    request = PermissionRequest.objects.get()
    assert (request.state, "Nobody answered" in request.message) == ("rejected", True)
    assert deployed(site) == 0
    verify_events(turn.session_id, before)


def test_an_expired_request_is_in_the_audit_log_as_nobodys_answer(site: SessionSite) -> None:
    run(site, DEPLOYS, wait=60)
    site.recover(later=70)
    (entry,) = audited(site.team, "request.expired")
    assert (entry.actor, entry.subject) == ("site", PermissionRequest.objects.get().public_id)


def test_a_turn_that_waits_for_nobody_is_denied_at_once_and_the_agent_goes_on(site: SessionSite) -> None:
    turn, script = run(site, DEPLOYS, wait=0)
    assert turn.state == Turn.State.COMPLETED
    (call,) = site.calls(turn)
    assert (call.state, deployed(site)) == (ToolCall.State.ERROR, 0)
    assert "does not wait for answers" in call.output
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == call.output
    assert not PermissionRequest.objects.exists()


def test_people_see_by_which_rule_it_would_have_been_asked(site: SessionSite) -> None:
    turn, _ = run(site, DEPLOYS, wait=0)
    (call,) = site.calls(turn)
    assert call.decision is not None
    assert call.judgement is not None
    assert call.decision["action"] == call.judgement["action"] == "ask"
    (entry,) = audited(site.team, "call.decided")
    assert (entry.data["action"], entry.data["reason"]) == ("ask", "unattended")


def test_what_is_allowed_runs_in_a_turn_that_waits_for_nobody(site: SessionSite) -> None:
    turn, _ = run(site, tool_call("list"), wait=0)
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.COMPLETED]


TASK = [
    "mkdir -p src && cat > src/tea.py <<'EOF'\ndef price(cups):\n    return cups * 3\nEOF",
    """python3 -c 'import sys; sys.path.insert(0, "src"); import tea; print(tea.price(2))'""",
    """python3 - <<'EOF'\nfrom pathlib import Path\npath = Path("src/tea.py")
path.write_text(path.read_text().replace("3", "40"))\nEOF""",
    'printf \'#!/bin/sh\\necho "price: $(PYTHONPATH=src python3 -c "import tea; print(tea.price(2))")"\\n\' > run.sh',
    "chmod +x run.sh && ./run.sh > result.txt",
    "touch src/old.bak && find src -name '*.bak' -delete",
]


def test_under_contained_a_task_is_done_without_a_question(site: SessionSite) -> None:
    set_policy(
        site.team, preset="contained", enforced=[{"permission": "edit", "pattern": "ledger/*", "action": "deny"}]
    )
    site.write("ledger/tea.csv", "tea,3\n")
    denied = [tool_call("bash", command="echo 'tea,0' > ledger/tea.csv"), tool_call("bash", command="git push")]
    script = site.script(*(calls(tool_call("bash", command=each)) for each in TASK), calls(*denied), text("Done."))
    turn, _ = submit_prompt(actor=site.user, session=site.open_session(), text="Do it.", wait_for_answers=0)
    assert go_on(site, turn).state == Turn.State.COMPLETED
    *done, written, pushed = site.calls(turn)
    assert [(call.state, call.output) for call in done] == [(ToolCall.State.COMPLETED, call.output) for call in done]
    assert (site.files / "result.txt").read_text() == "price: 80\n"
    assert not list(site.files.rglob("*.bak"))
    assert (written.state, pushed.state) == (ToolCall.State.ERROR, ToolCall.State.ERROR)
    assert "rule `edit: ledger/*` of team limits" in written.output
    assert "does not wait for answers" in pushed.output
    assert (site.files / "ledger" / "tea.csv").read_text() == "tea,3\n"
    assert not PermissionRequest.objects.exists()
    assert len(script.requests(at_least=len(TASK) + 2)) == len(TASK) + 2


def test_a_question_in_a_turn_that_waits_for_nobody_is_answered_at_once(site: SessionSite) -> None:
    turn, script = run(site, ASKS, wait=0)
    assert turn.state == Turn.State.COMPLETED
    assert "Nobody can answer" in script.requests(at_least=2)[1]["body"]["messages"][-1]["content"]
    assert not Question.objects.exists()


@pytest.mark.parametrize(("joined_with", "kept"), [(None, 60), (0, 0), (900, 900)])
def test_a_prompt_that_joins_keeps_the_turns_patience_unless_it_has_its_own(
    site: SessionSite, joined_with: int | None, kept: int
) -> None:
    turn, _ = run(site, DEPLOYS, wait=60)
    submit_prompt(actor=site.user, session=turn.session, text="And?", wait_for_answers=joined_with)
    turn.refresh_from_db()
    assert turn.patience == kept


@pytest.mark.parametrize("wait", [-1, 30 * 24 * 3600 + 1])
def test_a_wait_out_of_range_is_refused(site: SessionSite, wait: int) -> None:
    with pytest.raises(BadInput):
        submit_prompt(actor=site.user, session=site.open_session(), text="Do it.", wait_for_answers=wait)
    path = f"/api/v1/sessions/{site.open_session().public_id}/prompts"
    answer = browser_of(site.user).post(path, {"text": "x", "wait_for_answers": wait}, content_type="application/json")
    assert answer.status_code == 400
    assert not Turn.objects.exists()


def test_programs_say_it_with_the_prompt(site: SessionSite) -> None:
    path = f"/api/v1/sessions/{site.open_session().public_id}/prompts"
    answer = browser_of(site.user).post(path, {"text": "x", "wait_for_answers": 90}, content_type="application/json")
    assert answer.status_code == 202
    assert Turn.objects.get().patience == 90


async def test_the_socket_takes_it_too(site: SessionSite) -> None:
    session = await do(site.open_session)
    async with open_socket(path_of(session), user=site.user) as socket:
        assert (await socket.ask("prompt", text="x", wait_for_answers="soon"))["type"] == "error"
        assert (await socket.ask("prompt", text="x", wait_for_answers=90))["type"] == "ack"
    assert await do(lambda: Turn.objects.get().patience) == 90
