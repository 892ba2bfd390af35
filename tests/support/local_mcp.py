"""Local MCP servers of a team, in a test site whose sandbox worker runs these servers and answers requests about
them."""

import asyncio
import shutil
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.ports import Runtime, SandboxSpec
from sessions_app.mcp.actions import create_server
from sessions_app.mcp.places import ServerPlace
from sessions_app.mcp.rules import ServerSettings
from sessions_app.models import McpServer
from sessions_app.workers.sandbox import deployment as node
from sessions_app.workers.sandbox.mcp_servers import refresh
from tests.support.session_site import SessionSite
from tests.support.sockets import do

SCRIPT: Final = Path(__file__).with_name("mcp_server.py")


def keep_runtimes(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a `Runtime` live as long as its container, as on a real node, because it holds the running MCP servers."""
    known: dict[str, Runtime] = {}
    ensure = site.deployment.ensure

    async def ensure_once(spec: SandboxSpec) -> Runtime:
        if spec.workspace_id not in known:
            known[spec.workspace_id] = await ensure(spec)
        return known[spec.workspace_id]

    monkeypatch.setattr(site.deployment, "ensure", ensure_once)


def add_server(site: SessionSite, name: str = "demo", **settings: Any) -> McpServer:
    """Create an MCP server of the team, without starting it."""
    node.runtime_of(site.workspace)
    shutil.copy(SCRIPT, site.files / "server.py")
    wanted = ServerSettings(**{"command": [sys.executable, "server.py"], **settings})
    return create_server(actor=site.user, place=ServerPlace(site.team), name=name, kind="local", wanted=wanted)


def seen_server(site: SessionSite) -> McpServer:
    """Create an MCP server of the team, and start it once in the workspace."""
    row = add_server(site)
    refresh(site.workspace.pk, node=site.workspace.node)
    row.refresh_from_db()
    return row


async def answered(site: SessionSite, asking: Awaitable[Any]) -> Any:
    """Wait for a response, and run the tasks of the sandbox worker meanwhile."""
    waiting = asyncio.ensure_future(asking)
    while not waiting.done():
        await do(site.pump.run)
        await asyncio.sleep(0)
    return waiting.result()
