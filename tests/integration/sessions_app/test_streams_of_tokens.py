"""A connection that was opened with an API token has no more rights than the token, and ends when the token ends."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import AsyncClient
from django.utils import timezone

from agentsite.tenancy.actions.socket_tickets import issue_ticket, redeem_ticket
from agentsite.tenancy.actions.tokens import IssuedToken, create_token, delete_token
from agentsite.tenancy.models import ApiToken, Membership
from agentsite.tenancy.scopes import Scope
from sessions_app.actions.audience import set_audience
from sessions_app.models import Session
from sessions_app.spending.budgets import create_budget
from sessions_app.transport import follow, session_stream
from sessions_app.transport.inboxes import Inbox, Message
from sessions_app.transport.ws import base
from tests.support.builders import join, make_project, make_team
from tests.support.session_site import SessionSite
from tests.support.sockets import Socket, assert_error, do, open_socket, path_of, rename

pytestmark = pytest.mark.one_database

AT_ONCE = 5.0  # seconds on a busy machine; the check that waits for no news takes 10
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def _hardly_ever_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable most periodic checks, so that only announcements and the token's expiry can end a connection."""
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", 60.0)
    monkeypatch.setattr(base, "CHECK_INTERVAL", 60.0)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


async def make_token(site: SessionSite, **options: Any) -> IssuedToken:
    issued: IssuedToken = await do(create_token, actor=site.user, name="test", **options)
    return issued


@asynccontextmanager
async def socket_of(path: str, issued: IssuedToken) -> AsyncIterator[Socket]:
    ticket = await do(issue_ticket, actor=issued.token.user, token=issued.token)
    async with open_socket(f"{path}?ticket={ticket.secret}", origin=None) as socket:
        yield socket


async def revoke(site: SessionSite, issued: IssuedToken) -> None:
    await do(delete_token, actor=site.user, public_id=issued.token.public_id)


async def test_a_socket_ends_within_a_second_of_the_revocation(site: SessionSite, session: Session) -> None:
    issued = await make_token(site)
    async with socket_of(path_of(session), issued) as socket:
        await socket.ask("hello", after=None)
        await revoke(site, issued)
        async with asyncio.timeout(AT_ONCE):
            assert await socket.close_code() == 4401


async def test_the_socket_of_what_waits_ends_too(site: SessionSite) -> None:
    issued = await make_token(site)
    async with socket_of("/ws/me", issued) as socket:
        await socket.ask("hello")
        await revoke(site, issued)
        async with asyncio.timeout(AT_ONCE):
            assert await socket.close_code() == 4401


async def test_a_socket_ends_when_its_token_expires(site: SessionSite, session: Session) -> None:
    end = timezone.now() + timedelta(seconds=1.5)
    issued = await make_token(site, expires_at=end)
    async with socket_of(path_of(session), issued) as socket:
        assert (await socket.ask("hello", after=None))["type"] == "ack"
        assert await socket.close_code() == 4401
    assert (timezone.now() - end).total_seconds() < AT_ONCE


async def test_a_stream_of_events_ends_within_a_second_of_the_revocation(site: SessionSite, session: Session) -> None:
    issued = await make_token(site)
    answer = await AsyncClient().get(
        f"/api/v1/sessions/{session.public_id}/events?after=1",
        headers={"Authorization": f"Bearer {issued.secret}"},
    )
    chunks: Any = answer.streaming_content  # type: ignore[attr-defined]
    reading = asyncio.create_task(_read_to_the_end(chunks))
    await asyncio.sleep(0)
    await _until_listening(issued)
    await revoke(site, issued)
    revoked = time.monotonic()
    async with asyncio.timeout(PATIENCE):
        await reading
    assert time.monotonic() - revoked < AT_ONCE


async def test_a_stream_of_events_ends_when_its_token_expires(site: SessionSite, session: Session) -> None:
    end = timezone.now() + timedelta(seconds=1.5)
    issued = await make_token(site, expires_at=end)
    answer = await AsyncClient().get(
        f"/api/v1/sessions/{session.public_id}/events?after=1",
        headers={"Authorization": f"Bearer {issued.secret}"},
    )
    chunks: Any = answer.streaming_content  # type: ignore[attr-defined]
    async with asyncio.timeout(PATIENCE):
        await _read_to_the_end(chunks)
    assert (timezone.now() - end).total_seconds() < AT_ONCE


@pytest.mark.parametrize("path", ["/api/v1/sessions/{session}/events?after=1", "/api/v1/events"])
async def test_a_busy_stream_ends_when_its_token_expires(
    site: SessionSite, session: Session, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_silent(_inbox: Inbox) -> Message:
        await asyncio.sleep(0.01)
        return {"type": "session.delta", "delta": {}}

    monkeypatch.setattr(Inbox, "next", never_silent)
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", 60.0)
    end = timezone.now() + timedelta(seconds=1.5)
    issued = await make_token(site, expires_at=end)
    headers = {"Authorization": f"Bearer {issued.secret}"}
    answer: Any = await AsyncClient().get(path.format(session=session.public_id), headers=headers)
    async with asyncio.timeout(PATIENCE):
        await _read_to_the_end(answer.streaming_content)
    assert (timezone.now() - end).total_seconds() < AT_ONCE


async def test_a_revoked_token_leaves_no_ticket_behind(site: SessionSite) -> None:
    issued = await make_token(site)
    ticket = await do(issue_ticket, actor=site.user, token=issued.token)
    await revoke(site, issued)
    assert await do(redeem_ticket, ticket.secret) is None


async def test_the_ticket_of_a_token_that_has_expired_meanwhile_opens_nothing(site: SessionSite) -> None:
    issued = await make_token(site, expires_at=timezone.now() + timedelta(hours=1))
    ticket = await do(issue_ticket, actor=site.user, token=issued.token)
    await ApiToken.objects.aupdate(expires_at=timezone.now())
    assert await do(redeem_ticket, ticket.secret) is None


@pytest.mark.parametrize(
    ("scopes", "frame", "fields"),
    [
        ([Scope.READ], "prompt", {"text": "Let me."}),
        ([Scope.READ], "abort", {}),
        ([Scope.READ, Scope.WORK], "permission.reply", {"request_id": "per_x", "reply": "once"}),
        ([Scope.WORK], "hello", {"after": None}),
    ],
)
async def test_a_frame_wants_its_scope(
    site: SessionSite, session: Session, scopes: list[Scope], frame: str, fields: dict[str, Any]
) -> None:
    issued = await make_token(site, scopes=scopes)
    async with socket_of(path_of(session), issued) as socket:
        assert_error(await socket.ask(frame, **fields), "scope_missing")


async def test_a_token_for_another_project_opens_no_socket_here(site: SessionSite, session: Session) -> None:
    other = await do(make_project, site.team)
    issued = await make_token(site, project=other)
    async with socket_of(path_of(session), issued) as socket:
        assert await socket.close_code() == 4404


async def test_a_ticket_from_a_browser_has_no_token_to_end_with(site: SessionSite, session: Session) -> None:
    team = await do(make_team)
    await Membership.objects.acreate(team=team, user=site.user)
    ticket = (await do(issue_ticket, actor=site.user)).secret
    async with open_socket(f"{path_of(session)}?ticket={ticket}", origin=None) as socket:
        assert (await socket.ask("hello", after=None))["type"] == "ack"


async def _read_to_the_end(chunks: AsyncIterator[bytes]) -> None:
    async for _ in chunks:
        pass


async def _until_listening(issued: IssuedToken) -> None:
    """Wait until the stream has joined the channel group of the token's owner, and thus receives new events."""
    from channels.layers import get_channel_layer

    from agentsite.tenancy.person_updates import person_group

    layer: Any = get_channel_layer()
    group = layer._group_key(person_group(issued.token.user_id))
    async with asyncio.timeout(PATIENCE):
        while not await layer.connection(layer.consistent_hash(group)).zcard(group):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("kind", ["session.updated", "budget.updated"])
async def test_a_token_for_one_team_hears_nothing_of_another(site: SessionSite, session: Session, kind: str) -> None:
    """A token for one team receives no messages about another team, not even its owner's notices about private sessions
    and budgets."""
    await do(set_audience, actor=site.user, session=session, shared_with="private")
    elsewhere = await do(make_team)
    await do(join, elsewhere, site.user)
    issued = await make_token(site, team=elsewhere)
    async with socket_of("/ws/me", issued) as socket, open_socket("/ws/me", user=site.user) as own:
        await socket.ask("hello")
        await own.ask("hello")
        if kind == "session.updated":
            await rename(site, session, "secret")
        else:
            await do(create_budget, actor=site.user, team=site.team, scope="team", period="day", limit=Decimal(1))
        await own.wait_for("notice", kind=kind)
        await socket.ask("ping")
        assert [frame["type"] for frame in socket.seen] == ["ack", "pong"]
