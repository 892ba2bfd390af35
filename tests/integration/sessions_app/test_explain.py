"""Explanations of decisions: of past calls, of possible calls, and of all rules that apply in a session."""

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async

from agentsite.tenancy.roles import Role
from sandbox.errors import NotFound
from sessions_app.models import Grant, Session, Turn, Workspace
from sessions_app.queries.questions import WORKSPACE_QUESTIONS, NeedsQuestion, ReviewQuestion
from sessions_app.transport.rest import policies as policies_rest
from sessions_app.workers.sandbox import workspace_queries
from sessions_app.workers.sandbox.replies import parse
from tests.support.asking import DEPLOY, set_policy, waiting_turn
from tests.support.builders import browser_of, make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tools_app.models import PolicyVersion

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def _asked_at_once(monkeypatch: pytest.MonkeyPatch, site: SessionSite) -> None:
    """Answer queries of the workspace in this process, converted to JSON and back as in transit."""

    def answer(question: NeedsQuestion) -> Any:
        parsed = parse(WORKSPACE_QUESTIONS, json.loads(json.dumps(question.model_dump(mode="json"))))
        return json.loads(json.dumps(workspace_queries._answer(site.workspace, parsed)))

    async def ask(_workspace: Workspace, question: NeedsQuestion, **_whose: Any) -> Any:
        return await sync_to_async(answer, thread_sensitive=False)(question)

    monkeypatch.setattr(policies_rest, "query_workspace", ask)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


def explain(site: SessionSite, **question: Any) -> Any:
    answer = ask(site, **question)
    assert answer.status_code == 200, answer.content
    return answer.json()


def ask(site: SessionSite, **question: Any) -> Any:
    return browser_of(site.user).post("/api/v1/explain", question, content_type="application/json")


def why(site: SessionSite, call_id: str) -> Any:
    return browser_of(site.user).get(f"/api/v1/tool-calls/{call_id}/why")


def rule(permission: str, pattern: str, action: str) -> dict[str, str]:
    return {"permission": permission, "pattern": pattern, "action": action}


# before a call


def test_a_permission_and_a_pattern_are_explained_with_rule_layer_and_trace(
    site: SessionSite, session: Session
) -> None:
    set_policy(site.team, rules=[rule("read", "docs/*", "deny")])
    said = explain(site, session_id=session.public_id, permission="read", pattern="docs/a.md")
    (decision,) = said["decisions"]
    assert (said["action"], decision["layer"], decision["rule"]) == ("deny", "team", rule("read", "docs/*", "deny"))
    assert (decision["limit"], said["analysis"]) == (False, None)
    assert {match["layer"] for match in decision["trace"]} == {"defaults"}


def test_a_limit_is_called_one(site: SessionSite, session: Session) -> None:
    set_policy(site.team, enforced=[rule("read", "docs/*", "deny")])
    (decision,) = explain(site, session_id=session.public_id, permission="read", pattern="docs/a")["decisions"]
    assert (decision["layer"], decision["limit"]) == ("team limits", True)


def test_the_bounds_of_an_agent_are_limits_only_when_they_decided(site: SessionSite) -> None:
    plan = site.open_session(agent="plan")
    (decision,) = explain(site, session_id=plan.public_id, permission="edit", pattern="a.py")["decisions"]
    assert (decision["layer"], decision["limit"]) == ("agent plan", False)
    set_policy(site.project, rules=[rule("edit", "*", "allow")])
    (decision,) = explain(site, session_id=plan.public_id, permission="edit", pattern="a.py")["decisions"]
    assert (decision["action"], decision["layer"], decision["limit"]) == ("deny", "agent plan", True)


def test_a_call_of_a_session_is_looked_at_in_its_workspace(site: SessionSite, session: Session) -> None:
    site.write("secret/.env", "x")
    (site.files / "link").symlink_to("secret/.env")
    said = explain(site, session_id=session.public_id, tool="read", arguments={"filePath": "link"})
    (decision,) = said["decisions"]
    assert (said["action"], decision["pattern"]) == ("ask", "secret/.env")


def test_a_command_is_explained_with_its_analysis(site: SessionSite, session: Session) -> None:
    command = f"git status && {DEPLOY} > out.txt"
    said = explain(site, session_id=session.public_id, tool="bash", arguments={"command": command})
    assert said["analysis"]["patterns"] == ["git status", DEPLOY]
    assert said["analysis"]["complete"] is True
    unclear = explain(site, session_id=session.public_id, tool="bash", arguments={"command": "eval $X"})
    assert (unclear["action"], unclear["analysis"]["complete"]) == ("ask", False)
    assert unclear["analysis"]["reasons"]


def test_other_ways_to_call_a_command_count_as_they_do_when_it_runs(site: SessionSite, session: Session) -> None:
    set_policy(site.team, rules=[rule("bash", "kubectl delete *", "deny")])
    arguments = {"command": "kubectl -n a delete pod x"}
    assert explain(site, session_id=session.public_id, tool="bash", arguments=arguments)["action"] == "deny"


def test_a_call_that_is_too_long_to_be_explained_is_not_explained_in_part(site: SessionSite, session: Session) -> None:
    set_policy(site.team, rules=[rule("bash", "cat last", "deny")])
    command = "; ".join([*(f"cat f{number}" for number in range(200)), "cat last"])
    answer = ask(site, session_id=session.public_id, tool="bash", arguments={"command": command})
    assert (answer.status_code, "parts" in answer.json()["error"]["message"]) == (400, True)


def test_what_is_asked_about_does_not_happen(site: SessionSite, session: Session) -> None:
    explain(site, session_id=session.public_id, tool="write", arguments={"filePath": "new.txt", "content": "x"})
    explain(site, session_id=session.public_id, tool="bash", arguments={"command": "touch ran"})
    assert not (site.files / "new.txt").exists()
    assert not (site.files / "ran").exists()


def test_without_a_session_the_text_of_the_call_is_judged(site: SessionSite) -> None:
    set_policy(site.project, rules=[rule("bash", "rm *", "deny")])
    Grant.objects.create(team=site.team, project=site.project, scope="project", permission="bash", pattern="./deploy *")
    project = {"project_id": site.project.public_id}
    denied = explain(site, **project, tool="bash", arguments={"command": "ls; rm -r src"})
    assert (denied["action"], denied["analysis"]["patterns"]) == ("deny", ["ls", "rm -r src"])
    assert explain(site, **project, tool="bash", arguments={"command": "./deploy all"})["action"] == "allow"
    assert explain(site, **project, tool="read", arguments={"filePath": "x/.env"})["action"] == "ask"
    assert explain(site, **project, tool="todoread")["action"] == "allow"
    edit = {"filePath": "a.py", "oldString": "a", "newString": "b"}
    assert explain(site, **project, tool="edit", arguments=edit)["action"] == "allow"
    assert explain(site, **project, agent="plan", tool="edit", arguments=edit)["action"] == "deny"
    assert explain(site, **project, permission="edit", pattern="a.py", agent="plan")["action"] == "deny"
    assert Session.objects.count() == 0


@pytest.mark.parametrize("place", ["session", "project"])
@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"tool": "teleport"}, "tool"),
        ({"tool": "x" * 200}, "tool"),
        ({"tool": "read", "arguments": {}}, "arguments"),
        ({"tool": "read", "arguments": {"filePath": 3}}, "arguments"),
        ({"tool": "bash", "arguments": {"command": ""}}, "arguments"),
        ({"tool": "bash", "arguments": {"command": "x" * 600_000}}, "arguments"),
        ({"tool": "read", "arguments": {"filePath": "a", "surprise": [[[]]]}}, "arguments"),
        ({}, "tool"),
        ({"tool": "read", "permission": "read"}, "tool"),
        ({"tool": "read", "arguments": []}, "arguments"),
        ({"permission": "x" * 101}, "permission"),
    ],
)
def test_a_question_that_means_nothing_is_refused(
    site: SessionSite, session: Session, place: str, question: dict[str, Any], field: str
) -> None:
    where = {"session_id": session.public_id} if place == "session" else {"project_id": site.project.public_id}
    answer = ask(site, **where, **question)
    assert answer.status_code == 400, answer.content
    assert field in answer.json()["error"]["fields"]


def test_a_question_about_an_agent_that_is_none_is_refused(site: SessionSite) -> None:
    answer = ask(site, project_id=site.project.public_id, agent="nobody", permission="read", pattern="x")
    assert (answer.status_code, answer.json()["error"]["fields"]) == (400, {"agent": "unknown"})


def test_a_question_about_nowhere_is_refused(site: SessionSite) -> None:
    assert ask(site, permission="read", pattern="x").status_code == 400


def test_nobody_explains_what_belongs_to_others(site: SessionSite, session: Session) -> None:
    stranger = browser_of(make_member(make_team(), Role.OWNER))
    for where in ({"session_id": session.public_id}, {"project_id": site.project.public_id}):
        for call in ({"permission": "read", "pattern": "x"}, {"tool": "read", "arguments": {"filePath": "x"}}):
            answer = stranger.post("/api/v1/explain", where | call, content_type="application/json")
            assert answer.status_code == 404


# after a call


def test_a_call_that_waits_says_why_and_for_what(site: SessionSite) -> None:
    set_policy(site.team, rules=[rule("bash", "make *", "ask")])
    turn = waiting_turn(site)
    (call,) = site.calls(turn)
    said = why(site, call.public_id).json()
    assert (said["action"], said["versions"]) == ("ask", {"site": 0, "team": 1, "project": 0})
    assert said["request"]["id"] == site.open_request().public_id
    (decision,) = [item for item in said["decisions"] if item["permission"] == "bash"]
    assert (decision["pattern"], decision["layer"]) == (DEPLOY, "team")
    assert decision["trace"]
    assert said["decided_at"] is not None


def test_a_call_keeps_its_reason_when_the_rules_change(site: SessionSite) -> None:
    site.script(calls(tool_call("list")), text("Done."))
    turn = site.run_prompt()
    (call,) = site.calls(turn)
    before = why(site, call.public_id).json()
    set_policy(site.team, rules=[rule("list", "*", "deny")])
    assert why(site, call.public_id).json() == before
    assert (before["action"], before["request"]) == ("allow", None)


def test_a_denied_call_says_which_rule_denied_it(site: SessionSite) -> None:
    set_policy(site.project, enforced=[rule("list", "*", "deny")])
    site.script(calls(tool_call("list")), text("Done."))
    (call,) = site.calls(site.run_prompt())
    said = why(site, call.public_id).json()
    assert [(item["action"], item["layer"], item["limit"]) for item in said["decisions"]] == [
        ("deny", "project limits", True)
    ]


def test_a_call_that_was_never_judged_has_no_decision(site: SessionSite) -> None:
    site.script(calls(tool_call("teleport")), text("Done."))
    (call,) = site.calls(site.run_prompt())
    said = why(site, call.public_id).json()
    assert (said["decided_at"], said["action"], said["decisions"]) == (None, None, [])


# a session's rules


def test_the_rules_of_a_session_are_shown_layer_by_layer(site: SessionSite, session: Session) -> None:
    set_policy(site.team, preset="cautious", enforced=[rule("read", "*.pem", "deny")])
    set_policy(site.project, rules=[rule("list", "*", "deny")])
    PolicyVersion.objects.create(place="site", version=1, rules=[rule("bash", "git *", "ask")])
    shown = browser_of(site.user).get(f"/api/v1/sessions/{session.public_id}/rules").json()
    assert (shown["agent"], shown["preset"], shown["incomplete_commands"]) == ("build", "cautious", "ask")
    assert shown["versions"] == {"site": 1, "team": 1, "project": 1}
    assert [layer["name"] for layer in shown["preferences"]] == ["defaults", "site", "project"]
    assert shown["limits"] == [
        {"name": "team limits", "rules": [rule("read", "*.pem", "deny")]},
        {"name": "agent build", "rules": [rule("plan_exit", "*", "deny")]},
    ]
    assert shown["hidden_tools"] == ["list", "plan_exit"]
    assert (shown["project_files"], shown["inherited"]) == ([], [])


def test_a_policy_that_is_saved_counts_from_the_next_call_on(site: SessionSite) -> None:
    turn = waiting_turn(site, tool_call("list"))
    set_policy(site.team, enforced=[rule("bash", "make *", "deny")])
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    denied = next(call for call in site.calls(turn) if call.tool == "bash")
    assert (denied.state, (denied.decision or {})["layer"], turn.state) == (
        "error",
        "team limits",
        Turn.State.COMPLETED,
    )


def test_the_workspace_answers_over_its_queue(site: SessionSite) -> None:
    """The workspace's node answers a query: it runs the task, and the answer arrives over the channel layer. Only the
    broker is left out."""
    from channels.layers import get_channel_layer

    layer = get_channel_layer()
    reply_to = async_to_sync(layer.new_channel)()
    question = {"kind": "needs", "tool": "list", "arguments": "{}", "agent": "build"}
    workspace_queries.answer_query(site.workspace.pk, question, reply_to, node=site.settings.NODE_NAME)
    answer = async_to_sync(layer.receive)(reply_to)
    assert [need["permission"] for need in answer["ok"]["needs"]] == ["list"]


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "list"},
        {"kind": "needs", "tool": "list"},
        {},
    ],
)
def test_a_question_that_the_node_does_not_know_is_not_found(question: dict[str, Any]) -> None:
    with pytest.raises(NotFound):
        parse(WORKSPACE_QUESTIONS, question)


def test_a_question_of_a_newer_release_may_have_more_fields() -> None:
    assert parse(WORKSPACE_QUESTIONS, {"kind": "review", "base": "b", "more": 1}) == ReviewQuestion(base="b")
