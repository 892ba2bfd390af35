"""A call that needs a decision waits for one answer, and the answer applies to exactly that call."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Role
from sessions_app.actions.grants import revoke_grant
from sessions_app.actions.permissions import reply_permission
from sessions_app.actions.questions import dismiss_question
from sessions_app.models import Grant, PermissionRequest, Question, Session, ToolCall, Turn
from tests.support.asking import DEPLOYS, MAKEFILE, deployed, go_on, waiting_turn
from tests.support.builders import make_member, make_team
from tests.support.model_server import PostedScript, calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of, verify_events
from tests.support.threads import of_kind, race

ASKS = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


def last_result(script: PostedScript, *, request: int) -> str:
    """Return the last message of the model request with this number."""
    return str(script.requests(at_least=request)[request - 1]["body"]["messages"][-1]["content"])


@pytest.fixture(autouse=True)
def _makefile(site: SessionSite) -> None:
    site.write("Makefile", MAKEFILE)


@pytest.fixture
def waiting(site: SessionSite) -> Turn:
    return waiting_turn(site)


# once


def test_once_runs_the_call_and_the_turn_goes_on(site: SessionSite, waiting: Turn) -> None:
    before = snapshot_of(waiting.session_id)
    row = site.reply("once")
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    assert (row.state, row.answered_by, deployed(site)) == ("once", site.user, 1)
    verify_events(waiting.session_id, before)


def test_once_does_not_speak_for_the_next_call_of_the_same_text(site: SessionSite) -> None:
    site.script(calls(DEPLOYS), calls(DEPLOYS), text("Done."))
    turn = site.run_prompt()
    site.reply("once")
    assert go_on(site, turn).state == Turn.State.WAITING
    assert deployed(site) == 1


def test_an_answer_does_not_speak_for_arguments_that_nobody_saw(site: SessionSite, waiting: Turn) -> None:
    site.reply("once")
    ToolCall.objects.filter(turn=waiting).update(raw_arguments='{"command": "make other"}')
    assert go_on(site, waiting).state == Turn.State.WAITING
    assert deployed(site) == 0
    assert site.open_request().needs[0]["patterns"] == ["make other"]


def test_an_answer_does_not_speak_for_a_diff_that_nobody_saw(site: SessionSite) -> None:
    site.write("secret.env", "one\n")
    site.script(calls(tool_call("edit", filePath="secret.env", oldString="one", newString="two")), text("Done."))
    turn = site.run_prompt()
    site.reply("once")
    site.write("secret.env", "zero\none\n")
    assert go_on(site, turn).state == Turn.State.WAITING
    assert "zero" in site.open_request().needs[0]["metadata"]["diff"]


# always


def test_always_lets_the_same_call_run_without_asking_for_the_rest_of_the_session(site: SessionSite) -> None:
    site.script(calls(DEPLOYS), calls(DEPLOYS), text("Done."))
    turn = site.run_prompt()
    row = site.reply("always")
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert (row.scope, deployed(site)) == ("session", 2)


def test_always_for_the_session_does_not_reach_another_session(site: SessionSite, waiting: Turn) -> None:
    site.reply("always", scope="session")
    go_on(site, waiting)
    site.script(calls(DEPLOYS))
    assert site.run_prompt().state == Turn.State.WAITING
    assert deployed(site) == 1


def test_always_for_the_project_reaches_its_other_sessions(site: SessionSite, waiting: Turn) -> None:
    site.reply("always", scope="project")
    go_on(site, waiting)
    site.script(calls(DEPLOYS), text("Done."))
    assert site.run_prompt().state == Turn.State.COMPLETED
    assert deployed(site) == 2


def test_always_for_the_session_settles_its_other_requests_that_it_allows(site: SessionSite) -> None:
    site.script(calls(DEPLOYS, DEPLOYS), text("Done."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    first, second = site.open_requests()
    site.reply("always", request=first)
    second.refresh_from_db()
    assert (second.state, second.answered_by) == ("always", site.user)
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert deployed(site) == 2
    verify_events(turn.session_id, before)


def test_always_leaves_waiting_what_it_does_not_fully_allow(site: SessionSite) -> None:
    site.script(calls(DEPLOYS, tool_call("bash", command="rm x")), text("Done."))
    turn = site.run_prompt()
    first, second = site.open_requests()
    site.reply("always", request=first)
    second.refresh_from_db()
    assert second.state == "open"
    assert go_on(site, turn).state == Turn.State.WAITING


def test_always_for_the_project_settles_requests_of_its_other_sessions(site: SessionSite) -> None:
    asks = calls(DEPLOYS)
    site.script(asks, asks, text("Done."), text("Done."))
    first, other = site.run_prompt(), site.run_prompt()
    before = snapshot_of(other.session_id)
    site.reply("always", scope="project", request=PermissionRequest.objects.get(turn=first))
    assert go_on(site, first).state == Turn.State.COMPLETED
    assert go_on(site, other).state == Turn.State.COMPLETED
    assert deployed(site) == 2
    verify_events(other.session_id, before)


def test_always_for_the_session_leaves_other_sessions_waiting(site: SessionSite, waiting: Turn) -> None:
    site.script(calls(DEPLOYS), text("Done."))
    other = site.run_prompt()
    site.reply("always", scope="session", request=PermissionRequest.objects.get(turn=waiting))
    assert go_on(site, other).state == Turn.State.WAITING


def test_a_revoked_grant_asks_again(site: SessionSite, waiting: Turn) -> None:
    site.reply("always", scope="project")
    go_on(site, waiting)
    revoke_grant(actor=site.user, grant=Grant.objects.get())
    site.script(calls(DEPLOYS))
    assert site.run_prompt().state == Turn.State.WAITING


def test_a_grant_says_who_gave_it_and_for_which_request(site: SessionSite, waiting: Turn) -> None:
    row = site.reply("always", scope="project")
    grant = Grant.objects.get()
    assert (grant.granted_by, grant.from_request, grant.session) == (site.user, row, None)
    assert (grant.permission, [grant.pattern], grant.scope) == ("bash", row.needs[0]["always"], "project")


def test_a_viewer_may_not_revoke_a_grant(site: SessionSite, waiting: Turn) -> None:
    site.reply("always")
    with pytest.raises(NotAllowed):
        revoke_grant(actor=site.member(Role.VIEWER), grant=Grant.objects.get())
    assert Grant.objects.exists()


# reject


def test_a_plain_reject_stops_the_turn_and_closes_what_else_was_asked(site: SessionSite) -> None:
    site.script(calls(DEPLOYS, tool_call("bash", command="rm x")), text("Never said."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    site.reply("reject", request=site.open_requests()[0])
    turn.refresh_from_db()
    assert turn.state == Turn.State.ABORTED
    assert turn.error is not None
    assert turn.error["code"] == "rejected"
    assert set(PermissionRequest.objects.values_list("state", flat=True)) == {"rejected", "cancelled"}
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.ERROR, ToolCall.State.ABORTED]
    assert Session.objects.get(pk=turn.session_id).status == Session.Status.IDLE
    assert deployed(site) == 0
    verify_events(turn.session_id, before)


def test_a_plain_reject_takes_back_the_questions_of_the_turn(site: SessionSite) -> None:
    turn = waiting_turn(site, ASKS)
    before = snapshot_of(turn.session_id)
    site.reply("reject")
    assert Question.objects.get().state == Question.State.CANCELLED
    assert {call.state for call in site.calls(turn)} == {ToolCall.State.ERROR, ToolCall.State.ABORTED}
    verify_events(turn.session_id, before)


def test_a_dismissed_question_takes_back_the_requests_of_the_turn(site: SessionSite) -> None:
    turn = waiting_turn(site, ASKS)
    dismiss_question(actor=site.user, question=site.open_question())
    assert PermissionRequest.objects.get().state == PermissionRequest.State.CANCELLED
    assert go_on(site, turn).state == Turn.State.ABORTED
    assert deployed(site) == 0


def test_after_a_plain_reject_the_model_is_not_asked_again(site: SessionSite) -> None:
    script = site.script(calls(DEPLOYS), text("Never said."))
    turn = site.run_prompt()
    site.reply("reject")
    go_on(site, turn)
    assert len(script.requests()) == 1


def test_a_reject_with_words_lets_the_agent_go_on_with_them(site: SessionSite) -> None:
    script = site.script(calls(DEPLOYS), text("I see."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    site.reply("reject", message="Use the Makefile.")
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert "Use the Makefile." in last_result(script, request=2)
    assert deployed(site) == 0
    verify_events(turn.session_id, before)


def test_a_plain_reject_lets_the_agent_go_on_if_the_configuration_says_so(site: SessionSite) -> None:
    script = site.script(calls(DEPLOYS), text("I see."))
    turn = site.run_prompt()
    document = json.dumps({"experimental": {"continue_loop_on_deny": True}})
    Session.objects.filter(pk=turn.session_id).update(configuration=document)
    site.reply("reject")
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert "The person rejected this call. It was not run." in last_result(script, request=2)
    assert deployed(site) == 0


def test_a_reject_with_words_leaves_the_other_requests_open(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="rm x"), DEPLOYS), text("Done."))
    turn = site.run_prompt()
    first, second = site.open_requests()
    site.reply("reject", message="No.", request=first)
    assert go_on(site, turn).state == Turn.State.WAITING
    site.reply("once", request=second)
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert deployed(site) == 1


# exactly once, by a person with the right


@pytest.mark.parametrize("second", ["once", "always", "reject"])
def test_a_second_answer_is_stale(site: SessionSite, waiting: Turn, second: str) -> None:
    row = site.reply("once")
    with pytest.raises(Stale) as caught:
        site.reply(second, request=row)
    assert caught.value.code == "already_settled"
    assert go_on(site, waiting).state == Turn.State.COMPLETED
    assert deployed(site) == 1


def test_of_answers_at_the_same_moment_exactly_one_counts(site: SessionSite, waiting: Turn) -> None:
    request = site.open_request()
    people = [site.user, *(site.member() for _ in range(3))]
    replies = ("once", "reject", "once", "always")

    def answer(person: User, reply: str) -> PermissionRequest:
        return reply_permission(actor=person, request=request, reply=reply)

    outcomes = race(*(lambda p=p, r=r: answer(p, r) for p, r in zip(people, replies, strict=True)))
    assert len(of_kind(outcomes, PermissionRequest)) == 1
    assert len(of_kind(outcomes, Stale)) == 3
    (winner,) = of_kind(outcomes, PermissionRequest)
    request.refresh_from_db()
    assert (request.state, request.answered_by_id) == (winner.state, winner.answered_by_id)
    go_on(site, waiting)
    assert deployed(site) == (0 if winner.state == "rejected" else 1)


def test_a_viewer_may_not_answer(site: SessionSite, waiting: Turn) -> None:
    with pytest.raises(NotAllowed):
        reply_permission(actor=site.member(Role.VIEWER), request=site.open_request(), reply="once")
    assert site.open_request().answered_by is None


def test_a_member_who_is_no_approver_may_not_answer(site: SessionSite, waiting: Turn) -> None:
    with pytest.raises(NotAllowed):
        reply_permission(actor=site.member(may_approve=False), request=site.open_request(), reply="once")
    assert site.open_request().answered_by is None


def test_for_somebody_of_another_team_there_is_no_such_request(site: SessionSite, waiting: Turn) -> None:
    with pytest.raises(Missing):
        reply_permission(actor=make_member(make_team()), request=site.open_request(), reply="once")
    assert site.open_request().answered_by is None


@pytest.mark.parametrize(
    ("reply", "words"), [("perhaps", {}), ("always", {"scope": "world"}), ("reject", {"message": "x" * 4001})]
)
def test_an_answer_that_does_not_exist_is_refused(
    site: SessionSite, waiting: Turn, reply: str, words: dict[str, Any]
) -> None:
    with pytest.raises(BadInput):
        site.reply(reply, **words)
    assert site.open_request().state == "open"


# the end of waiting


def test_a_request_that_nobody_answers_is_denied_after_a_day_and_the_agent_goes_on(site: SessionSite) -> None:
    script = site.script(calls(DEPLOYS), text("Then without."))
    turn = site.run_prompt()
    before = snapshot_of(turn.session_id)
    assert site.recover(later=23 * 3600)["requests"] == 0
    PermissionRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert site.recover(later=0)["requests"] == 1
    assert go_on(site, turn).state == Turn.State.COMPLETED
    assert "Nobody answered" in last_result(script, request=2)
    assert deployed(site) == 0
    verify_events(turn.session_id, before)


def test_a_request_lasts_a_day(site: SessionSite, waiting: Turn) -> None:
    assert site.recover(later=24 * 3600 + 60)["requests"] == 1


def test_the_request_outlives_everything_that_is_running(site: SessionSite, waiting: Turn) -> None:
    site.pump.lose()
    kinds = (
        "lost",
        "turns",
        "calls",
        "children",
        "workspaces",
        "requests",
        "questions",
        "model_calls",
        "stopped",
        "uploads",
        "reverts",
        "webhooks",
        "pushes",
    )
    nothing = dict.fromkeys(kinds, 0)
    assert site.recover(later=3600) == nothing
    site.reply("once")
    assert go_on(site, waiting).state == Turn.State.COMPLETED


# decisions without a person


def test_the_plan_agent_may_not_edit_and_the_model_reads_why(site: SessionSite) -> None:
    site.write("a.txt", "one\n")
    script = site.script(calls(tool_call("edit", filePath="a.txt", oldString="one", newString="two")), text("Right."))
    turn = site.run_prompt(session=site.open_session(agent="plan"))
    assert turn.state == Turn.State.COMPLETED
    assert (site.files / "a.txt").read_text() == "one\n"
    assert "the permission rules deny it" in last_result(script, request=2)
    (call,) = site.calls(turn)
    assert call.decision is not None
    assert (call.decision["action"], call.decision["layer"]) == ("deny", "agent plan")


def test_the_plan_agent_is_not_offered_what_it_may_never_use(site: SessionSite) -> None:
    script = site.script(text("A plan."))
    site.run_prompt(session=site.open_session(agent="plan"))
    names = {tool["function"]["name"] for tool in script.requests(at_least=1)[0]["body"]["tools"]}
    assert "read" in names
    assert names.isdisjoint({"edit", "write"})


def test_an_always_answer_does_not_open_the_plan_agent(site: SessionSite, waiting: Turn) -> None:
    site.reply("always", scope="project")
    go_on(site, waiting)
    site.script(calls(DEPLOYS), text("Right."))
    turn = site.run_prompt(session=site.open_session(agent="plan"))
    assert [call.state for call in site.calls(turn)] == [ToolCall.State.ERROR]
    assert deployed(site) == 1
