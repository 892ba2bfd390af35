"""Events of all sessions of a person, as one stream of server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from django.test import AsyncClient

from agentsite.tenancy.models import Membership, User
from sessions_app.actions.sessions import update_session
from sessions_app.models import Session, SessionEvent
from sessions_app.transport import follow, person_stream, session_stream
from tests.support.builders import bearer, make_member, make_project, make_team
from tests.support.frame_check import check_event
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.sockets import do


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_stream, "POLL_INTERVAL", 0.2)
    monkeypatch.setattr(follow, "RIGHTS_INTERVAL", 0.2)


class Stream:
    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks

    async def next(self, kind: str = "") -> dict[str, Any]:
        """Return the next event, or the next one of this type."""
        async with asyncio.timeout(15):
            while True:
                text = (await anext(self._chunks)).decode()
                fields = dict(line.split(": ", 1) for line in text.strip().splitlines() if not line.startswith(":"))
                if fields.get("event") and kind in ("", fields["event"]):
                    return fields | {"data": json.loads(fields["data"])}

    async def is_over(self) -> bool:
        async with asyncio.timeout(15):
            async for _ in self._chunks:
                pass
        return True


@asynccontextmanager
async def listen(user: User, query: str = "", **headers: str) -> AsyncIterator[Stream]:
    answer: Any = await AsyncClient().get(f"/api/v1/events{query}", headers=await do(bearer, user) | headers)
    assert answer.status_code == 200
    try:
        stream = Stream(answer.streaming_content)
        assert (await anext(answer.streaming_content)).endswith(b"retry: 2000\n\n")
        async with asyncio.timeout(15):
            assert (await anext(answer.streaming_content)).startswith(b": still")
        yield stream
    finally:
        await answer.streaming_content.aclose()


async def rename(site: SessionSite, session: Session, title: str) -> None:
    await do(update_session, actor=site.user, session=session, title=title)


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


async def test_what_waits_in_any_session_comes_by_itself(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="make hi")), text("Done."))
    async with listen(site.user) as stream:
        session = await do(site.open_session)
        assert (await stream.next("session.created"))["data"]["session_id"] == session.public_id
        await do(site.run_prompt, session=session)
        asked = await stream.next("permission.asked")
        check_event("permission.asked", asked["data"]["data"])


async def test_who_connects_again_gets_what_was_missed(site: SessionSite, session: Session) -> None:
    async with listen(site.user) as stream:
        await rename(site, session, "one")
        last = (await stream.next())["id"]
    await rename(site, session, "two")
    await SessionEvent.objects.filter(pk__lte=int(last)).aupdate(at="2020-01-01T00:00:00Z")
    headers = {"Last-Event-ID": last}
    answer: Any = await AsyncClient().get("/api/v1/events", headers=await do(bearer, site.user) | headers)
    stream = Stream(answer.streaming_content)
    titles = [(await stream.next())["data"]["data"]["title"]]
    while titles[-1] != "two":
        titles.append((await stream.next())["data"]["data"]["title"])
    assert titles[-1] == "two"
    await answer.streaming_content.aclose()


@pytest.mark.parametrize("after", [-1, 10**12])
async def test_an_unknown_cursor_is_told_to_read_the_lists_again(
    site: SessionSite, session: Session, after: int
) -> None:
    answer: Any = await AsyncClient().get(f"/api/v1/events?after={after}", headers=await do(bearer, site.user))
    stream = Stream(answer.streaming_content)
    assert (await stream.next())["event"] == "reset"
    await rename(site, session, "one")
    assert (await stream.next())["data"]["data"]["title"] == "one"
    await answer.streaming_content.aclose()


async def test_more_than_can_be_told_is_a_reset(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_stream, "MAX_EVENTS", 2)
    for title in ("one", "two", "three"):
        await rename(site, session, title)
    answer: Any = await AsyncClient().get("/api/v1/events?after=0", headers=await do(bearer, site.user))
    assert (await Stream(answer.streaming_content).next())["event"] == "reset"
    await answer.streaming_content.aclose()


async def test_nothing_comes_of_other_teams_and_other_projects(site: SessionSite, session: Session) -> None:
    stranger = await do(lambda: make_member(make_team()))
    other = await do(make_project, site.team)
    async with listen(stranger) as foreign, listen(site.user, f"?project={other.public_id}") as elsewhere:
        await rename(site, session, "secret")
        for stream in (foreign, elsewhere):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await stream.next()


async def test_who_leaves_the_team_hears_no_more(site: SessionSite, session: Session) -> None:
    async with listen(site.user) as stream:
        await do(Membership.objects.all().delete)
        await rename_by_nobody(session)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await stream.next()


async def rename_by_nobody(session: Session) -> None:
    from sessions_app.actions.sessions import name_session

    await Session.objects.filter(pk=session.pk).aupdate(title="")
    await do(name_session, session.pk, title="later")


async def test_who_is_barred_is_sent_away(site: SessionSite, session: Session) -> None:
    async with listen(site.user) as stream:
        await User.objects.filter(pk=site.user.pk).aupdate(is_active=False)
        assert await stream.is_over()
