"""The WebSocket of a session: where the client is, what it missed, what happens now, and what it may do."""

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.sessions.models import Session as BrowserSession

from agentsite.tenancy.actions.tickets import issue_ticket
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.sessions import update_session
from sessions_app.events.publish import publisher, session_group
from sessions_app.events.reducer import apply_event
from sessions_app.events.snapshot import REPLAY_LIMIT
from sessions_app.models import Part, Session, Turn
from sessions_app.transport.ws import base
from tests.support.builders import make_member, make_team
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.sockets import Socket, open_socket

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "LOOK_EVERY", 0.2)


def path_of(session: Session) -> str:
    return f"/ws/sessions/{session.public_id}"


async def do(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Something that a worker or another person does meanwhile."""
    return await database_sync_to_async(function, thread_sensitive=False)(*args, **options)


async def rename(site: SessionSite, session: Session, title: str) -> None:
    await do(update_session, actor=site.user, session=session, title=title)


def assert_error(frame: dict[str, Any], code: str) -> None:
    assert frame["type"] == "error"
    assert set(frame["error"]) == {"code", "message", "hint"}
    assert frame["error"]["code"] == code
    assert frame["error"]["message"]


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
    assert shown == words
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


@pytest.mark.parametrize("ticket", ["", "nonsense"])
async def test_with_a_bad_ticket_no_cookie_counts(site: SessionSite, session: Session, ticket: str) -> None:
    async with open_socket(f"{path_of(session)}?ticket={ticket}", user=site.user, origin=None) as socket:
        assert await socket.close_code() == 4401


@pytest.mark.parametrize("origin", [b"https://evil.example", b"null", None])
async def test_another_page_cannot_even_connect(site: SessionSite, session: Session, origin: bytes | None) -> None:
    async with open_socket(path_of(session), user=site.user, origin=origin, refused=True):
        pass


async def test_a_member_who_is_removed_is_sent_away_within_seconds(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with open_socket(path_of(session), user=member) as socket:
        await socket.ask("hello", after=None)
        await Membership.objects.filter(user=member).adelete()
        assert_error(await socket.ask("prompt", text="Let me."), "not_found")
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


# bad frames


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("{", "malformed_json"),
        ("NaN", "malformed_json"),
        ("[" * 100_000, "malformed_json"),
        ("[]", "bad_frame"),
        ("5", "bad_frame"),
        ("{}", "bad_frame"),
        ('{"type": 5}', "bad_frame"),
        ('{"type": "fly"}', "unknown_frame"),
        ('{"type": "prompt"}', "bad_input"),
        ('{"type": "prompt", "text": 5}', "bad_input"),
        ('{"type": "prompt", "text": "  "}', "bad_input"),
        (r'{"type": "prompt", "text": "a\u0000"}', "unstorable_text"),
        (r'{"type": "prompt", "text": "\ud800"}', "unstorable_text"),
        ('{"type": "hello", "after": "1"}', "bad_input"),
        ('{"type": "hello", "after": true}', "bad_input"),
        ('{"type": "hello", "after": 1.5}', "bad_input"),
        ('{"type": "part.get"}', "bad_input"),
        ('{"type": "part.get", "part_id": "prt_1"}', "not_found"),
        ('{"type": "call.get", "call_id": ["x"]}', "bad_input"),
        ('{"type": "permission.reply", "request_id": "per_1", "reply": "once"}', "not_found"),
        ('{"type": "question.reply", "question_id": "que_1", "answers": "x"}', "bad_input"),
        ('{"type": "question.reply", "question_id": "que_1", "answers": [[1]]}', "bad_input"),
        ('{"type": "question.reject", "question_id": null}', "bad_input"),
        ('{"type": "prompt", "text": "' + "x" * 200_001 + '"}', "too_large"),
        ('{"type": "ping", "x": "' + "x" * 1_048_576 + '"}', "too_large"),
    ],
)
async def test_a_bad_frame_is_answered_and_the_socket_lives_on(
    site: SessionSite, session: Session, frame: str, code: str
) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.send_text(frame)
        assert_error(await socket.frame(), code)
        assert (await socket.ask("ping"))["type"] == "pong"
    assert not await Turn.objects.aexists()


async def test_a_binary_frame_is_answered(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.send_bytes(b"\x00\x01")
        assert_error(await socket.frame(), "bad_frame")


async def test_an_error_names_the_frame_that_it_answers(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.send({"id": "my-7", "type": "fly"})
        assert (await socket.frame())["id"] == "my-7"


async def test_after_many_bad_frames_the_socket_is_closed(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        for _ in range(base.BAD_FRAME_LIMIT):
            await socket.send_text("{")
        assert await socket.close_code() == 4409


async def test_a_flood_of_frames_is_refused_and_then_closed(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        for _ in range(3 * base.RATE_LIMIT):
            await socket.send({"type": "ping"})
        assert_error(await socket.wait_for("error"), "too_many_requests")
        assert await socket.close_code() == 4409


async def test_a_client_that_never_says_anything_is_not_fed_for_ever(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "UNHEARD_LIMIT", 5_000)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        for number in range(20):
            await rename(site, session, f"{number}")
        assert await socket.close_code() == 4408


# what people do


async def test_a_prompt_is_taken_and_answered(site: SessionSite, session: Session) -> None:
    site.script(text("Hello."))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        answer = await socket.ask("prompt", text="Begin.")
        assert answer["data"]["turn"]["state"] == "queued"
        assert answer["data"]["message"]["role"] == "user"
        await do(site.pump.run)
        part = await socket.wait_for("event", event_type="part.updated")
        assert part["data"]["text"] == "Begin."


async def test_a_running_turn_is_stopped(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await do(site.prompt, session)
        assert (await socket.ask("abort"))["data"] == {"stopped": True}
        assert (await socket.ask("abort"))["data"] == {"stopped": False}
    assert (await Turn.objects.aget()).state == Turn.State.ABORTED


async def test_a_permission_request_arrives_and_is_answered(site: SessionSite, session: Session) -> None:
    site.script(calls(tool_call("bash", command="echo hi")), text("Done."))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await do(site.run_prompt, session=session)
        asked = (await socket.wait_for("event", event_type="permission.asked"))["data"]
        answer = await socket.ask("permission.reply", request_id=asked["id"], reply="always", scope="project")
        assert (answer["data"]["state"], answer["data"]["scope"]) == ("always", "project")
        assert_error(await socket.ask("permission.reply", request_id=asked["id"], reply="once"), "already_settled")
        await do(site.pump.run)
        await socket.wait_for("event", event_type="session.updated")
        (settled,) = [frame for frame in socket.seen if frame.get("event_type") == "permission.settled"]
        assert settled["data"]["state"] == "always"
    assert (await Turn.objects.aget()).state == Turn.State.COMPLETED


async def test_a_question_arrives_and_is_answered(site: SessionSite, session: Session) -> None:
    site.script(calls(ASK), text("Done."))
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None)
        await do(site.run_prompt, session=session)
        asked = (await socket.wait_for("event", event_type="question.asked"))["data"]
        answer = await socket.ask("question.reply", question_id=asked["id"], answers=[["yes"]])
        assert (answer["data"]["state"], answer["data"]["answers"]) == ("answered", [["yes"]])
        assert_error(await socket.ask("question.reject", question_id=asked["id"]), "already_settled")


async def test_a_part_and_a_call_can_be_asked_for_alone(site: SessionSite, session: Session) -> None:
    site.script(calls(tool_call("todoread")), text("Done."))
    turn = await do(site.run_prompt, session=session)
    (call,) = await do(site.calls, turn)
    part = await Part.objects.aget(message__turn=turn, text="Done.")
    async with open_socket(path_of(session), user=site.user) as socket:
        assert (await socket.ask("part.get", part_id=part.public_id))["data"]["text"] == "Done."
        assert (await socket.ask("call.get", call_id=call.public_id))["data"]["state"] == "completed"


async def test_what_belongs_to_another_session_is_not_there(site: SessionSite, session: Session) -> None:
    site.script(calls(tool_call("bash", command="echo hi"), ASK))
    turn = await do(site.run_prompt)
    request, question = await do(site.open_request), await do(site.open_question)
    part = await Part.objects.filter(message__turn=turn).afirst()
    assert part is not None
    async with open_socket(path_of(session), user=site.user) as socket:
        for frame_type, fields in (
            ("part.get", {"part_id": part.public_id}),
            ("call.get", {"call_id": request.call.public_id}),
            ("permission.reply", {"request_id": request.public_id, "reply": "once"}),
            ("question.reply", {"question_id": question.public_id, "answers": [["x"]]}),
            ("question.reject", {"question_id": question.public_id}),
        ):
            assert_error(await socket.ask(frame_type, **fields), "not_found")
    assert (await do(site.open_request)).state == "open"


async def test_a_viewer_watches_and_may_do_nothing(site: SessionSite, session: Session) -> None:
    site.script(calls(tool_call("bash", command="echo hi"), ASK))
    await do(site.run_prompt, session=session)
    request, question = await do(site.open_request), await do(site.open_question)
    before = await do(snapshot_of, session.id)
    async with open_socket(path_of(session), user=await do(site.member, Role.VIEWER)) as socket:
        await socket.ask("hello", after=None)
        assert socket.seen[0]["snapshot"]["can_act"] is False
        for frame_type, fields in (
            ("prompt", {"text": "Let me."}),
            ("abort", {}),
            ("permission.reply", {"request_id": request.public_id, "reply": "once"}),
            ("question.reply", {"question_id": question.public_id, "answers": [["x"]]}),
            ("question.reject", {"question_id": question.public_id}),
        ):
            assert_error(await socket.ask(frame_type, **fields), "not_allowed")
    assert await do(snapshot_of, session.id) == before


async def test_rights_are_looked_at_with_each_frame(site: SessionSite, session: Session) -> None:
    member = await do(site.member)
    async with open_socket(path_of(session), user=member) as socket:
        assert (await socket.ask("prompt", text="One."))["type"] == "ack"
        await Membership.objects.filter(user=member).aupdate(role=Role.VIEWER.value)
        assert_error(await socket.ask("prompt", text="Two."), "not_allowed")


# the socket of one person


async def notice(socket: Socket, kind: str) -> dict[str, Any]:
    return await socket.wait_for("notice", kind=kind)


async def test_a_person_hears_what_waits_in_every_session_of_their_projects(site: SessionSite) -> None:
    site.script(calls(tool_call("bash", command="echo hi"), ASK), text("Done."))
    async with open_socket("/ws/me", user=await do(site.member)) as socket:
        assert (await socket.ask("hello"))["type"] == "ack"
        session = await do(site.open_session)
        await do(site.run_prompt, session=session)
        asked = await notice(socket, "permission.asked")
        assert asked["session_id"] == session.public_id
        assert asked["data"]["needs"][0]["metadata"]["command"] == "echo hi"
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
        await rename(site, session, "before")
        await notice(socket, "session.updated")
        await notice(own, "session.updated")
        await Membership.objects.filter(user=member).adelete()
        async with asyncio.timeout(10):
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
