"""Remote MCP servers over real HTTP: guarded processes of the door (the network proxy) use a server of the SDK on
loopback."""

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agentsite.base.background import background
from agentsite.base.errors import BadInput
from sessions_app.actions.questions import answer_question
from sessions_app.mcp.actions import change_server, create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpSecret, McpServer, Question, Session, ToolCall, Turn
from sessions_app.workers.door.mcp_changes import connections
from tests.support.deadline import wait_until
from tests.support.door_at_work import door_at_work
from tests.support.model_server import calls, text, tool_call
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite
from tests.support.threads import at_work
from tests.support.warm_processes import warm_processes

__all__ = ["door_at_work", "warm_processes"]
KEY = "a-key-that-nobody-may-see"
REPOSITORY = Path(__file__).parents[3]


@dataclass
class Served:
    """A running MCP server, and the folder that its tools write to."""

    port: int
    folder: Path

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.port}"

    def url(self, transport: str) -> str:
        return f"http://{self.place}/{'sse' if transport == 'sse' else 'mcp'}"


@pytest.fixture(scope="module", params=["http", pytest.param("sse", marks=pytest.mark.full)])
def transport(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, transport: str) -> Iterator[Served]:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    served = Served(port, tmp_path_factory.mktemp("served"))
    arguments = ["-m", "tests.support.mcp_server", transport, str(port), KEY]
    program = Popen([sys.executable, *arguments], cwd=served.folder, env={"PYTHONPATH": str(REPOSITORY)})
    try:
        wait_until(lambda: _listens(port), "the server listens", seconds=60)
        yield served
    finally:
        program.terminate()
        program.wait(10)


@pytest.fixture
def served(site: SessionSite, door_at_work: None, warm_processes: None, running: Served) -> Iterator[Served]:
    site.settings.NETWORK_ALLOW = [running.place]
    yield running
    background.run(connections.close())


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def add_server(site: SessionSite, served: Served, transport: Any, key: str = KEY) -> McpServer:
    wanted = ServerSettings(
        url=served.url(transport), transport=transport, secret_headers={"Authorization": f"Bearer {key}"}
    )
    place = ServerPlace(site.team)
    return create_server(actor=site.user, place=place, name="far", kind="remote", wanted=wanted)


def check(site: SessionSite, row: McpServer) -> Any:
    return RestApi(site.user)("post", f"/mcp-servers/{row.public_id}/check", {})


def test_a_tool_of_a_remote_server_is_offered_asked_about_and_called(
    site: SessionSite, served: Served, transport: str
) -> None:
    row = add_server(site, served, transport)
    shown = check(site, row)
    assert (shown["status"], shown["problem"], shown["facts"]["name"]) == ("connected", "", "demo")
    script = site.script(calls(tool_call("far_add", a=1, b=2)), text("Three."))
    turn = site.run_prompt()
    assert site.open_request().needs[0]["metadata"]["mcp"]["kind"] == "remote"
    site.reply("once")
    site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    assert script.requests(at_least=2)[1]["body"]["messages"][-1]["content"] == "3"
    assert (served.folder / "calls.txt").read_text() == "1+2\n"
    assert KEY not in str(shown)
    assert KEY not in McpSecret.objects.get(server=row).sealed


def test_a_remote_server_asks_people_through_the_door(site: SessionSite, served: Served, transport: str) -> None:
    check(site, add_server(site, served, transport))
    site.script(calls(tool_call("far_order")), text("Ordered."))
    turn = site.prompt(site.open_session(allow=("far_*",)))
    with at_work(site.pump.run):
        wait_until(Question.objects.filter(state="open").exists, "the server asks", seconds=60)
        answer_question(actor=site.user, question=site.open_question(), answers=[["Assam"], ["3"]])
    (call,) = site.calls(turn)
    assert call.output == "3 cups of Assam"


def test_a_wrong_key_says_what_to_do(site: SessionSite, served: Served, transport: str) -> None:
    row = add_server(site, served, transport, key="wrong")
    shown = check(site, row)
    assert shown["status"] == "sign_in"
    assert (
        shown["problem"] == "It does not accept the key: it answered 401. Replace the value of the header with the key."
    )
    change_server(actor=site.user, server=row, wanted=ServerSettings(secret_headers={"Authorization": f"Bearer {KEY}"}))
    assert check(site, row)["status"] == "connected"


def test_a_call_without_an_answer_in_time_may_have_been_made(site: SessionSite, served: Served, transport: str) -> None:
    row = add_server(site, served, transport)
    check(site, row)
    change_server(actor=site.user, server=row, wanted=ServerSettings(timeout_seconds=2))
    check(site, row)
    site.script(calls(tool_call("far_slow", seconds=60)), text("So be it."))
    turn = site.run_prompt(session=site.open_session(allow=("far_*",)))
    (call,) = site.calls(turn)
    assert call.state == ToolCall.State.ERROR
    assert "did not answer within 2 s. It may have done what was asked" in call.output
    assert (served.folder / "slow.txt").read_text() == "began"


def test_a_secret_is_not_sent_to_another_host(site: SessionSite, served: Served, transport: str) -> None:
    row = add_server(site, served, transport)
    with pytest.raises(BadInput, match="needs its secret headers again"):
        change_server(actor=site.user, server=row, wanted=ServerSettings(url="https://elsewhere.example.org/mcp"))


def test_a_network_of_ours_is_not_reached(site: SessionSite, served: Served, transport: str) -> None:
    row = add_server(site, served, transport)
    site.settings.NETWORK_ALLOW = []
    shown = check(site, row)
    assert shown["status"] == "failed"
    assert "is refused" in shown["problem"]
    with pytest.raises(BadInput, match="is refused"):
        change_server(actor=site.user, server=row, wanted=ServerSettings(url=served.url(transport)))


def test_a_server_that_gives_its_key_away_does_not_bring_it_into_the_transcript(
    site: SessionSite, served: Served, transport: str
) -> None:
    check(site, add_server(site, served, transport))
    site.script(calls(tool_call("far_key")), text("Done."))
    turn = site.run_prompt(session=site.open_session(allow=("far_*",)))
    (call,) = site.calls(turn)
    assert call.state == ToolCall.State.COMPLETED
    assert call.output.startswith("The key is ")
    assert KEY not in str(call.__dict__)


def grow(site: SessionSite, session: Session, words: str) -> None:
    site.script(calls(tool_call("far_grow", words=words)), text("Grown."))
    assert site.run_prompt(session=session).state == Turn.State.COMPLETED


async def grow_elsewhere(served: Served, words: str) -> None:
    """Change the tools of the MCP server through a client outside of the site."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with (
        AsyncClient(headers=headers, trust_env=False) as http,
        Client(streamable_http_client(served.url("http"), http_client=http)) as client,
    ):
        await client.call_tool("grow", {"words": words})


def wait_for_tool(row: McpServer, description: str) -> None:
    def is_there() -> bool:
        row.refresh_from_db()
        return any(tool["description"] == description for tool in row.seen)

    wait_until(is_there, "the tool that was announced is stored", seconds=60)


def test_a_tool_that_a_server_announces_is_offered_and_asked_about_whenever_it_changes(
    site: SessionSite, served: Served, transport: str
) -> None:
    row = add_server(site, served, transport)
    check(site, row)
    session = site.open_session(allow=("far_*",))
    grow(site, session, f"It came over {transport}.")
    for description in (f"It came over {transport}.", f"It changed over {transport}."):
        wait_for_tool(row, description)
        script = site.script(calls(tool_call("far_later")), text("Done."))
        turn = site.run_prompt(session=session)
        (offered,) = [
            tool["function"] for tool in script.requests(at_least=1)[0]["body"]["tools"]
            if tool["function"]["name"] == "far_later"
        ]  # fmt: skip
        assert description in offered["description"]
        assert [need["permission"] for need in site.open_request().needs] == ["changed_tool"]
        site.reply("always")
        site.pump.run()
        assert site.calls(turn)[0].output == "I am new."
        if transport == "http":  # the connection that is kept hears it, without any call of ours
            asyncio.run(grow_elsewhere(served, f"It changed over {transport}."))
        else:
            grow(site, session, f"It changed over {transport}.")


def test_a_remote_server_gets_the_folder_of_the_workspace_as_its_only_root(
    site: SessionSite, served: Served, transport: str
) -> None:
    check(site, add_server(site, served, transport))
    site.script(calls(tool_call("far_where")), text("There."))
    turn = site.run_prompt(session=site.open_session(allow=("far_*",)))
    assert site.calls(turn)[0].output == "workspace: file:///workspace"
