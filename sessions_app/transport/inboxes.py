"""Receive the messages of each channel-layer group once for this process, and put them into the inboxes that follow it.

A process may have a hundred readers of one group: sockets, streams and waiting requests. A channel in the layer for
each of them would cost a coroutine, locks and tasks for each message. Instead, one task for each group reads one
channel, and all inboxes share its messages, so a message must never be modified.
"""

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Any, Final
from weakref import WeakKeyDictionary

import structlog
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from sessions_app.transport.rights_listener import RightsListener
from sessions_app.transport.shared_tasks import end_task, start_shared

MAX_MESSAGES: Final = 1_000  # in one inbox
RENEW_INTERVAL: Final = 30.0  # seconds; an emptied Valkey has forgotten the groups, and the layer forgets them in a day
RETRY_DELAY: Final = 1.0  # seconds after an error of the channel layer

Message = dict[str, Any]
RIGHTS_CHANGED: Final[Message] = {"type": "rights.changed"}
logger = structlog.get_logger(__name__)


class Inbox:
    """The messages of the groups that one reader follows, oldest first.

    If the reader is slow, the oldest messages are dropped. The reader notices the gap, as if the channel layer had lost
    a message, and reads the log.

    `changes` counts the announced changes of rights that may concern the reader. A reader that has not checked its
    rights since the last change must not send anything. RIGHTS_CHANGED wakes it, before all waiting messages.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._messages: deque[Message] = deque(maxlen=MAX_MESSAGES)
        self._arrived = asyncio.Event()
        self._followed: set[str] = set()

    async def follow(self, group: str) -> None:
        """Subscribe this inbox to a group: messages sent to the group from now on are put into the inbox. Raises
        OSError or RedisError."""
        self._followed.add(group)
        await _groups_here().add(group, self)

    async def unfollow(self, group: str) -> None:
        self._followed.discard(group)
        await _groups_here().remove(group, self)

    async def close(self) -> None:
        """Stop following all groups of this inbox."""
        for group in list(self._followed):
            await self.unfollow(group)

    def put(self, message: Message) -> None:
        self._messages.append(message)
        self._arrived.set()

    def note_change(self) -> None:
        """Record that the access rights of the inbox's reader may have changed, and put the message RIGHTS_CHANGED
        first in the inbox."""
        self.changes += 1
        if not self._messages or self._messages[0] is not RIGHTS_CHANGED:
            self._messages.appendleft(RIGHTS_CHANGED)
        self._arrived.set()

    async def next(self) -> Message:
        """Wait for the next message of the followed groups. Only one coroutine may wait at a time."""
        while not self._messages:
            self._arrived.clear()
            await self._arrived.wait()
        return self._messages.popleft()


class _Group:
    """A channel-layer group that this process follows with one channel."""

    def __init__(self, name: str) -> None:
        self.inboxes: set[Inbox] = set()
        self._name = name
        self._layer: Any = get_channel_layer()
        self._tasks: list[asyncio.Task[None]] = []
        self.joining = start_shared(self._join())

    async def _join(self) -> None:
        self._channel = await self._layer.new_channel()
        await self._layer.group_add(self._name, self._channel)
        self._tasks = [start_shared(self._receive()), start_shared(self._renew())]

    async def leave(self) -> None:
        for task in (self.joining, *self._tasks):
            await end_task(task)
        if self._tasks:
            try:
                await self._layer.group_discard(self._name, self._channel)
            except (OSError, RedisError) as error:  # the layer forgets the channel in a day
                logger.warning("leave_group_failed", group=self._name, error=repr(error))

    async def _receive(self) -> None:
        while True:
            try:
                message = await self._layer.receive(self._channel)
            except (OSError, RedisError) as error:  # the layer may be restarting
                logger.warning("receive_failed", group=self._name, error=repr(error))
                await asyncio.sleep(RETRY_DELAY)
                continue
            for inbox in self.inboxes:
                inbox.put(message)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_INTERVAL)
            try:
                await self._layer.group_add(self._name, self._channel)
            except (OSError, RedisError) as error:
                logger.warning("renew_group_failed", group=self._name, error=repr(error))


class _Groups:
    """The groups that the inboxes of one event loop follow."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._listener: RightsListener | None = None

    async def add(self, name: str, inbox: Inbox) -> None:
        if self._listener is None:
            self._listener = RightsListener(self._note_change)
        group = self._groups.get(name)
        if group is None:
            group = self._groups[name] = _Group(name)
        group.inboxes.add(inbox)
        await asyncio.shield(group.joining)
        await self._listener.attempted()

    async def remove(self, name: str, inbox: Inbox) -> None:
        group = self._groups.get(name)
        if group is None or inbox not in group.inboxes:
            return
        group.inboxes.remove(inbox)
        if not group.inboxes:
            del self._groups[name]
            leaving = start_shared(self._leave(group))
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)
            await asyncio.shield(leaving)

    async def _leave(self, group: _Group) -> None:
        await group.leave()
        if not self._groups and self._listener is not None:
            listener, self._listener = self._listener, None
            await listener.stop()

    def _note_change(self, groups: Collection[str] | None) -> None:
        """Note in the inboxes of these groups, or in all inboxes, that rights have changed."""
        names = self._groups.keys() if groups is None else self._groups.keys() & set(groups)
        for inbox in {inbox for name in names for inbox in self._groups[name].inboxes}:
            inbox.note_change()


_of_loops: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Groups]] = WeakKeyDictionary()


def _groups_here() -> _Groups:
    return _of_loops.setdefault(asyncio.get_running_loop(), _Groups())
