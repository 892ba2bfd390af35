"""The WebSocket of one person: it sends their pending requests and nothing of others."""

import asyncio
import uuid
from typing import Any

import pytest

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Role
from sessions_app.models import Session
from sessions_app.transport.ws import base
from tests.support.builders import make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tests.support.sockets import Socket, assert_error, do, open_socket, rename

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHECK_INTERVAL", 0.2)


async def notice(socket: Socket, kind: str) -> dict[str, Any]:
    return await socket.wait_for("notice", kind=kind)


async def test_a_person_hears_what_waits_in_every_session_of_their_projects(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="make hi"), ASK), text("Done."))
    async with open_socket("/ws/me", user=await do(site.member)) as socket:
        assert (await socket.ask("hello"))["type"] == "ack"
        session = await do(site.open_session)
        await do(site.run_prompt, session=session)
        asked = await notice(socket, "permission.asked")
        assert asked["session_id"] == session.public_id
        assert asked["data"]["needs"][0]["metadata"]["command"] == "make hi"
        await notice(socket, "question.asked")
        await do(site.reply, "once")
        assert (await notice(socket, "permission.settled"))["data"]["state"] == "once"


async def test_a_person_hears_nothing_of_other_teams(site: SessionSite, session: Session) -> None:
    stranger = await do(lambda: make_member(make_team()))
    async with (
        open_socket("/ws/me", user=stranger) as socket,
        open_socket("/ws/me", user=site.user) as own,
    ):
        await socket.ask("hello")
        await own.ask("hello")
        await rename(site, session, "secret")
        await notice(own, "session.updated")
        await socket.ask("ping")
        assert [frame["type"] for frame in socket.seen] == ["ack", "pong"]


async def test_who_leaves_a_team_hears_nothing_more(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with (
        open_socket("/ws/me", user=member) as socket,
        open_socket("/ws/me", user=site.user) as own,
    ):
        await socket.ask("hello")
        await own.ask("hello")
        await rename(site, session, "before")
        await notice(socket, "session.updated")
        await notice(own, "session.updated")
        await Membership.objects.filter(user=member).adelete()
        async with asyncio.timeout(30):
            while True:
                title = uuid.uuid4().hex
                await rename(site, session, title)
                assert (await notice(own, "session.updated"))["data"]["title"] == title
                await socket.ask("ping")
                if title not in str(socket.seen):
                    break


async def test_who_joins_a_team_hears_of_it_within_seconds(site: SessionSite, session: Session) -> None:
    person = await do(lambda: make_member(make_team()))
    async with open_socket("/ws/me", user=person) as socket:
        await socket.ask("hello")
        await Membership.objects.acreate(user=person, team=site.team, role=Role.VIEWER.value)
        async with asyncio.timeout(10):
            while not any(frame["type"] == "notice" for frame in socket.seen):
                await rename(site, session, uuid.uuid4().hex)
                await socket.ask("ping")


async def test_the_persons_socket_needs_a_sign_in_too(site: SessionSite) -> None:
    async with open_socket("/ws/me") as socket:
        assert await socket.close_code() == 4401


async def test_the_persons_socket_knows_only_its_own_frames(site: SessionSite) -> None:
    async with open_socket("/ws/me", user=site.user) as socket:
        assert_error(await socket.ask("prompt", text="x"), "unknown_frame")
