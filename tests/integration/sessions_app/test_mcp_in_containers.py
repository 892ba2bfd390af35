"""Local MCP servers in real containers: they run only in a container, end with it, and are started again."""

import io
import json
import tarfile
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from agentsite.base.background import background
from sandbox.disk.workspace_disks import release_all
from sandbox.docker import DockerDeployment
from sandbox.ports import RunRequest
from sessions_app.mcp.actions import create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer, McpServerState, ToolCall, Turn, Workspace
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox import project_files
from sessions_app.workers.sandbox.mcp_questions import log_of
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.support.engine import TestEngine, docker_engine
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

__all__ = ["docker_engine"]
pytestmark = [pytest.mark.docker, pytest.mark.full]
SCRIPT = Path(__file__).parents[2] / "support" / "mcp_server.py"


def packages(wanted: Requirement, found: set[str]) -> set[str]:
    """Return the names of a package and of all its dependencies on this machine."""
    found.add(wanted.name.lower())
    for line in requires(wanted.name) or ():
        needed = Requirement(line)
        extras = ("", *wanted.extras)
        is_needed = needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in extras)
        if is_needed and needed.name.lower() not in found:
            packages(needed, found)
    return found


def library() -> bytes:
    """Return the MCP SDK with its dependencies as a tar file, because containers have no network here."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
        for name in sorted(packages(Requirement("mcp"), set()) | packages(Requirement("uvicorn"), set())):
            for path in distribution(name).files or ():
                found = Path(str(path.locate()))
                if ".." not in path.parts and "__pycache__" not in path.parts and found.is_file():
                    archive.add(found, f"library/{path}")
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def _containers(site: SessionSite, docker_engine: TestEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    site.settings.SANDBOX_IMAGE = docker_engine.image
    with tempfile.TemporaryDirectory(prefix="ags") as name:
        deployment = DockerDeployment(Path(name), site=docker_engine.site, docker_host=docker_engine.host)
        monkeypatch.setattr(this_node, "deployment", lambda: deployment)
        project_files._seen.clear()
        yield
        for key in Workspace.objects.values_list("id", flat=True):
            background.run(deployment.remove(Workspace(pk=key).public_id, files=True))
        background.run(deployment.close())
        release_all(Path(name))


@pytest.fixture
def server(site: SessionSite) -> McpServer:
    runtime = this_node.runtime_of(site.workspace)
    background.run(runtime.write("/workspace/library.tgz", library()))
    background.run(runtime.write("/workspace/server.py", SCRIPT.read_bytes()))
    run(site, "tar -xzf library.tgz && rm library.tgz")
    row = create_server(
        actor=site.user,
        place=ServerPlace(site.team),
        name="demo",
        kind="local",
        wanted=ServerSettings(command=["python3", "server.py"], environment={"PYTHONPATH": "/workspace/library"}),
    )
    refresh(site.workspace.pk, node=site.workspace.node)
    return row


def run(site: SessionSite, command: str) -> str:
    runtime = this_node.runtime_of(site.workspace)
    run.count += 1  # type: ignore[attr-defined]
    request = RunRequest(f"test-{run.count}", command)  # type: ignore[attr-defined]
    return background.run(runtime.run(request)).output.decode()


run.count = 0  # type: ignore[attr-defined]


def call_add(site: SessionSite) -> ToolCall:
    site.script(calls(tool_call("demo_add", a=20, b=22)), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("demo_*",)))
    assert turn.state == Turn.State.COMPLETED
    (call,) = site.calls(turn)
    return call


def test_a_server_runs_in_the_container_dies_with_it_and_comes_back(site: SessionSite, server: McpServer) -> None:
    assert McpServerState.objects.get(server=server).problem == ""
    assert call_add(site).output == "42"
    assert "python3 server.py" in run(site, "ps ax -o args")
    assert run(site, "ps ax -o args | grep -c '[p]ython3 server.py'").strip() in ("1", "2")  # and the shell that logs

    log = background.run(log_of(server, site.workspace, this_node.runtime_of(site.workspace)))
    assert log["running"] is True
    assert "adding 20 and 22" in log["stderr"]

    run(site, "pkill -9 -f '^python3 server.py'")
    assert call_add(site).output == "42"

    background.run(this_node.deployment().stop(site.workspace.public_id))
    Workspace.objects.filter(pk=site.workspace.pk).update(state=Workspace.State.STOPPED)
    assert call_add(site).output == "42"
    assert run(site, "cat calls.txt").split() == ["20+22"] * 3


@pytest.mark.parametrize(
    ("path", "block", "declaration"),
    [
        ("opencode.json", "mcp", {"type": "local", "command": ["python3", "scripted.py", "honest"]}),
        (".mcp.json", "mcpServers", {"command": "python3", "args": ["scripted.py", "honest"]}),
        (".vscode/mcp.json", "servers", {"type": "stdio", "command": "python3", "args": ["scripted.py", "honest"]}),
    ],
)
def test_a_server_of_a_repositorys_file_starts_in_the_container_after_a_persons_yes(
    site: SessionSite, path: str, block: str, declaration: dict[str, Any]
) -> None:
    runtime = this_node.runtime_of(site.workspace)
    site.write("/workspace/scripted.py", SCRIPT.with_name("scripted_mcp_server.py").read_text())
    site.write(f"/workspace/{path}", json.dumps({block: {"shop": declaration}}))
    site.workspace.refresh_from_db()
    project_files.refresh_project_files(site.workspace, runtime)
    site.script(calls(tool_call("mcp_start", server="shop")), calls(tool_call("shop_echo")), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("shop_*",)))
    assert "scripted.py" not in run(site, "ps ax -o args")
    (need,) = site.open_request().needs
    assert need["patterns"][0].startswith(f"shop {path} ")
    site.reply("once")
    site.pump.run()
    _, called = site.calls(turn)
    assert called.output == "done", called.output
    assert "python3 scripted.py honest" in run(site, "ps ax -o args")
