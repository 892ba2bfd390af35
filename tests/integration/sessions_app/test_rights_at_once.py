"""After a request that takes rights away has returned, the person who lost them receives nothing more and can send
nothing."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import redis
from django.conf import settings
from django.test import AsyncClient
from structlog.testing import capture_logs

from agentsite.tenancy import rights_changes
from agentsite.tenancy.actions.members import remove_member
from agentsite.tenancy.actions.operators import switch_account
from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.actions.tokens import create_token, delete_token
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.rights_changes import CHANNEL, announce_rights_change, read_announcement
from sessions_app.actions.audience import set_audience
from sessions_app.events.publish import publish_delta
from sessions_app.models import Session, Turn
from sessions_app.transport import follow, rights_listener, session_stream
from sessions_app.transport.inboxes import RIGHTS_CHANGED, Inbox
from sessions_app.transport.ws import base
from tests.support.builders import bearer, browser_of, make_member, make_team, make_user
from tests.support.session_site import SessionSite
from tests.support.sockets import Socket, do, open_socket, path_of, rename

TIMEOUT_SECONDS = 10.0
Loss = Callable[[], object]


@pytest.fixture(autouse=True)
def _never_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the periodic access checks, so that only the announcement of a change of rights can close a
    connection."""
    monkeypatch.setattr(base, "CHECK_INTERVAL", 3600)
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", 3600)
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", 3600)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


def loss_of(site: SessionSite, session: Session, member: User, how: str) -> Loss:
    """Return a function that takes the member's access to the session away, in the way that `how` names."""
    if how == "removed":
        row = Membership.objects.get(team=site.team, user=member)
        return partial(remove_member, actor=site.user, member=row)
    if how == "private":
        return partial(set_audience, actor=site.user, session=session, shared_with="private")
    operator = make_user()
    User.objects.filter(pk=operator.pk).update(is_staff=True)
    operator.refresh_from_db()
    return partial(switch_account, actor=operator, user=member, is_active=False, is_staff=False)


@asynccontextmanager
async def flooding(session: Session) -> AsyncIterator[None]:
    """Publish deltas continuously during the block, as if from a fast model."""
    is_over = threading.Event()

    def flood() -> None:
        while not is_over.wait(0.001):
            publish_delta(session.id, target="part", public_id="prt_1", offset=0, text="word")

    task = asyncio.ensure_future(do(flood))
    try:
        yield
    finally:
        is_over.set()
        await task


@pytest.mark.parametrize("how", ["removed", "private", "deactivated"])
async def test_a_socket_sends_nothing_more_after_the_answer(site: SessionSite, session: Session, how: str) -> None:
    member = await do(site.member)
    lose = await do(loss_of, site, session, member, how)
    async with open_socket(path_of(session), user=member) as socket, flooding(session):
        await socket.ask("hello")
        await socket.wait_for("delta")
        hellos = asyncio.ensure_future(_say_hello_for_ever(socket))
        await do(lose)
        sent = socket.waiting()
        hellos.cancel()
        assert await types_after(socket, sent) in ([], ["websocket.close"])


async def types_after(socket: Socket, sent: int) -> list[str]:
    """Wait until the server closes the socket; return the types of the messages after the first `sent`."""
    return [message["type"] for message in (await socket.to_the_end())[sent:]]


async def _say_hello_for_ever(socket: Socket) -> None:
    while True:
        await socket.send({"type": "hello", "id": 1})
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("how", ["removed", "private", "deactivated"])
@pytest.mark.parametrize("frame", [{"type": "hello"}, {"type": "prompt", "text": "Let me."}, {"type": "abort"}])
async def test_a_socket_takes_no_frame_after_the_answer(
    site: SessionSite, session: Session, how: str, frame: dict[str, Any]
) -> None:
    member = await do(site.member)
    lose = await do(loss_of, site, session, member, how)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello")
        await do(lose)
        sent = socket.waiting()
        await socket.send({"id": 7, **frame})
        assert await types_after(socket, sent) in ([], ["websocket.close"])
    assert not await Turn.objects.aexists()


async def test_a_frame_is_not_taken_even_if_nobody_announced_the_change(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello")
        await Membership.objects.filter(user=member).adelete()
        await socket.send({"id": 7, "type": "hello"})
        assert "snapshot" not in [message["type"] for message in await socket.to_the_end()]


@pytest.mark.parametrize("how", ["removed", "private", "deactivated"])
async def test_an_event_stream_sends_nothing_more_after_the_answer(
    site: SessionSite, session: Session, how: str
) -> None:
    member = await do(site.member)
    headers = await do(bearer, member)
    lose = await do(loss_of, site, session, member, how)
    answer: Any = await AsyncClient().get(f"/api/v1/sessions/{session.public_id}/events?after=1", headers=headers)
    chunks: list[bytes] = []
    reading = asyncio.ensure_future(_collect(answer.streaming_content, chunks))
    await rename(site, session, "before")
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not any(b"before" in chunk for chunk in chunks):
            await asyncio.sleep(0.01)
    await do(lose)
    told = len(chunks)
    await rename(site, session, "after")
    async with asyncio.timeout(TIMEOUT_SECONDS):
        await reading
    assert chunks[told:] == []


@pytest.mark.parametrize("how", ["removed", "private", "deactivated"])
async def test_the_stream_of_all_events_tells_nothing_more_of_it(site: SessionSite, session: Session, how: str) -> None:
    member = await do(site.member)
    headers = await do(bearer, member)
    lose = await do(loss_of, site, session, member, how)
    answer: Any = await AsyncClient().get("/api/v1/events", headers=headers)
    chunks: list[bytes] = []
    reading = asyncio.ensure_future(_collect(answer.streaming_content, chunks))
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not any(b"before" in chunk for chunk in chunks):
            await rename(site, session, f"before {time.monotonic()}")
            await asyncio.sleep(0.05)
    await do(lose)
    told = len(chunks)
    await rename(site, session, "after")
    other = await do(site.open_session)
    if how == "private":
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not any(other.public_id.encode() in chunk for chunk in chunks):
                await rename(site, other, f"other {time.monotonic()}")
                await asyncio.sleep(0.05)
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading
    assert session.public_id.encode() not in b"".join(chunks[told:])


async def _collect(content: AsyncIterator[bytes], chunks: list[bytes]) -> None:
    async for chunk in content:
        chunks.append(chunk)  # noqa: PERF401 - the caller looks at them meanwhile


@pytest.mark.parametrize("how", ["revoked", "signed out"])
async def test_a_token_or_sign_in_that_ends_ends_its_socket_before_the_answer(
    site: SessionSite, session: Session, how: str
) -> None:
    if how == "revoked":
        issued = await do(create_token, actor=site.user, name="test")
        ticket = (await do(issue_ticket, actor=site.user, token=issued.token)).secret
        lose: Loss = partial(delete_token, actor=site.user, public_id=issued.token.public_id)
    else:
        browser = await do(browser_of, site.user)
        ticket = (await do(browser.post, "/api/v1/socket-tickets")).json()["ticket"]
        lose = partial(browser.delete, "/_allauth/browser/v1/auth/session")
    async with (
        open_socket(f"{path_of(session)}?ticket={ticket}", origin=None) as socket,
        flooding(session),
    ):
        await socket.ask("hello")
        await socket.wait_for("delta")
        await do(lose)
        sent = socket.waiting()
        messages = await socket.to_the_end()
    assert [message["type"] for message in messages[sent:]] in ([], ["websocket.close"])
    assert messages[-1]["code"] == 4401


async def test_frames_to_a_refused_socket_reach_nobody(site: SessionSite, session: Session) -> None:
    stranger = await do(lambda: make_member(make_team()))
    with capture_logs() as logged:
        async with open_socket(path_of(session), user=stranger) as socket:
            for frame in ("hello", "prompt", "abort", "ping", "part.get", "nonsense"):
                await socket.send({"id": 1, "type": frame})
            assert await socket.close_code() == 4404
            await socket.send({"id": 2, "type": "hello"})
            assert await socket.is_silent()
    assert [entry for entry in logged if entry["log_level"] == "error"] == []


# what is announced


@pytest.fixture
def other_server() -> Any:
    """Subscribe to the channel on which changes of rights are announced, as each web server does."""
    client: Any = redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET))
    heard = client.pubsub()
    heard.subscribe(CHANNEL)
    assert heard.get_message(timeout=TIMEOUT_SECONDS)["type"] == "subscribe"
    yield heard
    heard.close()


def test_the_answer_waits_until_another_web_server_has_noted_the_change(other_server: Any) -> None:
    announcing = threading.Thread(target=announce_rights_change, args=(["person.1"],))
    announcing.start()
    groups, reply_to = read_announcement(other_server.get_message(timeout=TIMEOUT_SECONDS)["data"])
    assert groups == ["person.1"]
    announcing.join(0.2)
    assert announcing.is_alive()
    redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET)).rpush(reply_to, "noted")
    announcing.join(TIMEOUT_SECONDS)
    assert not announcing.is_alive()


def test_a_web_server_that_is_stuck_does_not_hold_up_a_change_for_ever(
    other_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rights_changes, "CONFIRM_TIMEOUT", 0.1)
    with capture_logs() as logged:
        announce_rights_change(["person.1"])
    assert [entry["event"] for entry in logged] == ["rights_change_not_confirmed"]


async def test_an_announcement_comes_before_what_waits_and_to_its_group_only() -> None:
    one, other = Inbox(), Inbox()
    try:
        await one.follow("test.one")
        await other.follow("test.other")
        one.put({"type": "test"})
        await do(announce_rights_change, ["test.one"])
        assert (one.changes, other.changes) == (1, 0)
        assert await one.next() is RIGHTS_CHANGED
    finally:
        await one.close()
        await other.close()


async def test_after_a_lost_connection_everybody_checks_and_announcements_are_heard_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rights_listener, "RETRY_DELAY", 0.05)
    inbox = Inbox()
    try:
        await inbox.follow("test.one")
        client: Any = redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET))
        await do(client.client_kill_filter, _type="pubsub")
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while inbox.changes < 2:  # when the connection was lost, and when there is one again
                await asyncio.sleep(0.01)
        before = inbox.changes
        await do(announce_rights_change, ["test.one"])
        assert inbox.changes > before
    finally:
        await inbox.close()


def test_an_announcement_is_plain_text(other_server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rights_changes, "CONFIRM_TIMEOUT", 0.01)
    announce_rights_change(["b", "a", "b"])
    assert json.loads(other_server.get_message(timeout=TIMEOUT_SECONDS)["data"])["groups"] == ["a", "b"]
