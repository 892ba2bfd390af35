"""The event log as server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session as BrowserSession
from django.test import AsyncClient

from agentsite.tenancy.models import ApiToken, Membership
from sessions_app.actions.sessions import update_session
from sessions_app.events.schema import EVENT_VIEWS
from sessions_app.events.snapshot import REPLAY_LIMIT
from sessions_app.models import Session
from sessions_app.transport import follow, session_stream
from sessions_app.transport.inboxes import Inbox, Message
from tests.support.builders import bearer
from tests.support.costs import counted
from tests.support.frame_check import check_event
from tests.support.session_site import SessionSite

PATIENCE = 10.0
TITLES = 4


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", 0.2)
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", 0.2)


@pytest.fixture
def session(site: SessionSite) -> Session:
    row = site.open_session()
    for title in ("one", "two"):
        update_session(actor=site.user, session=row, title=title)
    return row


class Stream:
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    async def chunk(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return (await anext(self._chunks)).decode()

    async def event(self) -> dict[str, Any]:
        """Return the fields of the next event; comments are skipped."""
        text = await self.chunk()
        while text.startswith(":"):
            text = await self.chunk()
        fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
        data = json.loads(fields["data"])
        if fields["event"] in EVENT_VIEWS:
            check_event(fields["event"], data)
        return fields | {"data": data}

    async def is_over(self) -> bool:
        async with asyncio.timeout(PATIENCE):
            async for _ in self._chunks:
                pass
        return True


@asynccontextmanager
async def listen(site: SessionSite, session: Session, query: str = "", **headers: str) -> AsyncIterator[Stream]:
    signed_in = await sync_to_async(bearer)(site.user)
    path = f"/api/v1/sessions/{session.public_id}/events{query}"
    answer = await AsyncClient().get(path, headers=signed_in | headers)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "text/event-stream"
    assert answer["Cache-Control"] == "no-store"
    chunks: Any = answer.streaming_content  # type: ignore[attr-defined]
    try:
        yield Stream(chunks)
    finally:
        await chunks.aclose()


async def rename(site: SessionSite, session: Session, title: str) -> None:
    await sync_to_async(update_session)(actor=site.user, session=session, title=title)


async def test_without_a_cursor_the_whole_log_comes(site: SessionSite, session: Session) -> None:
    async with listen(site, session) as stream:
        events = [await stream.event() for _ in range(3)]
    assert [(event["id"], event["event"]) for event in events] == [
        ("1", "session.created"), ("2", "session.updated"), ("3", "session.updated"),
    ]  # fmt: skip
    assert events[2]["data"]["title"] == "two"


async def test_only_what_comes_after_the_cursor(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=2") as stream:
        assert (await stream.event())["id"] == "3"


async def test_a_browser_that_reconnects_names_the_last_event(site: SessionSite, session: Session) -> None:
    async with listen(site, session, **{"Last-Event-ID": "2"}) as stream:
        assert (await stream.event())["id"] == "3"


async def test_the_address_wins_over_the_header(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=2", **{"Last-Event-ID": "0"}) as stream:
        assert (await stream.event())["id"] == "3"


async def test_after_the_past_comes_what_happens(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=3") as stream:
        assert (await stream.chunk()).startswith(":")
        await rename(site, session, "three")
        event = await stream.event()
        assert (event["id"], event["data"]["title"]) == ("4", "three")
        await rename(site, session, "four")
        assert (await stream.event())["id"] == "5"


async def test_what_happens_costs_the_same_for_two_streams_and_for_forty(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event costs the same for two streams and for forty: all streams send the same text, which is created once, and
    need no SQL statements."""
    for module, interval in ((session_stream, "POLL_INTERVAL"), (follow, "RIGHTS_INTERVAL")):
        monkeypatch.setattr(module, interval, 3600.0)
    few, few_statements = await _cost_of_titles(site, session, monkeypatch, streams=2)
    many, many_statements = await _cost_of_titles(site, session, monkeypatch, streams=40)
    assert (few, many) == (TITLES, TITLES)
    assert len(many_statements) == len(few_statements), many_statements


async def _cost_of_titles(
    site: SessionSite, session: Session, patch: pytest.MonkeyPatch, *, streams: int
) -> tuple[int, list[str]]:
    """Rename the session TITLES times while all streams listen. Return the number of events serialised to JSON, and
    the SQL statements."""
    made: list[str] = []

    def dumps(value: Any) -> str:
        made.append(json.dumps(value))
        return made[-1]

    async with AsyncExitStack() as stack:
        followed = [await stack.enter_async_context(listen(site, session, "?after=3")) for _ in range(streams)]
        for stream in followed:
            assert (await stream.chunk()).startswith(":")
        newest = await _title_to_all(
            site, session, followed, f"{streams} first"
        )  # before it, each stream reads rights and log
        with patch.context() as inside, counted(inside) as meter:
            inside.setattr(session_stream, "json", SimpleNamespace(dumps=dumps))
            for number in range(TITLES):
                newest = await _title_to_all(site, session, followed, f"{streams} {number}", after=newest)
    return len(made), meter.statements


async def _title_to_all(
    site: SessionSite, session: Session, followed: Sequence[Stream], title: str, *, after: int | None = None
) -> int:
    """Rename the session and check that all streams get the event for the new title. Returns the event's sequence
    number."""
    await rename(site, session, title)
    events = [await stream.event() for stream in followed]
    while events[0]["data"]["title"] != title:  # titles from before it followed
        events = [await stream.event() for stream in followed]
    assert {event["data"]["title"] for event in events} == {title}
    (seq,) = {int(event["id"]) for event in events}
    assert after is None or seq == after + 1
    return seq


@pytest.mark.parametrize("after", [-1, 99, 10**30])
async def test_an_unknown_cursor_is_answered_with_a_snapshot_and_the_stream_goes_on(
    site: SessionSite, session: Session, after: int
) -> None:
    async with listen(site, session, f"?after={after}") as stream:
        snapshot = await stream.event()
        assert (snapshot["event"], snapshot["id"]) == ("snapshot", "3")
        assert snapshot["data"]["session"]["title"] == "two"
        await rename(site, session, "three")
        assert (await stream.event())["id"] == "4"


async def test_a_cursor_that_is_too_old_is_answered_with_a_snapshot(site: SessionSite, session: Session) -> None:
    await Session.objects.filter(pk=session.pk).aupdate(last_seq=REPLAY_LIMIT + 9)
    async with listen(site, session, "?after=1") as stream:
        assert (await stream.event())["event"] == "snapshot"


async def test_the_stream_says_when_to_connect_again(site: SessionSite, session: Session) -> None:
    async with listen(site, session) as stream:
        assert "retry: 2000\n" in await stream.chunk()


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("?after=x", {}),
        ("?after=1.5", {}),
        ("", {"Last-Event-ID": "x"}),
        ("", {"Last-Event-ID": ""}),
        ("", {"Last-Event-ID": "9" * 5000}),
    ],
)
async def test_a_cursor_that_is_none_is_refused(
    site: SessionSite, session: Session, query: str, headers: dict[str, str]
) -> None:
    signed_in = await sync_to_async(bearer)(site.user)
    path = f"/api/v1/sessions/{session.public_id}/events{query}"
    answer = await AsyncClient().get(path, headers=signed_in | headers)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_input"


async def test_silence_is_broken_by_comments_that_keep_the_connection(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=3") as stream:
        await stream.chunk()
        assert await stream.chunk() == await stream.chunk() == ": still here\n\n"


async def test_who_leaves_the_team_is_sent_away_within_seconds(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=3") as stream:
        await Membership.objects.all().adelete()
        assert await stream.is_over()


async def test_a_token_that_is_revoked_ends_the_stream_within_seconds(site: SessionSite, session: Session) -> None:
    async with listen(site, session, "?after=3") as stream:
        await ApiToken.objects.all().adelete()
        assert await stream.is_over()


async def test_who_leaves_the_team_hears_no_more_though_there_is_much_to_tell(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never_silent(_inbox: Inbox) -> Message:
        await asyncio.sleep(0)
        return {"type": "session.delta", "delta": {}}

    monkeypatch.setattr(Inbox, "next", never_silent)
    async with listen(site, session, "?after=2") as stream:
        assert (await stream.event())["id"] == "3"
        await Membership.objects.all().adelete()
        assert await stream.is_over()


async def test_a_browser_that_signs_out_hears_no_more(site: SessionSite, session: Session) -> None:
    client = AsyncClient()
    await client.aforce_login(site.user)
    answer = await client.get(f"/api/v1/sessions/{session.public_id}/events?after=3")
    chunks: Any = answer.streaming_content  # type: ignore[attr-defined]
    stream = Stream(chunks)
    assert (await stream.chunk()).startswith(":")
    await BrowserSession.objects.all().adelete()
    assert await stream.is_over()
