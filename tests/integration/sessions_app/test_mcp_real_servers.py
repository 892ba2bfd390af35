"""Real MCP servers in a container, used in a turn: for files, for a database, and the reference server."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from agentsite.base.background import background
from sessions_app.mcp.actions import create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer, McpServerState, ToolCall, Turn
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.integration.sessions_app.test_mcp_in_containers import _containers, docker_engine, run
from tests.support.model_server import calls, text, tool_call
from tests.support.real_mcp_servers import from_npm, from_pypi
from tests.support.session_site import SessionSite

__all__ = ["_containers", "docker_engine"]
pytestmark = [pytest.mark.docker, pytest.mark.full]
SCOPE = "@modelcontextprotocol"


def add(site: SessionSite, archive: Callable[[], bytes], *command: str, **environment: str) -> McpServerState:
    """Unpack an MCP server in the workspace and start it; return its row."""
    runtime = this_node.runtime_of(site.workspace)
    background.run(runtime.write("/workspace/server.tgz", archive()))
    run(site, "tar -xzf server.tgz && rm server.tgz")
    row = create_server(
        actor=site.user, place=ServerPlace(site.team), name="real", kind="local",
        wanted=ServerSettings(command=command, environment=environment),
    )  # fmt: skip
    refresh(site.workspace.pk, node=site.workspace.node)
    state = McpServerState.objects.get(server=row)
    assert (state.status, state.problem) == ("connected", "")
    return state


def called(site: SessionSite, *made: tuple[str, dict[str, Any]]) -> list[ToolCall]:
    """Let an agent make calls one after another in one turn; return the completed calls."""
    steps = [calls(tool_call(f"real_{name}", **arguments)) for name, arguments in made]
    site.script(*steps, text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("real_*",)))
    assert turn.state == Turn.State.COMPLETED
    found = site.calls(turn)
    assert [call.state for call in found] == [ToolCall.State.COMPLETED] * len(made), [call.output for call in found]
    return found


def test_a_server_of_files_reads_and_writes_in_the_workspace(site: SessionSite) -> None:
    add(
        site, partial(from_npm, f"{SCOPE}/server-filesystem"),
        "node", f"node_modules/{SCOPE}/server-filesystem/dist/index.js", "/workspace",
    )  # fmt: skip
    _, read = called(
        site,
        ("write_file", {"path": "/workspace/tea.txt", "content": "Assam\n"}),
        ("read_text_file", {"path": "/workspace/tea.txt"}),
    )
    assert read.output.startswith("Assam")
    assert run(site, "cat tea.txt") == "Assam\n"
    assert "server-filesystem" in run(site, "ps ax -o args")


def test_a_database_server_keeps_rows_in_the_workspace(site: SessionSite) -> None:
    add(
        site, from_pypi, "python3", "-c", "import mcp_server_sqlite as it; it.main()", "--db-path", "/workspace/tea.db",
        PYTHONPATH="/workspace/python",
    )  # fmt: skip
    found = called(
        site,
        ("create_table", {"query": "CREATE TABLE tea (name TEXT)"}),
        ("write_query", {"query": "INSERT INTO tea VALUES ('Assam')"}),
        ("read_query", {"query": "SELECT name FROM tea"}),
    )
    assert found[-1].output == "[{'name': 'Assam'}]"
    assert run(site, "sqlite3 tea.db 'SELECT count(*) FROM tea'").strip() == "1"
    assert McpServer.objects.get().accepted


def test_the_reference_server_offers_tools_prompts_and_resources(site: SessionSite) -> None:
    state = add(
        site, partial(from_npm, f"{SCOPE}/server-everything"),
        "node", f"node_modules/{SCOPE}/server-everything/dist/index.js", "stdio",
    )  # fmt: skip
    echo, total, picture = called(
        site, ("echo", {"message": "hello"}), ("get-sum", {"a": 20, "b": 22}), ("get-tiny-image", {})
    )
    assert "hello" in echo.output
    assert "42" in total.output
    assert [each["media_type"] for each in picture.attachments] == ["image/png"]
    assert state.offerings["prompts"]
    assert state.offerings["resources"]
