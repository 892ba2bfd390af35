"""A running OAuth authorization server with an MCP server, and browsers of people who sign in there."""

import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from django.test import Client

from agentsite.tenancy.models import User
from tests.support.deadline import wait_until
from tests.support.running_site import free_port

REPOSITORY = Path(__file__).parents[2]


@dataclass
class NotesSite:
    """The ports of the authorization server and of the MCP server."""

    port: int
    mcp_port: int

    @property
    def places(self) -> list[str]:
        return [f"127.0.0.1:{self.port}", f"127.0.0.1:{self.mcp_port}"]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.mcp_port}/mcp"

    def facts(self, **wanted: Any) -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"http://127.0.0.1:{self.port}/facts", params=wanted).json()
        return found

    def answer(self, authorization_url: str, who: str) -> str:
        """Choose the account `who` at the authorization server. Return the address of its redirect."""
        page = httpx.get(authorization_url)
        assert page.status_code == 302, page.text
        chosen = httpx.get(page.headers["location"], params={"as": who, **_query(page.headers["location"])})
        found: str = chosen.headers["location"]
        return found


def _query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@contextmanager
def notes_site(folder: Path, seconds: int = 3600, ports: tuple[int, int] | None = None) -> Iterator[NotesSite]:
    site = NotesSite(*(ports or (free_port(), free_port())))
    arguments = ["-m", "tests.support.oauth_mcp_server", str(site.port), str(site.mcp_port), str(seconds)]
    program = Popen([sys.executable, *arguments], cwd=folder, env={"PYTHONPATH": str(REPOSITORY)})
    try:
        wait_until(lambda: all(map(_listens, (site.port, site.mcp_port))), "the servers listen", seconds=60)
        yield site
    finally:
        program.terminate()
        program.wait(10)


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class NotesBrowser:
    """A signed-in user's browser at our own site, which connects MCP servers to accounts at the OAuth server
    `NotesSite`."""

    def __init__(self, user: User) -> None:
        self.client = Client()
        self.client.force_login(user)

    def begin(self, server_id: str) -> Any:
        return self.client.post(f"/api/v1/mcp-servers/{server_id}/sign-in", content_type="application/json")

    def come_back(self, address: str) -> Any:
        parts = urlsplit(address)
        return self.client.get(f"{parts.path}?{parts.query}")

    def sign_in(self, notes: NotesSite, server_id: str, who: str) -> Any:
        """Sign in at the MCP server as `who`; return the site's response to the redirect back."""
        begun = self.begin(server_id)
        assert begun.status_code == 201, begun.content
        return self.come_back(notes.answer(begun.json()["authorization_url"], who))

    def server(self, server_id: str) -> Any:
        return self.client.get(f"/api/v1/mcp-servers/{server_id}").json()
