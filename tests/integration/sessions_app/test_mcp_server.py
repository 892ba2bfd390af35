"""The site as an MCP server: other agents give work to a team."""

import asyncio
import json
from typing import Any

import pytest

from agentsite.tenancy.models import AuditEntry
from agentsite.tenancy.roles import Role
from agentsite.tenancy.scopes import Scope
from sessions_app.models import Session, Turn
from tests.support.builders import join, make_project, make_team, make_user
from tests.support.local_mcp import answered
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.site_mcp import HANDSHAKE, STATELESS, McpSite, token_of
from tests.support.sockets import do


@pytest.fixture(params=[HANDSHAKE, STATELESS])
def mcp(site: SessionSite, request: pytest.FixtureRequest) -> McpSite:
    return McpSite(token_of(site.user), version=request.param)


async def test_an_agent_gives_work_and_waits_for_the_answer(site: SessionSite, mcp: McpSite) -> None:
    site.script(calls(tool_call("bash", command="echo hi > made.txt")), text("All done."))
    (project,) = (await mcp.call("list_projects"))["items"]
    session = await mcp.call("create_session", project_id=project["id"], title="From afar")
    await do(_allow_commands, session["id"])

    prompt = {"session_id": session["id"], "text": "Make it.", "idempotency_key": "once"}
    taken = await mcp.call("send_prompt", **prompt)
    again = await mcp.call("send_prompt", **prompt)
    assert again["turn"]["id"] == taken["turn"]["id"]
    assert await Turn.objects.acount() == 1

    waiting = mcp.call("wait_for_turn", turn_id=taken["turn"]["id"], wait=30)
    outcome, _ = await asyncio.gather(waiting, do(site.pump.run))
    assert (outcome["state"], outcome["text"]) == ("ended", "All done.")
    assert mcp.progress[0] == "The agent works."
    (row,) = (await mcp.call("list_sessions"))["items"]
    assert (row["title"], row["id"]) == ("From afar", session["id"])
    answer = (await mcp.call("list_messages", session_id=session["id"], limit=1))["items"][0]
    assert answer["parts"][-1]["text"] == "All done."


def _allow_commands(session_id: str) -> None:
    row = Session.objects.by_public_id(session_id)
    row.rules = [{"permission": "bash", "pattern": "*", "action": "allow"}]
    row.save(update_fields=["rules"])


async def test_what_waits_for_a_person_is_decided_with_the_scope_for_it(site: SessionSite, mcp: McpSite) -> None:
    site.script(calls(tool_call("bash", command="make hi")), text("Done."))
    session = await do(site.open_session)
    taken = await mcp.call("send_prompt", session_id=session.public_id, text="Do it.")
    await do(site.pump.run)
    outcome = await mcp.call("wait_for_turn", turn_id=taken["turn"]["id"])
    (asked,) = outcome["permission_requests"]
    assert (outcome["state"], asked["tool"]) == ("waiting", "bash")
    assert [row["id"] for row in (await mcp.call("list_permission_requests"))["items"]] == [asked["id"]]

    worker = McpSite(await do(token_of, site.user, Scope.READ, Scope.WORK), version=mcp.version)
    assert await worker.error("answer_permission_request", request_id=asked["id"], reply="once") == "scope_missing"
    assert (await mcp.call("answer_permission_request", request_id=asked["id"], reply="once"))["state"] == "once"
    await do(site.pump.run)
    assert (await mcp.call("get_turn", turn_id=taken["turn"]["id"]))["state"] == "ended"
    assert await AuditEntry.objects.filter(action="request.answered").aexists()


async def test_a_turn_is_stopped(site: SessionSite, mcp: McpSite) -> None:
    session = await do(site.open_session)
    taken = await mcp.call("send_prompt", session_id=session.public_id, text="Do it.")
    await mcp.call("stop_turn", session_id=session.public_id)
    assert (await mcp.call("get_turn", turn_id=taken["turn"]["id"]))["turn"]["state"] == "aborted"


async def test_sessions_and_changes_are_resources(site: SessionSite, mcp: McpSite) -> None:
    session = await do(site.open_session, "Tidy up")
    listed = (await mcp.send("resources/list"))["result"]["resources"]
    uri = f"agentsite://sessions/{session.public_id}"
    assert [(row["uri"], row["title"]) for row in listed] == [(uri, "Tidy up")]
    assert json.loads((await mcp.read(uri))["text"])["title"] == "Tidy up"
    assert json.loads((await mcp.read(f"{uri}/messages"))["text"])["items"] == []
    assert json.loads((await mcp.read(f"{uri}/diff"))["text"])["files"] == []
    templates = (await mcp.send("resources/templates/list"))["result"]["resourceTemplates"]
    assert {row["uriTemplate"].removeprefix("agentsite://sessions/") for row in templates} == {
        "{session_id}", "{session_id}/messages", "{session_id}/diff", "{session_id}/files/{+path}",
    }  # fmt: skip


async def test_files_are_listed_and_read_as_tools_and_as_resources(site: SessionSite, mcp: McpSite) -> None:
    session = await do(site.open_session)
    await do(site.write, "src/größe.txt", "eins\nzwei\n")
    await do(site.write, ".env", "TOKEN=hidden\n")
    entries = (await answered(site, mcp.call("list_files", session_id=session.public_id, path="src")))["entries"]
    assert [entry["name"] for entry in entries] == ["größe.txt"]
    found = await answered(site, mcp.call("read_file", session_id=session.public_id, path="src/größe.txt", lines=1))
    assert (found["text"], found["next_line"]) == ("eins\n", 2)
    uri = f"agentsite://sessions/{session.public_id}/files/src/gr%C3%B6%C3%9Fe.txt"
    content = await answered(site, mcp.read(uri))
    assert (content["text"], content["mimeType"]) == ("eins\nzwei\n", "text/plain")
    for path in ("nothing", "../outside"):
        missing = await answered(site, mcp.read(f"agentsite://sessions/{session.public_id}/files/{path}"))
        assert missing["code"] == -32602


async def test_a_client_without_the_scope_for_decisions_reads_no_secret_file(site: SessionSite) -> None:
    session = await do(site.open_session)
    await do(site.write, ".env", "TOKEN=hidden\n")
    mcp = McpSite(await do(token_of, site.user, Scope.READ, Scope.WORK))
    assert "hidden" not in str(await answered(site, mcp.read(f"agentsite://sessions/{session.public_id}/files/.env")))


@pytest.mark.parametrize(
    "uri",
    ["agentsite://nothing", "agentsite://sessions/ses_1", "agentsite://sessions/..%2Fprojects", "file:///etc/passwd"],
)
async def test_a_resource_that_does_not_exist_is_an_error_with_our_code(mcp: McpSite, uri: str) -> None:
    error = await mcp.read(uri)
    assert (error["code"], error["data"]["code"]) in {(-32602, "not_found"), (-32602, "bad_input")}


async def test_only_tools_that_the_token_has_the_scope_for_are_listed(site: SessionSite) -> None:
    async def listed(*scopes: Scope) -> set[str]:
        mcp = McpSite(await do(token_of, site.user, *scopes))
        return {tool["name"] for tool in (await mcp.send("tools/list"))["result"]["tools"]}

    everything = await listed()
    assert everything - await listed(Scope.READ, Scope.WORK) == {"answer_permission_request"}
    assert "send_prompt" not in await listed(Scope.READ)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("send_prompt", {"session_id": "ses_1/../x", "text": "x"}, "bad_input"),
        ("send_prompt", {"text": "x"}, "bad_input"),
        ("send_prompt", {"session_id": 5, "text": "x"}, "bad_input"),
        ("list_projects", {"nonsense": 1}, "unknown_parameter"),
        ("list_projects", {"fields": "id"}, "unknown_parameter"),
        ("list_projects", {"limit": {"a": 1}}, "bad_input"),
        ("list_projects", {"limit": "many"}, "bad_input"),
        ("list_projects", {"cursor": "a\x00b"}, "unstorable_text"),
        ("create_session", {"project_id": "prj_1", "idempotency_key": 7}, "bad_input"),
        ("create_session", {"project_id": "prj_1", "idempotency_key": ""}, "bad_input"),
        ("get_session", {"session_id": "ses_1"}, "not_found"),
    ],
)
async def test_bad_arguments_are_errors_that_the_model_can_read(
    mcp: McpSite, tool: str, arguments: dict[str, Any], code: str
) -> None:
    assert await mcp.error(tool, **arguments) == code


async def test_an_unknown_tool_is_an_error_of_the_protocol(mcp: McpSite) -> None:
    answer = await mcp.send("tools/call", {"name": "rm", "arguments": {}})
    assert answer["error"]["code"] == -32602


async def test_a_token_for_one_project_sees_no_other(site: SessionSite) -> None:
    other = await do(make_project, site.team)
    mcp = McpSite(await do(token_of, site.user, project=site.project))
    assert [row["id"] for row in (await mcp.call("list_projects"))["items"]] == [site.project.public_id]
    assert await mcp.error("create_session", project_id=other.public_id) == "not_found"


async def test_other_teams_do_not_exist_and_viewers_only_read(site: SessionSite) -> None:
    session = await do(site.open_session)
    viewer = McpSite(await do(token_of, await do(site.member, Role.VIEWER)))
    stranger = McpSite(await do(token_of, await do(_stranger)))
    attempts: list[tuple[str, dict[str, Any]]] = [
        ("create_session", {"project_id": site.project.public_id}),
        ("send_prompt", {"session_id": session.public_id, "text": "x"}),
        ("stop_turn", {"session_id": session.public_id}),
    ]
    for tool, arguments in attempts:
        assert await viewer.error(tool, **arguments) == "not_allowed", tool
        assert await stranger.error(tool, **arguments) == "not_found", tool
    for tool in ("get_session", "list_messages", "list_files", "get_diff"):
        assert await stranger.error(tool, session_id=session.public_id) == "not_found", tool
    assert (await viewer.call("get_session", session_id=session.public_id))["id"] == session.public_id
    assert (await stranger.call("list_sessions"))["items"] == []


def _stranger() -> Any:
    user = make_user()
    join(make_team(), user, Role.OWNER)
    return user
