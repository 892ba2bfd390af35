"""Simulating a policy draft judges the latest real calls again, and lists only the decisions that the draft changes."""

import time
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from agentsite.base.ids import new_id
from agentsite.tenancy.models import Project, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.decisions import judgement_of
from sessions_app.models import Grant, Message, Part, Session, ToolCall, Turn, Workspace
from sessions_app.policy import judge_needs, session_policies
from sessions_app.queries import simulation
from tests.support.asking import set_policy
from tests.support.builders import browser_of, join, make_member, make_project, make_team
from tools_app.gate import need_from_dict
from tools_app.models import PolicyVersion
from tools_app.spec import PermissionNeed

pytestmark = pytest.mark.django_db


def rule(permission: str, pattern: str, action: str) -> dict[str, str]:
    return {"permission": permission, "pattern": pattern, "action": action}


def draft(*rules: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"rules": list(rules), **more}


@dataclass
class Past:
    """A project to which tests add past sessions and tool calls, and whose policies they simulate."""

    owner: User
    project: Project

    def session(self, **fields: Any) -> Session:
        workspace, _ = Workspace.objects.get_or_create(project=self.project, name="main")
        return Session.objects.create(project=self.project, workspace=workspace, title="A session", **fields)

    def call(self, session: Session, *needs: PermissionNeed, tool: str = "bash") -> ToolCall:
        turn = Turn.objects.filter(session=session).first() or Turn.objects.create(session=session)
        message = Message.objects.filter(session=session).first()
        message = message or Message.objects.create(session=session, turn=turn, role="assistant")
        index = Part.objects.filter(message=message).count()
        part = Part.objects.create(session=session, message=message, index=index, type="tool")
        policies = session_policies(session)
        judgement = judgement_of(judge_needs(session, needs, policies), needs, policies.versions)
        return ToolCall.objects.create(
            session=session, turn=turn, message=message, part=part, provider_id="x", tool=tool, judgement=judgement
        )

    def ran(self, command: str, session: Session | None = None, *, complete: bool = True) -> ToolCall:
        metadata = {"command": command, "text": command, "complete": complete}
        return self.call(session or self.session(), PermissionNeed("bash", (command,), metadata=metadata))

    def simulate(
        self,
        place: str,
        document: dict[str, Any],
        *,
        by: User | None = None,
        browser: Client | None = None,
        **more: Any,
    ) -> Any:
        answer = (browser or browser_of(by or self.owner)).post(
            f"/api/v1/policies/{place}/simulate", {"document": document, **more}, content_type="application/json"
        )
        assert answer.status_code == 200, answer.content
        return answer.json()


@pytest.fixture
def past() -> Past:
    team = make_team()
    return Past(make_member(team, Role.OWNER), make_project(team))


def changed(result: Any) -> list[tuple[str, str, str]]:
    return [(item["call_id"], item["before"], item["after"]) for item in result["changes"]]


def test_a_call_that_would_be_decided_otherwise_is_listed_with_both_reasons(past: Past) -> None:
    session = past.session()
    past.ran("git status", session)
    call = past.ran("./deploy now", session)
    result = past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "deny")))
    assert (result["replayed"], result["unchanged"]) == (2, 1)
    (change,) = result["changes"]
    assert (change["call_id"], change["before"], change["after"]) == (call.public_id, "ask", "deny")
    assert (change["before_decision"]["layer"], change["after_decision"]["layer"]) == ("defaults", "project")
    assert (change["session_id"], change["session_title"]) == (session.public_id, "A session")
    assert (change["project_id"], change["tool"], change["title"]) == (past.project.public_id, "bash", "bash")


def test_other_ways_to_call_a_command_count_as_they_do_when_it_runs(past: Past) -> None:
    metadata = {"text": "kubectl -n a delete pod x", "complete": True, "spellings": ["kubectl delete pod x"]}
    call = past.call(past.session(), PermissionNeed("bash", ("kubectl -n a delete pod x",), metadata=metadata))
    result = past.simulate(past.project.public_id, draft(rule("bash", "kubectl delete *", "deny")))
    assert changed(result) == [(call.public_id, "ask", "deny")]


def test_the_policy_in_force_changes_nothing(past: Past) -> None:
    set_policy(past.project, rules=[rule("bash", "./deploy *", "deny")])
    past.ran("./deploy now")
    assert past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "deny")))["changes"] == []


def test_calls_are_judged_under_what_holds_now_and_not_as_they_were_then(past: Past) -> None:
    call = past.ran("./deploy now")
    set_policy(past.project.team, rules=[rule("bash", "./deploy *", "deny")])
    result = past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "allow")))
    assert changed(result) == [(call.public_id, "deny", "allow")]


def test_grants_rules_agents_and_bounds_of_the_session_count_as_they_are(past: Past) -> None:
    granted, own, plan, child = (past.session(agent=agent) for agent in ("build", "build", "plan", "build"))
    scope = {"team": past.project.team, "project": past.project, "session": granted, "scope": "session"}
    Grant.objects.create(**scope, permission="bash", pattern="./deploy *")
    own.rules = [rule("bash", "./deploy *", "deny")]
    own.save()
    child.inherited = [{"name": "parent session", "rules": [rule("bash", "*", "deny")]}]
    child.save()
    for session in (granted, own, plan, child):
        past.ran("./deploy now", session)
    asked = past.ran("./deploy now")
    result = past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "allow")))
    assert changed(result) == [(asked.public_id, "ask", "allow")]


def test_a_command_that_nobody_understood_is_not_allowed_by_a_shape(past: Past) -> None:
    past.ran("./deploy $X", complete=False)
    assert past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "allow")))["changes"] == []


def test_an_enforced_rule_of_a_draft_overrules_what_was_granted(past: Past) -> None:
    session = past.session()
    Grant.objects.create(
        team=past.project.team, project=past.project, scope="project", permission="bash", pattern="./deploy *"
    )
    call = past.ran("./deploy now", session)
    result = past.simulate(past.project.public_id, {"enforced": [rule("bash", "./deploy *", "ask")]})
    assert changed(result) == [(call.public_id, "allow", "ask")]


def test_a_draft_of_the_team_covers_its_projects_and_no_other_team(past: Past) -> None:
    other = Past(past.owner, make_project(past.project.team))
    foreign = Past(past.owner, make_project(make_team()))
    join(foreign.project.team, past.owner, Role.OWNER)
    calls = [each.ran("./deploy now") for each in (past, other, foreign)]
    deny = draft(rule("bash", "./deploy *", "deny"))
    listed = {item["call_id"] for item in past.simulate(past.project.team.public_id, deny)["changes"]}
    assert listed == {call.public_id for call in calls[:2]}
    narrowed = past.simulate(past.project.team.public_id, deny, project_id=other.project.public_id)
    assert [item["call_id"] for item in narrowed["changes"]] == [calls[1].public_id]


def test_a_projects_own_policy_still_wins_over_a_draft_of_the_team(past: Past) -> None:
    set_policy(past.project, rules=[rule("bash", "./deploy *", "allow")])
    past.ran("./deploy now")
    assert past.simulate(past.project.team.public_id, draft(rule("bash", "./deploy *", "deny")))["changes"] == []


def test_a_draft_of_the_site_shows_only_calls_that_the_operator_may_see(past: Past) -> None:
    foreign = Past(past.owner, make_project(make_team()))
    own = past.ran("./deploy now")
    foreign.ran("./deploy now")
    past.owner.is_staff = True
    past.owner.save()
    PolicyVersion.objects.create(place="site", version=1)
    result = past.simulate("site", draft(rule("bash", "./deploy *", "deny")))
    assert [item["call_id"] for item in result["changes"]] == [own.public_id]


def test_only_the_last_calls_are_replayed_newest_first(past: Past) -> None:
    session = past.session()
    calls = [past.ran(f"./deploy {number}", session) for number in range(5)]
    result = past.simulate(past.project.public_id, draft(rule("bash", "./deploy *", "deny")), limit=3)
    assert result["replayed"] == 3
    assert [item["call_id"] for item in result["changes"]] == [call.public_id for call in calls[:1:-1]]


def test_calls_that_were_never_judged_or_were_cut_are_not_replayed(past: Past) -> None:
    call = past.ran("./deploy now")
    long = past.ran("x" * 30_000)
    assert long.judgement is not None
    assert long.judgement["cut"]
    ToolCall.objects.filter(pk=call.pk).update(judgement=None)
    assert past.simulate(past.project.public_id, draft())["replayed"] == 0


@pytest.mark.parametrize("limit", [0, 1001, -1, "x"])
def test_how_many_calls_are_replayed_is_bounded(past: Past, limit: Any) -> None:
    answer = browser_of(past.owner).post(
        f"/api/v1/policies/{past.project.public_id}/simulate",
        {"document": {}, "limit": limit},
        content_type="application/json",
    )
    assert answer.status_code == 400


def test_the_expectations_of_the_draft_are_checked_along(past: Past) -> None:
    expecting = draft(rule("bash", "./deploy *", "deny"), expectations=[{"expect": "ask", "command": "./deploy x"}])
    (checked,) = past.simulate(past.project.public_id, expecting)["expectations"]
    assert (checked["ok"], checked["action"]) == (False, "deny")


def test_another_teams_project_is_missing(past: Past) -> None:
    foreign = make_project(make_team())
    answer = browser_of(past.owner).post(
        f"/api/v1/policies/{past.project.team.public_id}/simulate",
        {"document": {}, "project_id": foreign.public_id},
        content_type="application/json",
    )
    assert answer.status_code == 404


def test_a_thousand_calls_are_replayed_within_the_bound_and_few_queries(
    past: Past, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simulation, "MAX_REPLAY_SECONDS", 60)  # seconds; a busy machine is slow
    session = past.session()
    template = past.ran("./deploy now", session)
    parts = [
        Part(id=new_id(), session=session, message=template.message, index=number, type="tool")
        for number in range(1, 1000)
    ]
    Part.objects.bulk_create(parts)
    shared = {"session": session, "turn": template.turn, "message": template.message, "judgement": template.judgement}
    ToolCall.objects.bulk_create([ToolCall(part=part, provider_id="x", tool="bash", **shared) for part in parts])
    rules = [rule("bash", f"command-{number} *", "deny") for number in range(400)]
    browser = browser_of(past.owner)
    document = draft(*rules, rule("bash", "./deploy *", "deny"))
    started = time.process_time()
    with django_assert_max_num_queries(15):  # signing in is not counted: it needs more statements than all of this
        result = past.simulate(past.project.public_id, document, browser=browser, limit=1000)
    assert (result["replayed"], len(result["changes"])) == (1000, 1000)
    assert time.process_time() - started < 5


def test_when_the_time_is_over_the_answer_says_how_far_it_came(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    past.ran("./deploy now")
    monkeypatch.setattr(simulation, "MAX_REPLAY_SECONDS", -1)
    assert past.simulate(past.project.public_id, draft())["replayed"] == 0


def test_a_judgement_keeps_what_judging_anew_depends_on(past: Past) -> None:
    metadata = {"command": "x", "text": "x", "complete": False, "reasons": ["eval"], "diff": "-a\n+b"}
    call = past.call(past.session(), PermissionNeed("bash", ("x",), ("x",), metadata))
    assert call.judgement is not None
    (need,) = map(need_from_dict, call.judgement["needs"])
    assert (need.patterns, need.always) == (("x",), ("x",))
    assert need.metadata == {"command": "x", "text": "x", "complete": False, "reasons": ["eval"]}


def test_a_judgement_is_bounded(past: Past) -> None:
    needs = [PermissionNeed("read", tuple(f"{number}-{'x' * 100}" for number in range(500)))] * 60
    call = past.call(past.session(), *needs)
    kept = call.judgement
    assert kept is not None
    assert (len(kept["needs"]), len(kept["needs"][0]["patterns"]), len(kept["decisions"])) == (50, 200, 400)
    assert kept["cut"]
