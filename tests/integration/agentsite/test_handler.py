"""Each request runs in a thread that no other request uses at the same time; later requests reuse it."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from agentsite.http.handler import RequestHandler

PATIENCE: Final = 20  # seconds, of a busy machine
Respond = Callable[[HttpRequest], HttpResponseBase]


def thread_name() -> str:
    return threading.current_thread().name


def show_thread(_request: HttpRequest) -> HttpResponseBase:
    return HttpResponse(thread_name())


async def ask(handler: RequestHandler) -> str:
    application: Any = handler
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        return (await client.get("/")).text


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Callable[[Respond], RequestHandler]:
    def respond_with(respond: Respond) -> RequestHandler:
        made = RequestHandler()
        monkeypatch.setattr(made, "get_response", respond)
        return made

    return respond_with


async def test_requests_one_after_another_share_few_threads(handler: Callable[[Respond], RequestHandler]) -> None:
    asked = handler(show_thread)
    used = {await ask(asked) for _ in range(100)}
    assert thread_name() not in used
    assert len(used) < 10  # a thread may still be ending one request when the next one begins


async def test_a_connection_is_opened_used_and_put_back_in_the_thread_of_the_request(
    handler: Callable[[Respond], RequestHandler],
) -> None:
    signals: list[str] = []

    def note(**_: object) -> None:
        signals.append(thread_name())

    for signal in (request_started, request_finished):
        signal.connect(note)
    try:
        used = await ask(handler(show_thread))
    finally:
        for signal in (request_started, request_finished):
            signal.disconnect(note)
    assert signals == [used, used]


async def test_requests_at_the_same_time_have_threads_of_their_own(
    handler: Callable[[Respond], RequestHandler],
) -> None:
    together = threading.Barrier(30)

    def meet(request: HttpRequest) -> HttpResponseBase:
        together.wait(PATIENCE)
        return show_thread(request)

    asked = handler(meet)
    names = await asyncio.gather(*(ask(asked) for _ in range(together.parties)))
    assert len(set(names)) == together.parties
    together.reset()
    again = await asyncio.gather(*(ask(asked) for _ in range(together.parties)))
    assert 0 < len(set(names) & set(again)) < together.parties  # only some are kept


async def test_the_thread_of_a_request_that_was_cancelled_is_used_again_only_when_its_work_has_ended(
    handler: Callable[[Respond], RequestHandler],
) -> None:
    working, go_on = threading.Event(), threading.Event()
    busy: list[str] = []

    def work_once(request: HttpRequest) -> HttpResponseBase:
        if not busy:
            busy.append(thread_name())
            working.set()
            go_on.wait(PATIENCE)
        return show_thread(request)

    asked = handler(work_once)
    cancelled = asyncio.create_task(ask(asked))
    await asyncio.to_thread(working.wait, PATIENCE)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    try:
        assert await ask(asked) != busy[0]
    finally:
        go_on.set()
    async with asyncio.timeout(PATIENCE):
        while busy[0] not in await asyncio.gather(*(ask(asked) for _ in range(3))):
            pass
