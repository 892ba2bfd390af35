"""Every decision and answer is recorded in the team's audit log, in the same transaction, with bounded size and
cost."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from agentsite.tenancy import audit
from agentsite.tenancy.models import AuditChain, AuditEntry
from sessions_app.actions.decisions import MAX_AUDITED_CHARACTERS, CallDecision
from sessions_app.events import views
from sessions_app.models import PermissionRequest, ToolCall, Turn
from tests.support.asking import DEPLOYS, approved_by, audited, deployed, go_on, set_policy, waiting_turn
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.workers import acquire, found, until_called
from tools_app.gate import judge
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed

LOOK = tool_call("list")


def decided(pattern: str = "x", action: Any = "allow") -> CallDecision:
    needs = (PermissionNeed("bash", (pattern,)),)
    return CallDecision(judge(needs, [Layer("team", [Rule("bash", "*", action)])]), needs, (1, 2, 3))


def decisions(site: SessionSite) -> list[dict[str, Any]]:
    return [entry.data for entry in audited(site.team, "call.decided")]


def test_each_decision_says_what_was_decided_by_which_rule_and_policies(site: SessionSite) -> None:
    rule = {"permission": "list", "pattern": "*", "action": "deny"}
    set_policy(site.project, rules=[rule])
    site.script(calls(tool_call("glob", pattern="*"), LOOK), text("Done."))
    turn = site.run_prompt()
    denied, allowed = sorted(decisions(site), key=lambda each: each["action"], reverse=True)
    assert (allowed["tool"], allowed["action"], allowed["layer"]) == ("glob", "allow", "defaults")
    assert (denied["tool"], denied["action"], denied["layer"], denied["rule"]) == ("list", "deny", "project", rule)
    assert denied["policies"] == [0, 0, 1]
    assert {entry.subject for entry in audited(site.team, "call.decided")} == {
        call.public_id for call in site.calls(turn)
    }


def test_a_call_that_was_asked_is_recorded_when_asked_and_with_its_answer_when_run(site: SessionSite) -> None:
    turn = waiting_turn(site)
    request = site.reply("once")
    go_on(site, turn)
    asked, run = decisions(site)
    assert (asked["action"], "answered" in asked) == ("ask", False)
    assert (run["action"], run["answered"]) == ("ask", [request.public_id])


def test_arguments_that_are_no_call_are_no_decision(site: SessionSite) -> None:
    site.script(calls(tool_call("nothing_of_the_kind")), text("Done."))
    site.run_prompt()
    assert decisions(site) == []


@pytest.mark.parametrize(("reply", "words"), [("once", ""), ("always", ""), ("reject", ""), ("reject", "No.")])
def test_each_answer_says_who_and_how_without_their_words(site: SessionSite, reply: str, words: str) -> None:
    waiting_turn(site)
    row = site.reply(reply, message=words)
    (entry,) = audited(site.team, "request.answered")
    assert (entry.actor, entry.subject) == (site.user.public_id, row.public_id)
    assert (entry.data["reply"], entry.data["scope"], entry.data["words"]) == (row.state, row.scope, bool(words))
    assert "No." not in str(entry.data)


def test_a_whole_story_verifies(site: SessionSite) -> None:
    approved_by(site.team, "member")
    turn = waiting_turn(site, LOOK, DEPLOYS)
    site.reply("always", request=site.open_requests()[0], scope="project")
    go_on(site, turn)
    chain = AuditChain.objects.get(team=site.team)
    assert list(audit.verify(chain)) == []
    actions = set(AuditEntry.objects.filter(chain=chain).values_list("action", flat=True))
    assert actions >= {"call.decided", "request.answered", "grant.added"}


def test_what_was_not_done_is_not_recorded(site: SessionSite) -> None:
    """A decision without effect is not recorded, such as the decision of a worker that lost its lease of the call."""
    site.script(calls(LOOK))
    call = until_called(site, site.open_session())
    held = found(call)
    ToolCall.objects.filter(pk=call.pk).update(state="aborted")
    assert not acquire(held, decided())
    assert decisions(site) == []


def test_an_endless_command_is_kept_short_in_the_log_and_whole_with_the_call(site: SessionSite) -> None:
    site.script(calls(LOOK))
    held = found(until_called(site, site.open_session()))
    assert acquire(held, decided("x" * 5000))
    (entry,) = decisions(site)
    assert entry["pattern"] == "x" * MAX_AUDITED_CHARACTERS
    row = ToolCall.objects.get(pk=held.row.pk)
    assert row.judgement is not None
    assert row.judgement["needs"][0]["patterns"] == ["x" * 5000]


def statements(site: SessionSite, decision: CallDecision | None) -> int:
    site.script(calls(LOOK))
    held = found(until_called(site, site.open_session()))
    with CaptureQueriesContext(connection) as queries:
        assert acquire(held, decision)
    ToolCall.objects.all().delete()
    return len(queries)


def test_a_decision_costs_one_look_at_the_revision_and_three_statements_of_audit(site: SessionSite) -> None:
    AuditChain.objects.create(key=site.team.public_id, team=site.team)
    assert statements(site, decided()) - statements(site, None) == 4


def test_the_judgement_is_kept_with_the_call_and_shown_nowhere(site: SessionSite) -> None:
    site.script(calls(LOOK), text("Done."))
    (call,) = site.calls(site.run_prompt())
    assert call.judgement is not None
    assert call.judgement["action"] == "allow"
    assert "judgement" not in views.call(call).model_dump()


@pytest.mark.parametrize("reply", ["allow", "ask", "deny"])
def test_a_judgement_stands_with_every_outcome(site: SessionSite, reply: str) -> None:
    set_policy(site.team, rules=[{"permission": "bash", "pattern": "*", "action": reply}])
    site.write("Makefile", "deploy:\n\ttrue\n")
    site.script(calls(DEPLOYS), text("Done."))
    (call,) = site.calls(site.run_prompt())
    assert call.judgement is not None
    assert (call.judgement["action"], call.judgement["versions"]["team"]) == (reply, 1)


def test_a_view_of_a_request_needs_no_queries(
    site: SessionSite, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    approved_by(site.team, "two_people")
    waiting_turn(site)
    site.reply("once")
    row = PermissionRequest.objects.select_related("call").get()
    with django_assert_num_queries(0):
        view = views.permission_request(row, tool=row.call.tool)
    assert len(view.approvals) == 1
    assert deployed(site) == 0
    assert Turn.objects.get().state == "waiting"
