"""Prompts and resources of MCP servers: for people in the prompt box, and for models as the permission rules allow."""

from typing import Any

import pytest

from sessions_app.mcp.remote import RemoteReply
from sessions_app.models import McpServer, McpServerState, ToolCall
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.integration.sessions_app.test_mcp_local import _one_runtime
from tests.support.asking import set_policy
from tests.support.door_at_work import door_at_work
from tests.support.local_mcp import add_server
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

__all__ = ["_one_runtime", "door_at_work"]


@pytest.fixture
def server(site: SessionSite) -> McpServer:
    row = add_server(site)
    refresh(site.workspace.pk, node=site.workspace.node)
    return row


def read(site: SessionSite, uri: str, prompt: str = "Do it.") -> ToolCall:
    site.script(calls(tool_call("mcp_read_resource", server="demo", uri=uri)), text("Done."))
    turn = site.run_prompt(prompt)
    (call,) = site.calls(turn)
    return call


def test_prompts_and_resources_are_listed_for_people(site: SessionSite, server: McpServer) -> None:
    api, session = RestApi(site.user), site.open_session()
    (prompt,) = api("get", f"/sessions/{session.public_id}/mcp-prompts")["items"]
    assert (prompt["server"], prompt["name"], prompt["title"]) == ("demo", "greet", "Greet somebody")
    assert [(each["name"], each["required"]) for each in prompt["arguments"]] == [("name", True), ("tone", False)]
    found = api("get", f"/sessions/{session.public_id}/mcp-resources")["items"]
    assert [(each["uri"], each["template"]) for each in found] == [("guide://install", False), ("note://{name}", True)]


def test_a_prompt_is_got_with_its_arguments(site: SessionSite, server: McpServer, door_at_work: None) -> None:
    session = site.open_session()
    body: dict[str, Any] = {"server_id": server.public_id, "name": "greet", "arguments": {"name": "Ada"}}
    answer = RestApi(site.user)("post", f"/sessions/{session.public_id}/mcp-prompts", body)
    assert answer == {"text": "Greet Ada in a friendly tone."}
    error = RestApi(site.user).error(
        "post", f"/sessions/{session.public_id}/mcp-prompts", {**body, "arguments": {}}, expect=503
    )
    assert error["message"].startswith("The MCP server demo refused the call: ")
    RestApi(site.user)("post", f"/sessions/{session.public_id}/mcp-prompts", {**body, "name": "other"}, expect=404)


def test_a_server_completes_the_arguments_of_its_prompts(
    site: SessionSite, server: McpServer, door_at_work: None
) -> None:
    api, session = RestApi(site.user), site.open_session()
    (prompt,) = api("get", f"/sessions/{session.public_id}/mcp-prompts")["items"]
    assert prompt["completes"]
    path = f"/sessions/{session.public_id}/mcp-prompts/complete"
    body: dict[str, Any] = {"server_id": server.public_id, "name": "greet", "argument": "name", "value": "ad"}
    assert api("post", path, body) == {"values": ["Ada", "Adele"], "has_more": False}
    body = {**body, "argument": "tone", "value": "like", "arguments": {"name": "Ada"}}
    assert api("post", path, body) == {"values": ["like Ada"], "has_more": False}
    api("post", path, {**body, "argument": "other"}, expect=404)
    api("post", path, {**body, "name": "other"}, expect=404)
    api("post", path, {**body, "surplus": 1}, expect=422)
    McpServerState.objects.update(offerings={"prompts": McpServerState.objects.get().offerings["prompts"]})
    assert api("post", path, body) == {"values": [], "has_more": False}  # it is not asked


def test_a_model_lists_resources_and_a_person_is_asked_before_one_is_read(site: SessionSite, server: McpServer) -> None:
    site.script(calls(tool_call("mcp_resources")), text("Done."))
    turn = site.run_prompt()
    (call,) = site.calls(turn)
    assert call.output.splitlines() == [
        "demo guide://install - How to install (text/plain)",
        "demo note://{name} - note_of: A note by its name. (template)",
    ]
    call = read(site, "note://one")
    (need,) = site.open_request().needs
    assert (need["permission"], need["patterns"], need["always"]) == (
        "mcp_read_resource", ["demo note://one"], ["demo *"],
    )  # fmt: skip
    site.reply("once")
    site.pump.run()
    call.refresh_from_db()
    assert call.output == "Resource note://one:\nThe note one."


def test_a_resource_that_a_person_names_is_read_unasked_and_no_other(site: SessionSite, server: McpServer) -> None:
    assert read(site, "guide://install", "Follow @demo:guide://install please.").output.endswith("Run make install.")
    assert read(site, "note://two", "Follow @demo:guide://install please.").state == ToolCall.State.WAITING


def test_a_limit_of_the_team_counts_for_what_a_person_names_too(site: SessionSite, server: McpServer) -> None:
    set_policy(site.team, enforced=[{"permission": "mcp_read_resource", "pattern": "demo *", "action": "deny"}])
    call = read(site, "guide://install", "Follow @demo:guide://install please.")
    assert call.state == ToolCall.State.ERROR


def test_a_resource_that_is_not_there_is_an_error_with_the_servers_words(site: SessionSite, server: McpServer) -> None:
    call = read(site, "other://x", "Read @demo:other://x")
    assert call.state == ToolCall.State.ERROR
    assert call.output.startswith("The MCP server demo refused the call: ")
    site.script(calls(tool_call("mcp_read_resource", server="nobody", uri="a://b")), text("Done."))
    turn = site.run_prompt("Read @nobody:a://b")
    assert site.calls(turn)[0].output == "There is no MCP server 'nobody'. Servers: demo."


def test_without_resources_the_tools_are_not_offered(site: SessionSite, server: McpServer) -> None:
    names = {
        tool["id"] for tool in RestApi(site.user)("get", f"/sessions/{site.open_session().public_id}/tools")["items"]
    }
    assert {"mcp_resources", "mcp_read_resource"} <= names
    McpServerState.objects.update(offerings={})
    names = {
        tool["id"] for tool in RestApi(site.user)("get", f"/sessions/{site.open_session().public_id}/tools")["items"]
    }
    assert not {"mcp_resources", "mcp_read_resource"} & names


def test_a_prompt_of_a_remote_server_comes_through_the_door(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    row = McpServer.objects.create(
        place=site.team.public_id, team=site.team, name="far", kind="remote", url="https://mcp.example.org",
        changed_at=site.workspace.last_used_at,
    )  # fmt: skip
    prompts = [{"name": "greet", "title": "", "description": "", "arguments": []}]
    McpServerState.objects.create(
        server=row, team=site.team, status="connected", offerings={"prompts": prompts}, of_version=1,
        checked_at=site.workspace.last_used_at,
    )  # fmt: skip
    asked: dict[str, Any] = {}

    async def ask(row: McpServer, **question: Any) -> RemoteReply:
        asked.update(question)
        return RemoteReply(
            kind="answer", answer={"messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}]}
        )

    monkeypatch.setattr("sessions_app.mcp.session_rest.ask_server", ask)
    body = {"server_id": row.public_id, "name": "greet", "arguments": {"a": "b"}}
    answer = RestApi(site.user)("post", f"/sessions/{site.open_session().public_id}/mcp-prompts", body)
    assert answer == {"text": "Hi"}
    assert asked == {"person_id": site.user.pk, "tool": "greet", "ask": "prompt", "arguments": {"a": "b"}}
