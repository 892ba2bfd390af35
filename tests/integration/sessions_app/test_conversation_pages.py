"""Long conversations load the newest messages first and older ones in pages. Calls, requests and messages that are
still open are always included."""

import json
from typing import Any, Final

import pytest

from sessions_app.events.conversation import MAX_BYTES
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import Message, Part, PermissionRequest, Session, ToolCall, Turn, WorkspaceNote
from sessions_app.transport.ws import base
from tests.support.asking import DEPLOYS, MAKEFILE
from tests.support.costs import counted
from tests.support.lanes import fewer
from tests.support.long_session import fill_session
from tests.support.model_server import calls, text
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite, snapshot_of
from tests.support.sockets import do, open_socket, path_of

LISTS: Final = (
    "turns",
    "messages",
    "parts",
    "calls",
    "permission_requests",
    "questions",
    "workspace_notes",
    "alternatives",
)
PAGE_STATEMENTS: Final = 9  # messages, and each of the lists with what it needs; the page's message, its session


@pytest.fixture
def session(site: SessionSite) -> Session:
    return site.open_session()


@pytest.fixture
def api(site: SessionSite) -> RestApi:
    return RestApi(site.user)


def newest(session: Session, limit: int) -> dict[str, Any]:
    return read_snapshot(session.pk, can_act=True, limit=limit).model_dump(mode="json")


def ids(page: dict[str, Any], name: str) -> list[str]:
    return [row["id"] for row in page[name]]


def follow_pages(api: RestApi, session: Session, first: dict[str, Any], limit: int) -> list[dict[str, Any]]:
    """Return the first page of a conversation and all older pages."""
    pages = [first]
    while (before := pages[-1]["older"]) is not None:
        pages.append(api("get", f"/sessions/{session.public_id}/conversation?before={before}&limit={limit}"))
    return pages


def test_pages_add_up_to_the_whole_conversation(site: SessionSite, session: Session, api: RestApi) -> None:
    for _ in range(3):
        fill_session(session, turns=2, steps=3)
        WorkspaceNote.objects.create(session=session, workspace=site.workspace, kind="started", text="It started.")
    whole = snapshot_of(session.pk)
    pages = follow_pages(api, session, newest(session, 4), 4)
    assert [len(page["messages"]) for page in pages] == [4] * 7 + [2]
    for name in LISTS:
        found = {row["id"]: row for page in reversed(pages) for row in page[name]}
        assert list(found.values()) == whole[name], name
    assert sum(len(page["messages"]) for page in pages) == len(whole["messages"])
    assert sum(len(page["workspace_notes"]) for page in pages) == 3


def test_a_short_conversation_is_whole(session: Session, api: RestApi) -> None:
    fill_session(session, turns=1, steps=2)
    assert newest(session, 4) == snapshot_of(session.pk)
    page = api("get", f"/sessions/{session.public_id}/conversation?limit=4")
    assert page == {name: snapshot_of(session.pk)[name] for name in (*LISTS, "older")}


def test_a_page_ends_where_its_bytes_end_and_has_one_message_at_least(session: Session) -> None:
    fill_session(session, turns=1, steps=10, output="ü" * (MAX_BYTES // 8))
    fill_session(session, turns=1, steps=1, output="x" * MAX_BYTES)
    first = newest(session, 50)
    assert len(first["messages"]) == 1
    second = read_snapshot(session.pk, can_act=True, limit=2)
    assert [row.text for row in second.parts] == ["Turn 0 is done."]
    Message.objects.filter(session=session).order_by("-id")[0].delete()
    assert len(newest(session, 50)["messages"]) == 1
    Message.objects.filter(session=session).order_by("-id")[0].delete()
    assert len(newest(session, 50)["messages"]) == 5


def test_what_is_open_is_included_at_any_age(site: SessionSite, session: Session, api: RestApi) -> None:
    site.write("Makefile", MAKEFILE)
    site.script(calls(DEPLOYS), text("Done."))
    turn = site.run_prompt(session=session)
    call = ToolCall.objects.get(turn=turn)
    for number in range(4):
        message = Message.objects.create(session=session, turn=turn, role="user", author=site.user)
        Part.objects.create(session=session, message=message, index=0, type="text", text=f"Also {number}")
    first = newest(session, 2)
    assert ids(first, "messages")[0] == call.message.public_id
    assert len(first["messages"]) == 3
    assert ids(first, "calls") == [call.public_id]
    assert [row["state"] for row in first["permission_requests"]] == ["open"]
    assert ids(first, "turns") == [turn.public_id]
    pages = follow_pages(api, session, first, 2)
    found = {row for page in pages for row in ids(page, "messages")}
    assert found == set(ids(snapshot_of(session.pk), "messages"))


def test_a_message_that_is_being_written_is_included_at_any_age(site: SessionSite, session: Session) -> None:
    turn = Turn.objects.create(session=session, state="running")
    written = Message.objects.create(session=session, turn=turn, role="assistant", state="streaming")
    Turn.objects.filter(pk=turn.pk).update(answer_id=written.pk)
    for _ in range(3):
        Message.objects.create(session=session, turn=turn, role="user", author=site.user)
    assert ids(newest(session, 1), "messages")[0] == written.public_id


def test_requests_that_were_answered_come_with_their_messages(
    site: SessionSite, session: Session, api: RestApi
) -> None:
    site.write("Makefile", MAKEFILE)
    site.script(calls(DEPLOYS), text("Done."))
    site.run_prompt(session=session)
    site.reply("once")
    site.pump.run()
    fill_session(session, turns=2, steps=1)
    first = newest(session, 2)
    assert first["permission_requests"] == []
    older = [row for page in follow_pages(api, session, first, 2) for row in ids(page, "permission_requests")]
    assert older == [PermissionRequest.objects.get(session=session).public_id]


def test_thousands_of_parts_fit_into_one_frame_with_a_bounded_number_of_statements(
    site: SessionSite, session: Session, api: RestApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = fewer(100, default=30)
    assert fill_session(session, turns=turns, steps=49) == turns * 100
    first = newest(session, 50)
    assert len(first["messages"]) == 50
    assert len(json.dumps(first)) < 500_000
    path = f"/sessions/{session.public_id}/conversation?before={first['older']}"
    api("get", path)
    with counted(monkeypatch) as meter:
        page = api("get", path)
    assert len(page["messages"]) > 50
    assert len([one for one in meter.statements if "sessions_app" in one]) == PAGE_STATEMENTS, meter.statements


@pytest.mark.parametrize("limit", [0, 201])
def test_a_limit_is_between_1_and_200(session: Session, api: RestApi, limit: int) -> None:
    for path in ("snapshot", "conversation"):
        error = api.error("get", f"/sessions/{session.public_id}/{path}?limit={limit}", expect=400)
        assert error["fields"] == {"limit": "must be between 1 and 200"}


def test_before_is_a_message_of_the_session(site: SessionSite, session: Session, api: RestApi) -> None:
    other = site.open_session()
    fill_session(other, turns=1, steps=0)
    stranger = Message.objects.filter(session=other)[0].public_id
    for before in (stranger, "msg_1", session.public_id):
        api.error("get", f"/sessions/{session.public_id}/conversation?before={before}", expect=404)


async def test_a_socket_keeps_the_limit_of_its_hello(
    site: SessionSite, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "CHECK_INTERVAL", 0.2)
    await do(fill_session, session, turns=2, steps=3)
    async with open_socket(path_of(session), user=site.user) as socket:
        await socket.ask("hello", after=None, limit=3)
        assert socket.seen[0]["snapshot"] == await do(newest, session, 3)
        await socket.ask("hello", after=999, limit=3)
        again = [frame["snapshot"] for frame in socket.seen if frame["type"] == "snapshot"]
        assert [len(one["messages"]) for one in again] == [3, 3]
        await socket.ask("hello", after=None)
        whole = [frame["snapshot"] for frame in socket.seen if frame["type"] == "snapshot"][-1]
        assert whole == await do(snapshot_of, session.pk)
