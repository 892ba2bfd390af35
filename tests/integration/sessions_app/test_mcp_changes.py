"""Connections over which the door (the network proxy) learns of changes of MCP servers: their number is limited, and
each ends when its server is changed, disabled, removed or no longer used."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from sessions_app.models import McpServer
from sessions_app.workers.door import mcp_changes
from sessions_app.workers.door.mcp_changes import MAX_KEPT, Connections, HeardServer
from tests.support.session_site import SessionSite
from tools_app.mcp.remote import Connected, RemoteAnswer


class Listening(Connected):
    """A fake process that stays connected to a silent server. The test puts the server's changes into its queue."""

    def __init__(self) -> None:
        self.changes: asyncio.Queue[RemoteAnswer] = asyncio.Queue()
        self.closed = asyncio.Event()

    async def next_change(self) -> RemoteAnswer:
        return await self.changes.get()

    async def close(self) -> None:
        self.closed.set()


@pytest.fixture
async def connections(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Connections]:
    monkeypatch.setattr(mcp_changes, "LOOK_SECONDS", 0.02)
    kept = Connections()
    yield kept
    await kept.close()


@sync_to_async
def server_of(site: SessionSite, number: int = 0) -> HeardServer:
    row = McpServer.objects.create(
        place=site.team.public_id, team=site.team, name=f"far{number}", kind="remote", url="https://mcp.example.org",
        changed_at=timezone.now(),
    )  # fmt: skip
    return HeardServer(row.pk, row.version, None)


async def store_nothing(_: RemoteAnswer) -> None:
    raise AssertionError


@pytest.mark.parametrize("change", [{"enabled": False}, {"version": 2}, None])
async def test_a_connection_ends_when_the_server_is_changed_disabled_or_removed(
    site: SessionSite, connections: Connections, change: dict[str, Any] | None
) -> None:
    server, listening = await server_of(site), Listening()
    connections.keep(server, store_nothing, listening)
    assert connections.has(server)
    rows = McpServer.objects.filter(pk=server.key)
    await (rows.aupdate(**change) if change else rows.adelete())
    async with asyncio.timeout(20):
        await listening.closed.wait()
    assert not connections.has(server)


async def test_what_a_server_lists_is_stored_and_not_after_it_was_disabled(
    site: SessionSite, connections: Connections
) -> None:
    server, listening = await server_of(site), Listening()
    stored: asyncio.Queue[RemoteAnswer] = asyncio.Queue()
    connections.keep(server, stored.put, listening)
    listening.changes.put_nowait(RemoteAnswer("listed", facts={"name": "far"}))
    async with asyncio.timeout(20):
        assert (await stored.get()).facts == {"name": "far"}
        await McpServer.objects.filter(pk=server.key).aupdate(enabled=False)
        listening.changes.put_nowait(RemoteAnswer("listed"))
        await listening.closed.wait()
    assert stored.empty()


async def test_the_connection_to_the_server_used_longest_ago_ends_first(
    site: SessionSite, connections: Connections
) -> None:
    servers = [await server_of(site, number) for number in range(MAX_KEPT + 1)]
    listening = [Listening() for _ in servers]
    for server, each in zip(servers[:-1], listening[:-1], strict=True):
        connections.keep(server, store_nothing, each)
    assert connections.has(servers[0])  # it is used again
    connections.keep(servers[-1], store_nothing, listening[-1])
    async with asyncio.timeout(20):
        await listening[1].closed.wait()
    assert [each.closed.is_set() for each in listening] == [False, True, False, False, False]


async def test_a_connection_that_is_given_up_at_once_is_closed(site: SessionSite, connections: Connections) -> None:
    listening = Listening()
    connections.keep(await server_of(site), store_nothing, listening)
    await connections.close()
    assert listening.closed.is_set()


async def test_a_connection_ends_some_time_after_the_last_use(
    site: SessionSite, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_changes, "KEPT_SECONDS", 0.1)
    listening = Listening()
    connections.keep(await server_of(site), store_nothing, listening)
    async with asyncio.timeout(20):
        await listening.closed.wait()
