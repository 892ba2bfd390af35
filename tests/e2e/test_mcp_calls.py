"""Each involved process is killed during a call to an MCP server on a real site.

The server is called exactly once, and the call ends with its answer or with a clear reason.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from agentsite.client import Session
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.remote_mcp import RemoteMcp
from tests.support.running_site import RunningSite

pytestmark = [pytest.mark.chaos, pytest.mark.full]

PROGRAM: Final = (Path(__file__).parents[1] / "support" / "scripted_mcp_server.py").read_text()
LOOK: Final = "cat calls.txt; pgrep -c -f '[w]aits$'"
"""Prints a line for each call that arrived, and the number of the server's processes, including its shell."""
ALLOWED: Final = [{"permission": name, "pattern": "*", "action": "allow"} for name in ("tea_*", "bash")]

_numbers = itertools.count(1)


@dataclass
class Story:
    site: RunningSite
    client: ApiClient
    model: ModelServer
    project: str
    server: str = ""

    def add_server(self, **settings: Any) -> None:
        path = f"/api/v1/projects/{self.project}/mcp-servers"
        self.server = self.client.post(path, {"name": "tea", **settings})["id"]

    def open(self) -> Session:
        """Start a session in a new workspace, and check the MCP server there, so that the session has the server's
        tools."""
        session = self.client.site.start_session(self.project, new_workspace=True)
        workspace = self.client.snapshot(session.id)["workspace"]["id"]
        path = f"/api/v1/mcp-servers/{self.server}/check"
        self.client.http.post(path, json={"workspace_id": workspace}, timeout=120).raise_for_status()
        shown = self.client.get(f"/api/v1/mcp-servers/{self.server}")
        assert shown["status"] == "connected", shown["problem"]
        return session

    def prompt(self, session: Session, *tools: Any) -> str:
        """Start a turn that calls the tools one after another. Return the turn's id."""
        script = self.model.script(*(calls(tool) for tool in tools), text("Done."), by="conversation")
        return session.prompt(f"Go. {script.marker}").id

    def kill(self, victim: str) -> None:
        self.site.wait_for_replacement(victim, self.site.kill(victim), seconds=90)
        self.client.wait_until_up()

    def outputs(self, session: Session, turn: str) -> list[tuple[str, str]]:
        """Wait for the end of the turn. Return the state and the output of each call."""
        ended = self.client.wait_for_turn(session.id, turn, seconds=120)
        assert ended["state"] == "completed", ended["error"]
        found = [(call["state"], call["output"]) for call in self.client.snapshot(session.id)["calls"]]
        print(found)
        return found


@pytest.fixture
def story(scripted_site: RunningSite, model: ModelServer) -> Iterator[Story]:
    with ApiClient(scripted_site.address) as client:
        team = client.site.me().teams[0].id
        project = client.site.create_project(team, f"Calls {next(_numbers)}").id
        version = client.get(f"/api/v1/policies/{project}")["version"]
        body = {"document": {"rules": ALLOWED}, "base_version": version, "reason": "Nobody is there to ask"}
        client.http.put(f"/api/v1/policies/{project}", json=body).raise_for_status()
        story = Story(scripted_site, client, model, project)
        yield story
        client.http.delete(f"/api/v1/mcp-servers/{story.server}").raise_for_status()


@pytest.mark.parametrize("victim", ["sandbox", "agent", "web"])
def test_a_kill_during_a_call_of_a_server_in_the_container(victim: str, story: Story) -> None:
    story.add_server(kind="local", command=["python3", "-c", PROGRAM, "waits"])
    session = story.open()
    turn = story.prompt(session, tool_call("tea_echo"), tool_call("tea_echo"), tool_call("bash", command=LOOK))
    files = f"/api/v1/sessions/{session.id}/files"

    def has_arrived() -> bool:
        found = story.client.http.get(f"{files}/content", params={"path": "calls.txt"})
        return found.status_code == 200

    wait_until(has_arrived, "the call has arrived", seconds=90, step=0.2)
    story.kill(victim)
    if victim == "sandbox":
        wait_until(lambda: _is_over(story, session), "the call has ended", seconds=60, step=0.5)
    put = {"path": "go", "text": "", "seen_sha256": None}
    story.client.http.put(f"{files}/content", json=put).raise_for_status()
    first, second, look = story.outputs(session, turn)
    if victim == "sandbox":
        assert first[0] == "error"
        assert "The server may have done what was asked" in first[1]
    else:
        assert first == ("completed", "done")
    assert second == ("completed", "done")
    assert look[1].splitlines()[:2] == ["called", "called"]
    assert look[1].splitlines()[2:] == ["2"]  # the server and the shell that started it, of this worker only
    session.delete()


def _is_over(story: Story, session: Session) -> bool:
    return bool(story.client.snapshot(session.id)["calls"][0]["state"] == "error")


@pytest.mark.parametrize("victim", ["door", "sandbox", "agent", "web"])
def test_a_kill_during_a_call_of_a_remote_server(victim: str, story: Story, remote_mcp_site: RemoteMcp) -> None:
    remote_mcp_site.forget()
    story.add_server(kind="remote", url=remote_mcp_site.url)
    session = story.open()
    turn = story.prompt(session, tool_call("tea_order"))
    wait_until(lambda: bool(remote_mcp_site.calls), "the call has arrived", seconds=90, step=0.1)
    story.kill(victim)
    if victim in ("door", "sandbox"):
        wait_until(lambda: _is_over(story, session), "the call has ended", seconds=60, step=0.5)
    remote_mcp_site.let_go.set()
    [(state, output)] = story.outputs(session, turn)
    if victim in ("door", "sandbox"):
        assert state == "error"
        assert "may have done what was asked" in output
    else:
        assert (state, output) == ("completed", "ordered")
    assert len(remote_mcp_site.calls) == 1
    session.delete()
