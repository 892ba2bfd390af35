"""Frames of clients on the WebSocket of a session: invalid ones, and the actions of people."""

import pytest

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Role
from sessions_app.models import Part, Session, Turn
from sessions_app.transport.ws import base
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.sockets import assert_error, do, open_socket, path_of, rename

pytestmark = pytest.mark.one_database

ASK = tool_call("question", questions=[{"question": "Tea?", "header": "Tea", "options": []}])


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHECK_INTERVAL", 0.2)


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
        ('{"type": "ping", "extra": 1}', "unknown_field"),
        ('{"type": "prompt", "text": "x", "agnet": "build"}', "unknown_field"),
        ('{"type": "prompt", "agnet": "build"}', "bad_input"),
        ('{"type": "permission.reply", "request_id": "per_1", "reply": "maybe"}', "bad_input"),
        ('{"type": "prompt"}', "bad_input"),
        ('{"type": "prompt", "text": 5}', "bad_input"),
        ('{"type": "prompt", "text": "  "}', "bad_input"),
        ('{"type": "prompt", "text": "x", "attachments": "att_1"}', "bad_input"),
        ('{"type": "prompt", "text": "x", "attachments": [1]}', "bad_input"),
        ('{"type": "prompt", "text": "x", "attachments": {}}', "bad_input"),
        ('{"type": "prompt", "text": "x", "attachments": ["att_1"]}', "bad_input"),
        ('{"type": "prompt", "text": "x", "output_schema": []}', "bad_input"),
        ('{"type": "prompt", "text": "x", "output_schema": {"type": "array"}}', "bad_input"),
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


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            {"type": "ping", "extra": 1, "more": 2},
            "The 'ping' frame is not valid: 'extra': there is no such field, 'more': there is no such field.",
        ),
        (
            {"type": "prompt", "text": "x", "attachments": [1]},
            "The 'prompt' frame is not valid: 'attachments.0': input should be a valid string.",
        ),
        ({"type": "part.get"}, "The 'part.get' frame is not valid: 'part_id': field required."),
    ],
)
async def test_an_error_names_the_wrong_fields(
    site: SessionSite, session: Session, frame: dict[str, object], message: str
) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.send({"id": 1, **frame})
        answer = await socket.frame()
        assert (answer["id"], answer["error"]["message"]) == (1, message)


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
    site.script(calls(tool_call("bash", command="make hi")), text("Done."))
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
    site.script(calls(tool_call("bash", command="make hi"), ASK))
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
    site.script(calls(tool_call("bash", command="make hi"), ASK))
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


async def test_a_prompt_that_waits_is_changed_and_taken_back(site: SessionSite, session: Session) -> None:
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("prompt", text="Begin.")
        message = (await socket.ask("prompt", text="And tea."))["data"]["message"]["id"]
        answer = await socket.ask("prompt.change", message_id=message, text="And coffee.")
        assert answer["data"]["id"] == message
        answer = await socket.ask("prompt.withdraw", message_id=message)
        assert answer["data"] == {"text": "And coffee.", "attachments": [], "paths": []}
        assert_error(await socket.ask("prompt.withdraw", message_id=message), "not_found")
