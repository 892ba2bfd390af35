"""The connection over Chrome's DevTools protocol, with a browser that a test scripts."""

import asyncio
import json
from typing import Any

import pytest

from sandbox.errors import SandboxLost
from sandbox.ports import ProcessEnd
from tools_app.browser import devtools
from tools_app.browser.devtools import BrowserFailed, Devtools, MessageParser, NoAnswer, RequestRefused


class ScriptedBrowser:
    """A fake browser process that answers requests from `answers`, by the method of the request."""

    def __init__(self, answers: dict[str, Any] | None = None) -> None:
        self.answers = answers or {}
        self.requests: list[dict[str, Any]] = []
        self.end: ProcessEnd | None = None
        self.closed = False
        self._output: asyncio.Queue[bytes] = asyncio.Queue()

    async def send(self, data: bytes) -> None:
        if self.closed:
            raise SandboxLost("This program has ended.")
        request = json.loads(data.removesuffix(b"\0"))
        self.requests.append(request)
        if request["method"] in self.answers:
            self.say({"id": request["id"], **self.answers[request["method"]]})

    def say(self, message: Any) -> None:
        self._output.put_nowait(json.dumps(message).encode() + b"\0")

    def say_raw(self, data: bytes) -> None:
        self._output.put_nowait(data)

    async def receive(self) -> bytes:
        return await self._output.get()

    def close(self) -> None:
        self.closed = True


async def test_requests_get_their_answers_and_events_are_passed_on() -> None:
    events: list[Any] = []
    browser = ScriptedBrowser({"A.b": {"result": {"x": 1}}, "A.no": {"error": {"message": "Not so."}}})
    connection = Devtools(browser, lambda *event: events.append(event))

    browser.say({"method": "Page.loaded", "params": {"y": 2}, "sessionId": "s"})
    assert await connection.call("A.b", {"p": 1}, page="s") == {"x": 1}
    with pytest.raises(RequestRefused, match="Not so"):
        await connection.call("A.no")

    assert browser.requests[0] == {"id": 1, "method": "A.b", "params": {"p": 1}, "sessionId": "s"}
    assert events == [("Page.loaded", {"y": 2}, "s")]
    assert connection.failure is None
    connection.close()
    with pytest.raises(BrowserFailed, match="was closed"):
        await connection.call("A.b")


async def test_an_answer_that_does_not_come_ends_the_request_and_not_the_browser() -> None:
    connection = Devtools(ScriptedBrowser(), lambda *_: None)
    with pytest.raises(NoAnswer, match=r"did not answer within 0\.01 s"):
        await connection.call("A.b", seconds=0.01)
    assert connection.failure is None
    connection.close()


async def test_the_end_of_the_browser_ends_all_requests() -> None:
    browser = ScriptedBrowser()
    connection = Devtools(browser, lambda *_: None)
    waiting = asyncio.create_task(connection.call("A.b"))
    await asyncio.sleep(0)
    browser.end = ProcessEnd("exited", 139, b"Segmentation fault\n")
    browser.say_raw(b"")
    with pytest.raises(BrowserFailed, match="has ended with exit code 139: Segmentation fault"):
        await waiting
    assert browser.closed


@pytest.mark.parametrize("data", [b"{\0", b"3\0", b"[" * 100_000 + b"\0", b"\xff\0"])
async def test_malformed_messages_end_the_connection(data: bytes) -> None:
    browser = ScriptedBrowser()
    connection = Devtools(browser, lambda *_: None)
    browser.say_raw(data)
    with pytest.raises(BrowserFailed, match="a message that is not"):
        await connection.call("A.b")


def test_messages_are_found_however_they_are_cut() -> None:
    data = b'{"a": 1}\0{"b": 2}\0{"c": 3}\0'
    for size in (1, 3, 10, 100):
        parser = MessageParser()
        found = [message for at in range(0, len(data), size) for message in parser.feed(data[at : at + size])]
        assert found == [{"a": 1}, {"b": 2}, {"c": 3}]


def test_a_page_that_sends_too_much_ends_its_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devtools, "MAX_MESSAGE_BYTES", 100)
    with pytest.raises(BrowserFailed, match="too large to be read"):
        MessageParser().feed(b"x" * 101)
    monkeypatch.setattr(devtools, "MAX_BYTES_OF_ACTION", 100)
    with pytest.raises(BrowserFailed, match="more than 0 MiB of messages"):
        MessageParser().feed(b'{"a": 1}\0' * 20)
