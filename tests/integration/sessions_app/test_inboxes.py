"""Each process receives the messages of a channel group once, for all inboxes that follow the group."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import redis
from channels.layers import get_channel_layer
from django.conf import settings

from sessions_app.transport import inboxes
from sessions_app.transport.inboxes import Inbox
from sessions_app.transport.shared_tasks import start_shared
from tests.support.sockets import do

TIMEOUT_SECONDS = 10.0


@pytest.fixture
def group() -> str:
    return f"test.{uuid.uuid4().hex}"


@asynccontextmanager
async def inbox_of(*groups: str) -> AsyncIterator[Inbox]:
    inbox = Inbox()
    try:
        for group in groups:
            await inbox.follow(group)
        yield inbox
    finally:
        await inbox.close()


async def publish(group: str, text: str) -> None:
    await get_channel_layer().group_send(group, {"type": "test", "text": text})


async def texts(inbox: Inbox, count: int) -> list[str]:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        return [(await inbox.next())["text"] for _ in range(count)]


def members(group: str) -> int:
    client: Any = redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET))
    return int(client.zcard(get_channel_layer()._group_key(group)))


async def test_all_inboxes_of_a_group_share_one_channel_and_each_message(group: str) -> None:
    async with inbox_of(group) as one, inbox_of(group) as two:
        assert await do(members, group) == 1
        await publish(group, "hello")
        async with asyncio.timeout(TIMEOUT_SECONDS):
            assert await one.next() is await two.next()


async def test_messages_arrive_in_order(group: str) -> None:
    async with inbox_of(group) as inbox:
        for number in range(50):
            await publish(group, str(number))
        assert await texts(inbox, 50) == [str(number) for number in range(50)]


async def test_an_inbox_gets_the_messages_of_all_its_groups_and_no_others(group: str) -> None:
    async with inbox_of(group, f"{group}.b") as both, inbox_of(f"{group}.b") as second:
        await publish(group, "first")
        assert await texts(both, 1) == ["first"]
        await publish(f"{group}.b", "second")
        assert (await texts(both, 1), await texts(second, 1)) == (["second"], ["second"])


async def test_one_that_closes_leaves_the_others_their_messages(group: str) -> None:
    async with inbox_of(group) as stays:
        async with inbox_of(group):
            pass
        await publish(group, "later")
        assert await texts(stays, 1) == ["later"]


async def test_the_last_one_that_closes_leaves_the_group(group: str) -> None:
    async with inbox_of(group), inbox_of(group):
        pass
    assert await do(members, group) == 0


async def test_a_slow_reader_loses_the_oldest_messages_and_holds_up_nobody(
    group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inboxes, "MAX_MESSAGES", 3)
    async with inbox_of(group) as slow, inbox_of(group) as quick:
        read = []
        for number in range(5):
            await publish(group, str(number))
            read += await texts(quick, 1)
        assert read == ["0", "1", "2", "3", "4"]
        assert await texts(slow, 3) == ["2", "3", "4"]


async def test_an_emptied_valkey_is_joined_again(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inboxes, "RENEW_INTERVAL", 0.05)
    async with inbox_of(group) as inbox:
        await do(redis.Redis(unix_socket_path=str(settings.VALKEY_SOCKET)).flushall)
        await _until(lambda: members(group) == 1)
        await publish(group, "again")
        assert await texts(inbox, 1) == ["again"]


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not await do(condition):
            await asyncio.sleep(0.01)


async def test_a_shared_task_ends_at_one_cancellation_even_if_its_work_swallows_it() -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(TIMEOUT_SECONDS)
        except asyncio.CancelledError:
            await asyncio.sleep(TIMEOUT_SECONDS)

    task = start_shared(stubborn())
    for _ in range(2):
        await asyncio.sleep(0)
    task.cancel()
    async with asyncio.timeout(TIMEOUT_SECONDS / 2):
        await asyncio.wait([task])
    assert task.cancelled()
