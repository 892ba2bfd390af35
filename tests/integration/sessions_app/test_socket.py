"""The WebSocket of a session: access, the client's position in the event log, and the messages to the client."""

import asyncio
import uuid

import pytest
from django.contrib.sessions.models import Session as BrowserSession

from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.events.publish import publisher, session_group
from sessions_app.events.reducer import apply_event
from sessions_app.events.snapshot import REPLAY_LIMIT
from sessions_app.models import Session, Turn
from sessions_app.transport.ws import base
from tests.support.builders import browser_of, make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.sockets import do, open_socket, path_of, rename

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHECK_INTERVAL", 0.2)


# where the client is


async def test_a_new_client_gets_a_snapshot_and_then_what_happens(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        answer = await socket.ask("hello", after=None)
        assert answer["type"] == "ack"
        (first, _) = socket.seen
        assert first == {"type": "snapshot", "snapshot": await do(snapshot_of, session.id)}
        await rename(site, session, "New")
        event = await socket.wait_for("event")
        assert (event["seq"], event["event_type"], event["data"]["title"]) == (2, "session.updated", "New")
        assert event["at"]


async def test_a_returning_client_gets_only_what_it_missed(site: SessionSite, session: Session) -> None:
    for title in ("one", "two", "three"):
        await rename(site, session, title)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=2)
        assert [(frame["seq"], frame["data"]["title"]) for frame in socket.events()] == [(3, "two"), (4, "three")]
        assert "snapshot" not in {frame["type"] for frame in socket.seen}


async def test_a_client_that_missed_nothing_gets_nothing(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=1)
        assert [frame["type"] for frame in socket.seen] == ["ack"]


@pytest.mark.parametrize("after", [-1, 999, 10**30])
async def test_an_unknown_cursor_is_answered_with_a_snapshot(site: SessionSite, session: Session, after: int) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=after)
        assert [frame["type"] for frame in socket.seen] == ["snapshot", "ack"]


async def test_a_cursor_that_is_too_old_is_answered_with_a_snapshot(site: SessionSite, session: Session) -> None:
    await Session.objects.filter(pk=session.pk).aupdate(last_seq=REPLAY_LIMIT + 5)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=1)
        assert [frame["type"] for frame in socket.seen] == ["snapshot", "ack"]


async def test_before_hello_nothing_is_sent(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await rename(site, session, "New")
        await socket.ask("ping")
        assert [frame["type"] for frame in socket.seen] == ["pong"]
        await socket.ask("hello", after=1)
        assert [frame["seq"] for frame in socket.events()] == [2]


async def test_a_whole_turn_arrives_in_order_and_adds_up_to_the_snapshot(site: SessionSite, session: Session) -> None:
    await do(site.write, "a.txt", "one\n")
    site.script(calls(tool_call("read", filePath="a.txt"), tool_call("todoread")), text("It says one."))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        snapshot = socket.seen[0]["snapshot"]
        turn = await do(site.run_prompt, session=session)
        last = (await Session.objects.aget(pk=session.pk)).last_seq
        await socket.wait_for("event", seq=last)
    assert turn.state == Turn.State.COMPLETED
    assert [frame["seq"] for frame in socket.events()] == list(range(2, last + 1))
    for frame in socket.events():
        apply_event(snapshot, seq=frame["seq"], event_type=frame["event_type"], data=frame["data"])
    assert snapshot == await do(snapshot_of, session.id)


async def test_text_streams_as_deltas_that_add_up(site: SessionSite, session: Session) -> None:
    hold = uuid.uuid4().hex
    words = "Grüße \U0001f375 and so on"
    site.script(text(words, chunk_size=3, hold=hold, hold_after=4))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        work = asyncio.ensure_future(do(site.run_prompt, session=session))
        first = await socket.wait_for("delta", target="part")
        assert first["offset"] == 0
        await do(site.model_server.release, hold)
        await work
        end = await socket.wait_for("event", event_type="turn.updated")
        while end["data"]["state"] != "completed":
            end = await socket.wait_for("event", event_type="turn.updated")
    shown = ""
    for delta in [frame for frame in socket.seen if frame["type"] == "delta"]:
        assert delta["id"] == first["id"]
        assert delta["offset"] == len(shown), "offsets count code points"
        shown += delta["text"]
    assert shown
    assert words.startswith(shown), "the end may come with the whole part instead, if the turn ends first"
    parts = [frame["data"] for frame in socket.seen if frame.get("event_type") == "part.updated"]
    assert [part["text"] for part in parts if part["id"] == first["id"]][-1] == words
    types = [frame.get("event_type", frame["type"]) for frame in socket.seen]
    assert types.index("part.updated") < types.index("delta"), "a part is there before text is added to it"


async def test_live_output_of_a_command_streams_as_deltas(site: SessionSite, session: Session) -> None:
    session = await do(site.open_session, allow=("bash",))
    site.script(calls(tool_call("bash", command="echo begun; until [ -e go ]; do sleep 0.02; done")), text("Done."))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        work = asyncio.ensure_future(do(site.run_prompt, session=session))
        delta = await socket.wait_for("delta", target="call")
        assert (delta["offset"], delta["text"]) == (0, "begun\n")
        (site.files / "go").touch()
        await work


async def test_a_gap_is_filled_from_the_log(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        with monkeypatch.context() as lossy:
            lossy.setattr(publisher, "send", lambda *_news: None)
            await rename(site, session, "lost on the way")
        await rename(site, session, "arrives")
        await socket.wait_for("event", seq=3)
        assert [frame["data"]["title"] for frame in socket.events()] == ["lost on the way", "arrives"]


async def test_news_that_never_arrive_are_found_by_looking(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher, "send", lambda *_news: None)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await rename(site, session, "silent")
        assert (await socket.wait_for("event"))["data"]["title"] == "silent"


async def test_news_that_come_twice_are_shown_once(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await rename(site, session, "once")
        event = await socket.wait_for("event")
        frame = {name: event[name] for name in ("seq", "event_type", "data", "at")}
        publisher.send(session_group(session.id), {"type": "session.events", "frames": [frame]})
        await rename(site, session, "twice")
        await socket.wait_for("event", seq=3)
        assert [frame["seq"] for frame in socket.events()] == [2, 3]


async def test_two_tabs_see_the_same(site: SessionSite, session: Session) -> None:
    async with (
        open_socket(path_of(session), user=site.user) as one,
        open_socket(path_of(session), user=await do(site.member)) as two,
    ):
        await one.ask("hello", after=None)
        await two.ask("hello", after=None)
        await rename(site, session, "for all")
        assert await one.wait_for("event") == await two.wait_for("event")


# who may come in


async def test_somebody_who_is_not_signed_in_is_sent_away(session: Session) -> None:
    async with open_socket(path_of(session)) as socket:
        assert await socket.close_code() == 4401


async def test_for_somebody_of_another_team_there_is_no_such_session(site: SessionSite, session: Session) -> None:
    stranger = await do(lambda: make_member(make_team(), Role.OWNER))
    async with open_socket(path_of(session), user=stranger) as socket:
        assert await socket.close_code() == 4404


@pytest.mark.parametrize("junk", ["x", "ses_", "ses_" + "0" * 32, "%00"])
async def test_a_session_that_is_not_there(site: SessionSite, junk: str) -> None:
    async with open_socket(f"/ws/sessions/{junk}", user=site.user) as socket:
        assert await socket.close_code() == 4404


@pytest.mark.parametrize("path", ["/ws/foo", "/ws/sessions/", "/ws/sessions/ses_1/more", "/ws/me/", "/", "/%00%ff"])
async def test_an_address_without_a_socket_is_closed_for_anybody(db: None, path: str) -> None:
    async with open_socket(path) as socket:
        assert await socket.close_code() == 4404


async def test_a_deactivated_person_is_sent_away(site: SessionSite, session: Session) -> None:
    await User.objects.aupdate(is_active=False)
    async with open_socket(path_of(session), user=site.user) as socket:
        assert await socket.close_code() == 4401


async def test_a_ticket_works_once(site: SessionSite, session: Session) -> None:
    ticket = (await do(issue_ticket, actor=site.user)).secret
    async with open_socket(f"{path_of(session)}?ticket={ticket}", origin=None) as socket:
        assert (await socket.ask("hello", after=None))["type"] == "ack"
    async with open_socket(f"{path_of(session)}?ticket={ticket}", origin=None) as socket:
        assert await socket.close_code() == 4401


async def test_a_browsers_ticket_opens_nothing_after_signing_out(site: SessionSite, session: Session) -> None:
    browser = await do(browser_of, site.user)
    answer = await do(browser.post, "/api/v1/socket-tickets")
    await do(browser.logout)
    async with open_socket(f"{path_of(session)}?ticket={answer.json()['ticket']}", origin=None) as socket:
        assert await socket.close_code() == 4401


async def test_a_socket_of_a_browsers_ticket_ends_with_signing_out(site: SessionSite, session: Session) -> None:
    browser = await do(browser_of, site.user)
    answer = await do(browser.post, "/api/v1/socket-tickets")
    async with open_socket(f"{path_of(session)}?ticket={answer.json()['ticket']}", origin=None) as socket:
        assert (await socket.ask("hello", after=None))["type"] == "ack"
        await do(browser.logout)
        assert await socket.close_code() == 4401


@pytest.mark.parametrize("ticket", ["", "nonsense"])
async def test_with_a_bad_ticket_no_cookie_counts(site: SessionSite, session: Session, ticket: str) -> None:
    async with open_socket(f"{path_of(session)}?ticket={ticket}", user=site.user, origin=None) as socket:
        assert await socket.close_code() == 4401


@pytest.mark.parametrize("origin", [b"https://evil.example", b"null", None])
async def test_another_page_cannot_even_connect(site: SessionSite, session: Session, origin: bytes | None) -> None:
    async with open_socket(path_of(session), user=site.user, origin=origin, refused=True):
        pass


async def test_a_member_who_is_removed_is_sent_away_within_seconds(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = await do(site.member)
    monkeypatch.setattr(base, "RIGHTS_EVERY", 1_000)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello", after=None)
        await Membership.objects.filter(user=member).adelete()
        monkeypatch.setattr(base, "RIGHTS_EVERY", 1)
        assert await socket.close_code() == 4404


async def test_a_person_who_is_deactivated_is_sent_away_within_seconds(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello", after=None)
        await User.objects.filter(pk=member.pk).aupdate(is_active=False)
        assert await socket.close_code() == 4401


async def test_who_signs_out_is_sent_away_within_seconds(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await BrowserSession.objects.all().adelete()
        assert await socket.close_code() == 4401


async def test_a_session_that_is_deleted_closes_its_sockets(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await session.adelete()
        assert await socket.close_code() == 4404
