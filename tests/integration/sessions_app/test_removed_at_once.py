"""A person who loses rights is disconnected by an announcement at once, not only at the connection's next poll."""

import asyncio
import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.test import AsyncClient

from agentsite.base.errors import Missing
from agentsite.tenancy.actions.members import change_member, remove_member
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.person_updates import CHANGED, person_group
from agentsite.tenancy.roles import Role
from sessions_app.models import Session
from sessions_app.queries.live import query_workspace
from sessions_app.queries.questions import UsageQuestion
from sessions_app.transport import session_stream
from sessions_app.transport.ws import base
from tests.support.builders import bearer
from tests.support.session_site import SessionSite
from tests.support.sockets import do, open_socket, path_of

AT_ONCE = 20.0  # seconds; only bounds a hang, because nothing polls here


@pytest.fixture(autouse=True)
def _looks_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable periodic checks, so that only the announcement of changed rights can end a connection."""
    monkeypatch.setattr(base, "CHECK_INTERVAL", 3600)
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", 3600)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


def send_away(site: SessionSite, user: User) -> None:
    remove_member(actor=site.user, member=Membership.objects.get(team=site.team, user=user))


async def test_a_removed_members_socket_closes(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello")
        await do(send_away, site, member)
        begun = time.monotonic()
        assert await socket.close_code() == 4404
        assert time.monotonic() - begun < AT_ONCE


async def test_who_leaves_loses_the_socket_too(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    row = await Membership.objects.aget(user=member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello")
        await do(remove_member, actor=member, member=row)
        assert await socket.close_code() == 4404


async def test_a_demoted_members_client_learns_that_it_may_not_act_any_more(
    site: SessionSite, session: Session
) -> None:
    member = await do(site.member)
    row = await Membership.objects.aget(user=member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello")
        assert socket.seen[0]["snapshot"]["can_act"] is True
        await do(change_member, actor=site.user, member=row, role=Role.VIEWER.value)
        assert (await socket.wait_for("snapshot"))["snapshot"]["can_act"] is False
        assert (await socket.ask("prompt", text="hello"))["error"]["code"] == "not_allowed"


async def test_others_keep_their_sockets(site: SessionSite, session: Session) -> None:
    member, other = await do(site.member), await do(site.member)
    async with open_socket(path_of(session), user=other) as socket:
        await socket.ask("hello")
        await do(send_away, site, member)
        assert (await socket.ask("ping"))["type"] == "pong"


async def test_a_removed_members_event_stream_ends(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    headers = await sync_to_async(bearer)(member)
    answer = await AsyncClient().get(f"/api/v1/sessions/{session.public_id}/events", headers=headers)
    chunks: Any = answer.streaming_content  # type: ignore[attr-defined]
    await anext(chunks)
    await do(send_away, site, member)
    async with asyncio.timeout(AT_ONCE):
        rest = [chunk async for chunk in chunks]
    assert "member" not in str(rest)


async def test_a_question_to_a_workspace_that_nobody_answered_yet_ends(site: SessionSite) -> None:
    member = await do(site.member)
    asked = asyncio.create_task(query_workspace(site.workspace, UsageQuestion(), person=member, timeout_seconds=30))
    async with asyncio.timeout(10):
        await do(send_away, site, member)
        while not asked.done():  # the announcement may precede the subscription, so it is repeated until it arrives
            await get_channel_layer().group_send(person_group(member.pk), CHANGED)
            await asyncio.wait([asked], timeout=0.2)
    assert isinstance(asked.exception(), Missing)
