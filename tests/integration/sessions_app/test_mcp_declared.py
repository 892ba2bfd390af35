"""An MCP server that a repository declares is started only after a person has allowed exactly this declaration."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from agentsite.tenancy.roles import Role
from sandbox.ports import Runtime, SandboxSpec
from sessions_app.mcp.actions import create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer, ToolCall, Turn
from sessions_app.variables.actions import Owner, create_variable
from sessions_app.variables.uses import RequestPlace
from sessions_app.workers.door.mcp_headers import HeaderMissing, filled_headers
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox import project_files
from tests.support.asking import set_policy
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite

SCRIPT = Path(__file__).parents[2] / "support" / "mcp_server.py"
LOCAL = {"type": "local", "command": [sys.executable, "server.py"], "environment": {"DEMO_OWN": "<{env:DEMO_OF_TEAM}>"}}


@pytest.fixture(autouse=True)
def _one_runtime(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a `Runtime` live as long as its container, as on a real node, because it holds the running MCP servers."""
    known: dict[str, Runtime] = {}
    ensure = site.deployment.ensure

    async def ensure_once(spec: SandboxSpec) -> Runtime:
        if spec.workspace_id not in known:
            known[spec.workspace_id] = await ensure(spec)
        return known[spec.workspace_id]

    monkeypatch.setattr(site.deployment, "ensure", ensure_once)
    project_files._seen.clear()


def declare(site: SessionSite, path: str = "opencode.json", **servers: Any) -> None:
    """Write a file that declares MCP servers, and let the site read it."""
    runtime = node.runtime_of(site.workspace)
    shutil.copy(SCRIPT, site.files / "server.py")
    block = {"opencode.json": "mcp", ".mcp.json": "mcpServers", ".vscode/mcp.json": "servers"}[path]
    site.write(path, json.dumps({block: servers}))
    site.workspace.refresh_from_db()
    project_files.refresh_project_files(site.workspace, runtime)


def start(site: SessionSite, *after: Any, **session: Any) -> Turn:
    site.script(calls(tool_call("mcp_start", server="demo")), *after, text("Done."))
    return site.run_prompt(session=site.open_session(**session))


def shown(site: SessionSite) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = RestApi(site.user)("get", f"/projects/{site.project.public_id}/declared-mcp-servers")[
        "items"
    ]
    return found


def test_a_declared_server_is_started_after_a_persons_yes_and_its_tools_are_called(site: SessionSite) -> None:
    create_variable(actor=site.user, owner=Owner(site.team), name="DEMO_OF_TEAM", value="team")
    declare(site, demo=LOCAL)
    assert [(each["name"], each["state"]) for each in shown(site)] == [("demo", "waiting")]
    turn = start(site, calls(tool_call("demo_variables")), allow=("demo_*",))
    (need,) = site.open_request().needs
    assert need["permission"] == "mcp_server"
    assert need["patterns"][0].startswith("demo opencode.json ")
    what = need["metadata"]["mcp_server"]
    assert (what["command"], what["environment"]) == (LOCAL["command"], LOCAL["environment"])
    assert not McpServer.objects.exists()
    site.reply("once")
    site.pump.run()
    first, second = site.calls(turn)
    assert first.state == ToolCall.State.COMPLETED, first.output
    assert "demo_add, demo_" in first.output
    assert second.output == "DEMO_OF_TEAM=team DEMO_OWN=<team>"
    assert [each["state"] for each in shown(site)] == ["allowed"]


def test_a_server_that_is_refused_is_not_started(site: SessionSite) -> None:
    declare(site, demo=LOCAL)
    turn = start(site)
    site.reply("reject")
    site.pump.run()
    assert site.calls(turn)[0].state == ToolCall.State.ERROR
    assert not McpServer.objects.exists()


def test_a_rule_denies_all_servers_of_repositories(site: SessionSite) -> None:
    declare(site, demo=LOCAL)
    set_policy(site.team, enforced=[{"permission": "mcp_server", "pattern": "*", "action": "deny"}])
    turn = start(site)
    assert site.calls(turn)[0].state == ToolCall.State.ERROR
    assert not McpServer.objects.exists()


def test_a_changed_declaration_is_not_used_and_asks_again(site: SessionSite) -> None:
    declare(site, demo=LOCAL)
    start(site)
    site.reply("always")
    site.pump.run()
    session = site.open_session(allow=("demo_*",))
    api = RestApi(site.user)
    assert "demo_add" in {tool["id"] for tool in api("get", f"/sessions/{session.public_id}/tools")["items"]}

    declare(site, demo={**LOCAL, "environment": {"DEMO_OWN": "other"}})
    names = {tool["id"] for tool in api("get", f"/sessions/{session.public_id}/tools")["items"]}
    assert "demo_add" not in names
    assert "mcp_start" in names
    site.script(calls(tool_call("demo_add", a=1, b=2)), text("Done."))
    turn = site.run_prompt(session=session)
    assert site.calls(turn)[0].state == ToolCall.State.ERROR
    assert not (site.files / "calls.txt").exists()

    start(site)
    (need,) = site.open_request().needs
    assert need["metadata"]["mcp_server"]["environment"] == {"DEMO_OWN": "other"}


def test_always_holds_for_the_same_declaration_in_another_workspace(site: SessionSite) -> None:
    declare(site, demo=LOCAL)
    start(site)
    site.reply("always", scope="project")
    site.pump.run()
    McpServer.objects.all().delete()  # as in a workspace that is new
    turn = start(site)
    assert site.calls(turn)[0].state == ToolCall.State.COMPLETED


def test_a_server_of_an_admin_counts_instead(site: SessionSite) -> None:
    create_server(
        actor=site.user, place=ServerPlace(site.team), name="demo", kind="local",
        wanted=ServerSettings(command=["true"], enabled=False),
    )  # fmt: skip
    declare(site, demo=LOCAL)
    assert [each["state"] for each in shown(site)] == ["overridden"]
    turn = start(site)
    assert "was added for the project, the team or the site" in site.calls(turn)[0].output


def test_a_remote_server_needs_a_policy_that_allows_its_host(site: SessionSite) -> None:
    declare(site, ".vscode/mcp.json", demo={"type": "http", "url": "https://mcp.example.org/mcp"})
    assert [each["state"] for each in shown(site)] == ["refused"]
    turn = start(site)
    assert "No policy allows MCP servers of repositories at the host mcp.example.org." in site.calls(turn)[0].output
    set_policy(site.team, options={"mcp": {"repository_hosts": ["*.example.org"]}})
    assert [each["state"] for each in shown(site)] == ["waiting"]


@pytest.mark.parametrize(
    "content", ["{", '{"mcpServers": []}', '{"mcpServers": {"x": {"url": "http://169.254.169.254"}}}']
)
def test_a_hostile_file_is_named_and_not_obeyed(site: SessionSite, content: str) -> None:
    runtime = node.runtime_of(site.workspace)
    site.write(".mcp.json", content)
    site.workspace.refresh_from_db()
    project_files.refresh_project_files(site.workspace, runtime)
    (found,) = shown(site)
    assert found["state"] == "unusable"
    assert found["problem"]


def test_a_skill_brings_a_server_which_a_person_is_asked_about(site: SessionSite) -> None:
    runtime = node.runtime_of(site.workspace)
    shutil.copy(SCRIPT, site.files / "server.py")
    servers = {"demo": {"command": sys.executable, "args": ["server.py"]}, "far": {"url": "https://mcp.example.org"}}
    fields = f"name: sums\ndescription: Adds numbers.\nmcp: {json.dumps(servers)}"
    site.write(".opencode/skills/sums/SKILL.md", f"---\n{fields}\n---\nCall `demo_add`.\n")
    site.workspace.refresh_from_db()
    project_files.refresh_project_files(site.workspace, runtime)
    path = ".opencode/skills/sums/SKILL.md"
    found = [(each["name"], each["source"], each["state"]) for each in shown(site)]
    assert found == [("demo", path, "waiting"), ("far", path, "refused")]
    turn = start(site, calls(tool_call("demo_add", a=1, b=2)), allow=("demo_*",))
    assert site.open_request().needs[0]["patterns"][0].startswith(f"demo {path} ")
    site.reply("once")
    site.pump.run()
    assert site.calls(turn)[1].output == "3"
    (site.files / path).unlink()
    project_files.refresh_project_files(site.workspace, runtime)
    assert shown(site) == []


def test_a_link_is_not_followed(site: SessionSite) -> None:
    runtime = node.runtime_of(site.workspace)
    site.write("other.json", json.dumps({"mcpServers": {"demo": {"command": "true"}}}))
    (site.files / ".mcp.json").symlink_to("other.json")
    site.workspace.refresh_from_db()
    project_files.refresh_project_files(site.workspace, runtime)
    assert [(each["state"], each["problem"]) for each in shown(site)] == [
        ("unusable", "It is reached through a link. Links are not followed.")
    ]


def test_only_admins_see_the_values_of_a_declaration(site: SessionSite) -> None:
    declare(site, demo=LOCAL)
    path = f"/projects/{site.project.public_id}/declared-mcp-servers"
    assert RestApi(site.user)("get", path)["items"][0]["environment"] == LOCAL["environment"]
    member = site.member(Role.MEMBER)
    assert RestApi(member)("get", path)["items"][0]["environment"] == {"DEMO_OWN": ""}


def test_a_header_gets_a_secret_only_if_it_is_for_requests_to_the_servers_host(site: SessionSite) -> None:
    row = McpServer(
        project=site.project, workspace=site.workspace, url="https://mcp.example.org/mcp",
        headers={"Authorization": "Bearer {env:MCP_TOKEN}"},
    )  # fmt: skip
    with pytest.raises(HeaderMissing, match="needs the variable MCP_TOKEN"):
        filled_headers(row)
    create_variable(actor=site.user, owner=Owner(site.team), name="MCP_TOKEN", value="a secret value", secret=True)
    with pytest.raises(HeaderMissing):
        filled_headers(row)
    place = RequestPlace(hosts=["mcp.example.org"], added_as="bearer")
    create_variable(
        actor=site.user, owner=Owner(site.project), name="MCP_TOKEN", value="for-this-host", secret=True,
        used_for="requests", place=place,
    )  # fmt: skip
    assert filled_headers(row).headers == {"Authorization": "Bearer for-this-host"}
    row.url = "https://evil.example.org/mcp"
    with pytest.raises(HeaderMissing):
        filled_headers(row)


def test_a_person_may_have_remote_servers_of_their_own_and_nobody_else_sees_them(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions_app.mcp.actions.list_later", lambda _row: None)  # nobody listens there
    api, other = RestApi(site.user), RestApi(site.member())
    refused = api("post", "/me/mcp-servers", {"name": "mine", "kind": "local", "command": ["true"]}, expect=400)
    assert "cannot run in workspaces" in refused["error"]["message"]
    row = api(
        "post", "/me/mcp-servers", {"name": "mine", "kind": "remote", "url": "https://mcp.example.org/mcp"}, expect=201
    )
    tools = [{"name": "look", "title": "", "description": "", "schema": {"type": "object"}, "hints": {}, "problem": ""}]
    McpServer.objects.update(seen=tools)
    assert [each["name"] for each in api("get", "/me/mcp-servers")["items"]] == ["mine"]
    assert other("get", "/me/mcp-servers")["items"] == []
    other("get", f"/mcp-servers/{row['id']}", expect=404)

    session = site.open_session()
    path = f"/sessions/{session.public_id}/tools"
    assert "mine_look" in {tool["id"] for tool in api("get", path)["items"]}
    assert "mine_look" not in {tool["id"] for tool in other("get", path)["items"]}
    script = site.script(text("Done."))
    site.run_prompt(session=session)
    (request,) = script.requests(at_least=1)
    assert "mine_look" in {tool["function"]["name"] for tool in request["body"]["tools"]}
    set_policy(site.team, options={"mcp": {"own_servers": False}})
    assert "mine_look" not in {tool["id"] for tool in api("get", path)["items"]}
