"""The page of an MCP server: the rules that apply to its tools, its last calls, and a call by a person."""

import time
import uuid
from typing import Any

import pytest
from django.test import AsyncClient

from agentsite.tenancy.models import AuditEntry, User
from agentsite.tenancy.roles import Role
from sandbox.errors import SandboxError
from sessions_app.mcp.actions import change_server
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer, ToolCall
from sessions_app.queries.questions import McpTryQuestion
from sessions_app.workers.sandbox import workspace_queries
from tests.support.asking import set_policy
from tests.support.builders import bearer
from tests.support.local_mcp import answered, keep_runtimes, seen_server
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.sockets import do
from tools_app.mcp.definitions import ServerTool

ALLOW = {"permission": "demo_*", "pattern": "*", "action": "allow"}
DENY = {"permission": "demo_add", "pattern": "*", "action": "deny"}


@pytest.fixture
def server(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> McpServer:
    keep_runtimes(site, monkeypatch)
    return seen_server(site)


def rules_of(site: SessionSite, server: McpServer, user: User | None = None) -> dict[str, Any]:
    path = f"/projects/{site.project.public_id}/mcp-servers/{server.public_id}/rules"
    return {item["tool"]: item for item in RestApi(user or site.user)("get", path)["items"]}


async def attempt(site: SessionSite, server: McpServer, *, user: User | None = None, **body: Any) -> tuple[int, Any]:
    """Call a tool of the MCP server as a person; return the status and the body of the response."""
    path = f"/api/v1/workspaces/{site.workspace.public_id}/mcp-servers/{server.public_id}/try"
    sent = {"tool": "demo_add", "arguments": {"a": 1, "b": 2}, **body}
    headers = await do(bearer, user or site.user)
    answer = await answered(site, AsyncClient().post(path, sent, content_type="application/json", headers=headers))
    return answer.status_code, answer.json()


async def refused(site: SessionSite, server: McpServer, **more: Any) -> str:
    status, body = await attempt(site, server, **more)
    assert status >= 400, body
    assert not (site.files / "calls.txt").exists()
    code: str = body["error"]["code"]
    return code


def test_each_tool_says_what_the_rules_decide_and_which_one(site: SessionSite, server: McpServer) -> None:
    assert {rule["action"] for rule in rules_of(site, server).values()} == {"ask"}
    set_policy(site.team, rules=[ALLOW], enforced=[DENY])
    found = rules_of(site, server, site.member(Role.VIEWER))
    assert (found["demo_add"]["action"], found["demo_long"]["action"]) == ("deny", "allow")
    assert not found["demo_long"]["may_try"]
    assert rules_of(site, server)["demo_long"]["may_try"]
    (reason, *_) = found["demo_add"]["decisions"]
    assert reason["rule"] == {"permission": "demo_add", "pattern": "*", "action": "deny"}
    assert "team" in reason["layer"]


def test_a_changed_tool_is_asked_about_whatever_its_rule_says(site: SessionSite, server: McpServer) -> None:
    set_policy(site.team, rules=[ALLOW])
    server.accepted = {**(server.accepted or {}), "add": {"name": "add", "description": "Something else."}}
    server.save()
    found = rules_of(site, server)["demo_add"]
    assert found["action"] == "ask"
    assert [each["permission"] for each in found["decisions"]] == ["changed_tool", "demo_add"]


def test_a_disabled_server_has_no_tools_to_decide_about(site: SessionSite, server: McpServer) -> None:
    change_server(actor=site.user, server=server, wanted=ServerSettings(enabled=False), check_version=lambda _row: None)
    assert rules_of(site, server) == {}


def test_the_last_calls_say_who_where_and_how_long(site: SessionSite, server: McpServer) -> None:
    site.script(calls(tool_call("demo_add", a=1, b=2), tool_call("bash", command="true")), text("Three."))
    session = site.open_session("Sums", allow=("demo_*", "bash"))
    site.run_prompt(session=session)
    path = f"/projects/{site.project.public_id}/mcp-servers/{server.public_id}/calls"
    (item,) = RestApi(site.user)("get", path)["items"]
    call = ToolCall.objects.get(tool="demo_add")
    assert (item["id"], item["tool"], item["state"]) == (call.public_id, "demo_add", "completed")
    assert (item["session_id"], item["session_title"]) == (session.public_id, "Sums")
    assert item["person"]["email"] == site.user.email
    assert item["seconds"] > 0


def test_calls_in_private_sessions_of_others_are_not_listed(site: SessionSite, server: McpServer) -> None:
    site.script(calls(tool_call("demo_add", a=1, b=2)), text("Three."))
    session = site.open_session(allow=("demo_*",))
    site.run_prompt(session=session)
    session.shared_with = "private"
    session.save(update_fields=["shared_with"])
    path = f"/projects/{site.project.public_id}/mcp-servers/{server.public_id}/calls"
    assert len(RestApi(site.user)("get", path)["items"]) == 1
    assert RestApi(site.member())("get", path)["items"] == []


async def test_a_person_calls_a_tool_and_it_is_recorded(site: SessionSite, server: McpServer) -> None:
    status, result = await attempt(site, server, confirmed=True)
    assert (status, result["output"], result["failed"]) == (200, "3", False)
    assert result["structured"] == {"result": 3}
    assert (site.files / "calls.txt").read_text() == "1+2\n"
    entry = await AuditEntry.objects.aget(action="mcp_server.tool_tried")
    assert (entry.data["tool"], entry.data["decision"]) == ("add", "ask")
    assert "arguments" not in entry.data
    assert await ToolCall.objects.acount() == 0


async def test_what_the_tool_answers_as_an_error_is_shown(site: SessionSite, server: McpServer) -> None:
    status, result = await attempt(site, server, tool="demo_broken", arguments={}, confirmed=True)
    assert (status, result["failed"]) == (200, True)
    assert "broken" in result["output"]


async def test_a_rule_that_allows_needs_no_confirmation(site: SessionSite, server: McpServer) -> None:
    await do(set_policy, site.team, rules=[ALLOW])
    assert (await attempt(site, server))[0] == 200


async def test_where_the_rules_ask_the_person_must_say_yes(site: SessionSite, server: McpServer) -> None:
    assert await refused(site, server) == "confirmation_needed"


async def test_what_the_rules_deny_is_not_called(site: SessionSite, server: McpServer) -> None:
    await do(set_policy, site.team, enforced=[DENY])
    assert await refused(site, server, confirmed=True) == "not_allowed"


async def test_who_may_not_approve_cannot_say_yes(site: SessionSite, server: McpServer) -> None:
    silent = await do(site.member, may_approve=False)
    assert await refused(site, server, user=silent, confirmed=True) == "not_allowed"
    viewer = await do(site.member, Role.VIEWER)
    assert await refused(site, server, user=viewer, confirmed=True) == "not_allowed"


@pytest.mark.parametrize("approvers", ["admin", "two_people"])
async def test_stricter_approvers_of_the_policy_apply(site: SessionSite, server: McpServer, approvers: str) -> None:
    await do(set_policy, site.team, options={"approvers": approvers})
    member = await do(site.member)
    assert await refused(site, server, user=member, confirmed=True) == "not_allowed"
    if approvers == "two_people":
        assert await refused(site, server, confirmed=True) == "not_allowed"


@pytest.mark.parametrize(
    "body",
    [{"tool": "demo_nothing"}, {"tool": "bash"}, {"arguments": {"a": "x"}}, {"arguments": {}}, {"arguments": {"c": 1}}],
)
async def test_bad_calls_are_refused_before_anything_is_sent(
    site: SessionSite, server: McpServer, body: dict[str, Any]
) -> None:
    assert await refused(site, server, confirmed=True, **body) == "bad_input"


async def test_a_disabled_server_is_not_called(site: SessionSite, server: McpServer) -> None:
    await McpServer.objects.aupdate(enabled=False)
    assert await refused(site, server, confirmed=True) == "stale"


def question_of(server: McpServer, *, until: float, digest: str = "") -> McpTryQuestion:
    (tool,) = [ServerTool.from_dict(each) for each in server.seen if each["name"] == "add"]
    return McpTryQuestion(
        id="one",
        until=until,
        person=uuid.uuid4(),
        tool="demo_add",
        digest=digest or tool.digest,
        arguments='{"a": 1, "b": 2}',
    )


def test_a_call_that_is_delivered_twice_or_late_is_made_once(site: SessionSite, server: McpServer) -> None:
    question = question_of(server, until=time.time() + 60)
    assert workspace_queries._answer(site.workspace, question)["output"] == "3"
    for again in (question, question_of(server, until=time.time() - 1)):
        with pytest.raises(SandboxError, match="not made"):
            workspace_queries._answer(site.workspace, again)
    assert (site.files / "calls.txt").read_text() == "1+2\n"


def test_a_tool_that_changed_meanwhile_is_not_called(site: SessionSite, server: McpServer) -> None:
    question = question_of(server, until=time.time() + 60, digest="another")
    result = workspace_queries._answer(site.workspace, question)
    assert result["failed"]
    assert "has changed this tool" in result["output"]
    assert not (site.files / "calls.txt").exists()
