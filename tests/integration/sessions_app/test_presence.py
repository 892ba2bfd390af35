"""Presence: a session's socket reports the people who have the session open and the person whose prompt runs, and
forgets people who no longer report."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis
from django.conf import settings

from agentsite.tenancy.actions.members import change_member
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.events.presence import WINDOW_TTL, Windows, new_window, report_windows, watching
from sessions_app.models import Session
from sessions_app.transport.ws import base, presence
from sessions_app.transport.ws.session_consumer import HANDLERS
from tests.support.frame_check import type_of
from tests.support.model_server import calls, tool_call
from tests.support.session_site import SessionSite
from tests.support.sockets import Socket, assert_error, do, open_socket, path_of


def people(frame: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["person"]["id"]: each for each in frame["people"]}


async def told(socket: Socket, *users: User) -> dict[str, dict[str, Any]]:
    """Wait until the socket reports the presence of exactly these people; return their reported presence by id."""
    wanted = {user.public_id for user in users}
    while True:
        found = people(await socket.wait_for("presence"))
        if set(found) == wanted:
            return found


async def test_everybody_learns_who_comes_and_who_goes(site: SessionSite) -> None:
    viewer, session = await do(site.member, Role.VIEWER), await do(site.open_session)
    async with open_socket(path_of(session), user=site.user) as first:
        await first.ask("hello", after=None)
        await told(first, site.user)
        async with open_socket(path_of(session), user=viewer) as second:
            await second.ask("hello", after=None)
            found = await told(first, site.user, viewer)
            assert (found[site.user.public_id]["acts"], found[viewer.public_id]["acts"]) == (True, False)
            await told(second, site.user, viewer)
        await told(first, site.user)


async def test_two_windows_of_one_person_are_one_person(site: SessionSite) -> None:
    session = await do(site.open_session)
    async with (
        open_socket(path_of(session), user=site.user) as first,
        open_socket(path_of(session), user=site.user) as second,
    ):
        await first.ask("hello", after=None)
        await second.ask("hello", after=None)
        while (found := people(await first.wait_for("presence")))[site.user.public_id]["windows"] != 2:
            pass
        assert list(found) == [site.user.public_id]


async def test_all_windows_of_a_process_are_reported_together(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, reported = await do(site.open_session), asyncio.Queue[int]()

    def report(*arguments: Any, opened: Collection[str], **options: Any) -> Windows:
        asyncio.run_coroutine_threadsafe(reported.put(len(opened)), loop)
        return report_windows(*arguments, opened=opened, **options)

    loop = asyncio.get_running_loop()
    monkeypatch.setattr(presence, "report_windows", report)
    async with AsyncExitStack() as sockets:
        for _ in range(4):
            socket = await sockets.enter_async_context(open_socket(path_of(session), user=site.user))
            await socket.ask("hello", after=None)
        async with asyncio.timeout(WINDOW_TTL):
            while await reported.get() != 4:
                pass


async def test_everybody_learns_what_somebody_may_do_now(site: SessionSite) -> None:
    member, session = await do(site.member), await do(site.open_session)
    row = await Membership.objects.aget(user=member)
    async with (
        open_socket(path_of(session), user=site.user) as first,
        open_socket(path_of(session), user=member) as second,
    ):
        await first.ask("hello", after=None)
        await second.ask("hello", after=None)
        assert (await told(first, site.user, member))[member.public_id]["acts"] is True
        await do(change_member, actor=site.user, member=row, role=Role.VIEWER.value)
        assert (await told(first, site.user, member))[member.public_id]["acts"] is False


def _noting(notes: list[str], name: str, answer: Any) -> Callable[..., Any]:
    def function(*_arguments: Any) -> Any:
        notes.append(name)
        return answer

    return function


async def test_presence_that_stays_the_same_reads_nothing_of_the_database(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, reports = await do(site.open_session), asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    read: list[str] = []
    monkeypatch.setattr(base, "CHECK_INTERVAL", 0.1)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await told(socket, site.user)

        def report(*arguments: Any, **options: Any) -> Windows:
            loop.call_soon_threadsafe(reports.release)
            return report_windows(*arguments, **options)

        monkeypatch.setattr(presence, "report_windows", report)
        monkeypatch.setattr(presence, "find_members", _noting(read, "members", {}))
        monkeypatch.setattr(presence, "driver_of", _noting(read, "driver", None))
        async with asyncio.timeout(WINDOW_TTL):
            for _ in range(2):  # the second begins when the first has ended
                await reports.acquire()
    assert read == []


async def test_whoever_sent_the_last_prompt_of_what_runs_drives(site: SessionSite) -> None:
    other = await do(site.member)
    site.script(calls(tool_call("bash", command="make")))
    session = await do(site.open_session)
    async with (
        open_socket(path_of(session), user=site.user) as first,
        open_socket(path_of(session), user=other) as second,
    ):
        await first.ask("hello", after=None)
        await second.ask("hello", after=None)
        await told(first, site.user, other)
        await first.ask("prompt", text="Make it.")
        found = await told(second, site.user, other)
        while not found[site.user.public_id]["drives"]:
            found = await told(second, site.user, other)
        await second.ask("prompt", text="And test it.")
        found = await told(first, site.user, other)
        while not found[other.public_id]["drives"]:
            found = await told(first, site.user, other)
        assert not found[site.user.public_id]["drives"]


async def test_an_emptied_valkey_learns_it_anew(site: SessionSite) -> None:
    session = await do(site.open_session)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await told(socket, site.user)
        await do(redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET)).flushall)
        async with asyncio.timeout(WINDOW_TTL):
            while not await do(watching, session.pk):
                await asyncio.sleep(0.05)


def test_who_says_nothing_any_more_is_forgotten_within_ten_seconds(site: SessionSite) -> None:
    session = site.open_session()
    window = new_window(site.user.pk)
    assert report_windows(session.pk, opened=[window]) == {site.user.pk: 1}
    client = redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET))
    assert 0 < client.pttl(f"agentsite:presence:{session.pk.hex}") <= WINDOW_TTL * 1000 < 8000
    assert report_windows(session.pk, closed=[window]) == {}


async def test_a_viewer_watches_and_every_frame_that_acts_is_refused(site: SessionSite) -> None:
    viewer = await do(site.member, Role.VIEWER)
    ask = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])
    site.script(calls(tool_call("bash", command="make hi"), ask))
    session: Session = await do(lambda: site.run_prompt().session)
    request, question = await do(site.open_request), await do(site.open_question)
    prompt = await do(session.messages.filter(role="user").get)
    frames: dict[str, dict[str, Any]] = {
        "prompt": {"text": "hello"},
        "prompt.change": {"message_id": prompt.public_id, "text": "hello"},
        "prompt.withdraw": {"message_id": prompt.public_id},
        "abort": {},
        "permission.reply": {"request_id": request.public_id, "reply": "once"},
        "question.reply": {"question_id": question.public_id, "answers": [["yes"]]},
        "question.reject": {"question_id": question.public_id},
    }
    assert set(map(type_of, HANDLERS)) - set(frames) == {"hello", "part.get", "call.get", "ping"}
    async with open_socket(path_of(session), user=viewer) as socket:
        await socket.ask("hello", after=None)
        for name, fields in frames.items():
            assert_error(await socket.ask(name, **fields), "not_allowed")
