"""A session's events arrive completely despite lost connections."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest

from agentsite.client import ApiError, Event, events
from agentsite.client.events import TooOld, read_stream
from tests.unit.client.conftest import ScriptedSite
from tests.unit.client.test_connection import FAILURE


def sse(*items: tuple[int, str, Any]) -> str:
    return "".join(f"id: {seq}\nevent: {kind}\ndata: {json.dumps(data)}\n\n" for seq, kind, data in items)


def lines(text: str) -> Iterator[str]:
    return iter(text.split("\n"))


def stream(text: str) -> httpx.Response:
    return httpx.Response(200, text=text)


def test_events_have_their_seq_type_and_data() -> None:
    read = list(read_stream(lines(sse((4, "todos.updated", {"todos": []}), (5, "later.kind", {"a": 1})))))
    assert read == [Event(4, "todos.updated", {"todos": []}), Event(5, "later.kind", {"a": 1})]
    assert [event.view for event in read if event] == [None, None]


def test_a_comment_says_that_nothing_happened() -> None:
    assert list(read_stream(lines(": still here\n\n"))) == [None]


def test_data_in_several_lines_is_one_text() -> None:
    (event,) = read_stream(lines('id: 1\nevent: x\ndata: {"a":\ndata: 1}\n\n'))
    assert event == Event(1, "x", {"a": 1})


def test_what_was_cut_in_the_middle_is_no_event() -> None:
    assert list(read_stream(lines("id: 1\nevent: x\ndata: {}"))) == []


def test_a_reset_says_that_the_cursor_is_too_old() -> None:
    with pytest.raises(TooOld):
        list(read_stream(lines("event: reset\ndata: {}\n\n")))


def test_a_lost_connection_goes_on_after_the_last_event(site: ScriptedSite) -> None:
    site.answers = [
        stream(sse((1, "x", {}), (2, "x", {}))),
        httpx.ConnectError("refused"),
        httpx.Response(503, json={"error": FAILURE}),
        stream(sse((3, "x", {}))),
    ]
    seen = list(islice(site.client.session("ses_1").follow(0), 3))
    assert [event and event.seq for event in seen] == [1, 2, 3]
    assert [request.headers["Last-Event-ID"] for request in site.asked] == ["0", "2", "2", "2"]


def test_lost_rights_end_it(site: ScriptedSite) -> None:
    site.answers = [stream(sse((1, "x", {}))), httpx.Response(404, json={"error": FAILURE})]
    with pytest.raises(ApiError, match="There is no"):
        list(site.client.session("ses_1").follow(0))


def test_every_event_type_of_the_site_is_known(request: pytest.FixtureRequest) -> None:
    """The client knows every event type, except four types for which the API document has no schema."""
    document = request.config.rootpath / "tests" / "contract" / "events.schema.json"
    names = set(json.loads(document.read_text())["events"])
    assert names - set(events.VIEWS) == {"calls.pruned", "messages.reverted", "messages.removed", "todos.updated"}
    assert set(events.VIEWS) <= names
