"""Local MCP servers through the whole stack: their tools are offered, need permission and are called, and the model
reads their results."""

from typing import Any

import pytest

from sessions_app.mcp.actions import change_server
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer, McpServerState, ToolCall, Turn
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.support.asking import set_policy
from tests.support.deadline import wait_until
from tests.support.door_at_work import door_at_work
from tests.support.local_mcp import add_server, keep_runtimes, seen_server
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.workers import finish, taken, until_called
from tools_app.mcp.definitions import read_tools

__all__ = ["door_at_work"]


@pytest.fixture(autouse=True)
def _one_runtime(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_runtimes(site, monkeypatch)


@pytest.fixture
def server(site: SessionSite) -> McpServer:
    return seen_server(site)


def offered(site: SessionSite, session: Any) -> set[str]:
    return {tool["id"] for tool in RestApi(site.user)("get", f"/sessions/{session.public_id}/tools")["items"]}


def test_a_servers_tool_is_offered_asked_about_and_called_once(site: SessionSite, server: McpServer) -> None:
    script = site.script(calls(tool_call("demo_add", a=1, b=2)), text("Three."))
    turn = site.run_prompt()
    request = site.open_request()
    assert request.title == "Call add of demo"
    (need,) = request.needs
    assert (need["permission"], need["patterns"], need["always"]) == ("demo_add", ["*"], ["*"])
    shown = need["metadata"]["mcp"]
    assert (shown["server"], shown["tool"], shown["hints"]) == ("demo", "add", {"readOnlyHint": True})
    site.reply("once")
    site.pump.run()

    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    first, second = script.requests(at_least=2)
    told = {tool["function"]["name"]: tool["function"] for tool in first["body"]["tools"]}
    assert told["demo_add"]["description"] == "Add two numbers."
    assert set(told["demo_add"]["parameters"]["properties"]) == {"a", "b"}
    assert second["body"]["messages"][-1]["content"] == "3"
    call = ToolCall.objects.get(turn=turn)
    assert call.metadata["mcp"] == {"server": "demo", "tool": "add", "structured": {"result": 3}}
    assert (site.files / "calls.txt").read_text() == "1+2\n"


def test_the_tools_of_a_project_include_those_of_its_servers(site: SessionSite, server: McpServer) -> None:
    api = RestApi(site.user)
    found = {tool["id"]: tool for tool in api("get", f"/tools?project_id={site.project.public_id}")["items"]}
    assert (found["demo_add"]["source"], found["demo_add"]["permission"]) == ("MCP server demo", "demo_add")
    assert "demo_add" not in {tool["id"] for tool in api("get", "/tools")["items"]}
    shown = api("get", f"/tools/demo_add?project_id={site.project.public_id}")
    assert set(shown["parameters"]["properties"]) == {"a", "b"}
    assert api("get", "/tools/mcp_start")["id"] == "mcp_start"


def test_always_allows_this_tool_and_no_other(site: SessionSite, server: McpServer) -> None:
    site.script(
        calls(tool_call("demo_add", a=1, b=2)),
        calls(tool_call("demo_add", a=3, b=4)),
        calls(tool_call("demo_long", size=10)),
    )
    site.run_prompt()
    site.reply("always")
    site.pump.run()
    assert (site.files / "calls.txt").read_text() == "1+2\n3+4\n"
    assert site.open_request().title == "Call long of demo"


def test_a_policy_denies_a_tool_or_a_whole_server_at_the_next_call(site: SessionSite, server: McpServer) -> None:
    session = site.open_session(allow=("demo_*",))
    assert {"demo_add", "demo_long"} <= offered(site, session)
    set_policy(site.team, enforced=[{"permission": "demo_long", "pattern": "*", "action": "deny"}])
    assert "demo_add" in offered(site, session)
    assert "demo_long" not in offered(site, session)
    site.script(calls(tool_call("demo_long", size=10)), text("So be it."))
    turn = site.run_prompt(session=session)
    (call,) = site.calls(turn)
    assert call.state == ToolCall.State.ERROR
    assert "`demo_long: *` of team limits" in call.output
    set_policy(site.team, enforced=[{"permission": "demo_*", "pattern": "*", "action": "deny"}])
    assert not any(name.startswith("demo_") for name in offered(site, session))


def test_pictures_resources_and_links_of_an_answer_are_kept(site: SessionSite, server: McpServer) -> None:
    call = run_call(site, "everything")
    assert call.state == ToolCall.State.COMPLETED
    assert [each["media_type"] for each in call.attachments] == ["image/png"]
    assert call.output.split("\n\n") == [
        "A text.",
        "(image: attached as image-1.png)",
        "Resource note://one:\nA note.",
        "Link to a resource: note://two (The second note)",
    ]
    assert call.metadata["mcp"]["links"] == [{"uri": "note://two", "name": "two", "title": "The second note"}]


def test_a_long_answer_is_truncated_like_every_output(site: SessionSite, server: McpServer) -> None:
    call = run_call(site, "long", size=5 << 20)
    assert call.state == ToolCall.State.COMPLETED
    assert len(call.output) < 60_000
    assert "The full text is in " in call.output


def test_an_error_of_a_tool_is_told(site: SessionSite, server: McpServer) -> None:
    call = run_call(site, "broken")
    assert call.state == ToolCall.State.ERROR
    assert call.output.startswith("The server answered with an error: ")
    assert "broken" in call.output


def test_arguments_that_do_not_fit_the_schema_are_refused_before_anybody_is_asked(
    site: SessionSite, server: McpServer
) -> None:
    call = run_call(site, "add", allow=(), a="one", b=2)
    assert call.state == ToolCall.State.ERROR
    assert "a: 'one' is not of type 'integer'" in call.output


def test_a_server_that_ends_during_a_call_is_named_and_starts_again(site: SessionSite, server: McpServer) -> None:
    call = run_call(site, "crash")
    assert call.state == ToolCall.State.ERROR
    assert call.output.startswith("The MCP server demo ended with exit code 3")
    assert "It may have done what was asked" in call.output
    assert run_call(site, "add", a=1, b=1).output == "2"


def test_a_changed_tool_is_asked_about_with_what_changed_until_it_is_accepted(
    site: SessionSite, server: McpServer
) -> None:
    set_policy(site.team, rules=[{"permission": "demo_*", "pattern": "*", "action": "allow"}])
    change_server(
        actor=site.user, server=server, wanted=ServerSettings(environment={"MCP_TEST_WORD": " and send them away"})
    )
    refresh(site.workspace.pk, node=site.workspace.node)
    site.script(calls(tool_call("demo_add", a=1, b=2)), text("Three."))
    site.run_prompt()
    (need,) = site.open_request().needs
    assert need["permission"] == "changed_tool"
    assert need["metadata"]["changed_tool"]["changes"] == {
        "description": {"before": "Add two numbers.", "after": "Add two numbers and send them away."}
    }
    site.reply("once")
    site.pump.run()
    assert (site.files / "calls.txt").read_text() == "1+2\n"

    api = RestApi(site.user)
    shown = api("get", f"/mcp-servers/{server.public_id}")
    (changed,) = [tool for tool in shown["tools"] if tool["changes"]]
    api("post", f"/mcp-servers/{server.public_id}/accept", {"tools": {changed["name"]: changed["digest"]}})
    assert run_call(site, "add", allow=(), a=3, b=4).output == "7"


def test_a_tool_that_changed_between_step_and_call_is_not_called(site: SessionSite, server: McpServer) -> None:
    seen = [{**tool, "description": "Another one."} if tool["name"] == "add" else tool for tool in server.seen]
    McpServerState.objects.update(tools=seen)
    McpServer.objects.update(seen=seen, accepted={tool["name"]: tool for tool in seen})
    call = run_call(site, "add", a=1, b=2)
    assert call.state == ToolCall.State.ERROR
    assert "has changed its tool add" in call.output
    assert not (site.files / "calls.txt").exists()


def test_a_tool_that_a_running_server_announces_is_offered_without_another_call(
    site: SessionSite, server: McpServer
) -> None:
    assert run_call(site, "grow").output == "Grown."
    wait_until(lambda: "demo_later" in offered(site, site.open_session()), "the new tool is offered", seconds=30)
    run_call(site, "later")
    assert [need["permission"] for need in site.open_request().needs] == ["changed_tool"]


def test_a_disabled_server_is_neither_offered_nor_called(site: SessionSite, server: McpServer) -> None:
    session = site.open_session(allow=("demo_*",))
    change_server(actor=site.user, server=server, wanted=ServerSettings(enabled=False))
    assert not any(name.startswith("demo_") for name in offered(site, session))
    assert RestApi(site.user)("get", f"/mcp-servers/{server.public_id}")["status"] == "disabled"


def test_a_server_gets_the_variables_of_its_project_and_no_persons(site: SessionSite) -> None:
    create_variable(actor=site.user, owner=Owner(site.team), name="DEMO_OF_TEAM", value="team")
    create_variable(actor=site.user, owner=Owner(site.user), name="DEMO_OF_PERSON", value="person")
    add_server(site, environment={"DEMO_OWN": "<{env:DEMO_OF_TEAM}{env:DEMO_MISSING}>"})
    refresh(site.workspace.pk, node=site.workspace.node)
    assert run_call(site, "variables").output == "DEMO_OF_TEAM=team DEMO_OWN=<team>"


def test_a_server_that_does_not_start_says_why(site: SessionSite) -> None:
    row = add_server(site, command=["bash", "-c", "echo it is out of order >&2; exit 7"])
    refresh(site.workspace.pk, node=site.workspace.node)
    shown = RestApi(site.user)("get", f"/mcp-servers/{row.public_id}")
    assert (shown["status"], shown["problem"]) == ("failed", "It ended with exit code 7: it is out of order.")


def test_the_log_of_a_server_has_what_happened_and_what_it_wrote(
    site: SessionSite, server: McpServer, door_at_work: None
) -> None:
    assert run_call(site, "crash").state == ToolCall.State.ERROR
    path = f"/workspaces/{site.workspace.public_id}/mcp-servers/{server.public_id}/log"
    log = RestApi(site.user)("get", path)
    assert [line.partition(" ")[2].split(":")[0] for line in log["events"]] == ["started", "ended with exit code 3"]
    assert log["running"] is False


def test_a_check_starts_a_server_again_and_reads_its_tools(
    site: SessionSite, server: McpServer, door_at_work: None
) -> None:
    McpServerState.objects.all().delete()
    body = {"workspace_id": site.workspace.public_id}
    shown = RestApi(site.user)("post", f"/mcp-servers/{server.public_id}/check", body)
    assert (shown["status"], shown["facts"]["name"]) == ("connected", "demo")
    assert "demo_add" in {tool["id"] for tool in shown["tools"]}


def test_a_server_called_as_a_tool_of_ours_takes_no_name(site: SessionSite) -> None:
    row = add_server(site, name="bash")
    tools = [{"name": "output", "inputSchema": {"type": "object"}}, {"name": "stop", "inputSchema": {"type": "object"}}]
    McpServer.objects.filter(pk=row.pk).update(seen=[tool.as_dict() for tool in read_tools(tools)])
    names = offered(site, site.open_session())
    assert {"bash_output", "bash_stop"} <= names
    assert len([name for name in names if name.startswith("bash_output_")]) == 1


def test_a_call_of_a_killed_worker_is_not_made_again(site: SessionSite, server: McpServer) -> None:
    site.script(calls(tool_call("demo_add", a=1, b=2)), text("I will look."))
    call = until_called(site, site.open_session(allow=("demo_*",)))
    taken(call)
    site.abandon()
    site.recover()
    finish(site, call.turn_id)
    call.refresh_from_db()
    assert call.state == ToolCall.State.ERROR
    assert "The server may have done what was asked" in call.output


def run_call(site: SessionSite, tool: str, *, allow: tuple[str, ...] = ("demo_*",), **arguments: Any) -> ToolCall:
    """Let an agent call a tool of the MCP server; return the call afterwards."""
    site.script(calls(tool_call(f"demo_{tool}", **arguments)), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=allow))
    (call,) = site.calls(turn)
    return call
