"""Follow channel-layer groups for one client, such as an event stream or a waiting request, as long as the client has
the right to them.

Rights are checked before the first message, after each announced change, when the token expires, and otherwise every
RIGHTS_INTERVAL. Data that was read before a failed check must not be sent: call `may_send` before each text.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from sessions_app.transport import session_stream
from sessions_app.transport.inboxes import Inbox, Message
from sessions_app.transport.rights_checks import is_due, read_rights

RIGHTS_INTERVAL: Final = 10.0  # seconds; changes of rights are announced, so this is for those that nobody announced


class Following:
    """The channel-layer groups that one client follows, with checks of the client's right to follow them."""

    def __init__(
        self, inbox: Inbox, is_allowed: Callable[[], bool], seconds_left: Callable[[], float], interval: float
    ) -> None:
        self._inbox = inbox
        self._is_allowed = is_allowed
        self._seconds_left = seconds_left
        self._interval = interval
        self._checked = -1
        self._checked_at = 0.0

    async def messages(self) -> AsyncIterator[Message | None]:
        """Yield the messages of the groups as they arrive, and None if none has arrived for the poll interval. Ends
        when the client loses the right to receive them."""
        while await self.may_send():
            yield await self.next()

    async def may_send(self) -> bool:
        """Return whether the client may still get data that was already read. The rights are read only if they may have
        changed."""
        while self._must_check():
            changes, began = self._inbox.changes, time.monotonic()
            if not await read_rights(self._is_allowed) or self._seconds_left() <= 0:
                return False
            self._checked, self._checked_at = changes, began
        return True

    def _must_check(self) -> bool:
        return (
            self._checked != self._inbox.changes
            or is_due(self._checked_at, self._interval)
            or self._seconds_left() <= 0
        )

    @property
    def changes(self) -> int:
        """The number of changes of rights, noted so far, that may concern this client."""
        return self._inbox.changes

    async def next(self) -> Message | None:
        """Wait for the next message. Returns None after the poll interval, and when the client's rights end."""
        try:
            async with asyncio.timeout(min(session_stream.POLL_INTERVAL, self._seconds_left())):
                return await self._inbox.next()
        except TimeoutError:
            return None


@asynccontextmanager
async def following(
    groups: Sequence[str],
    *,
    is_allowed: Callable[[], bool],
    seconds_left: Callable[[], float],
    interval: float | None = None,
) -> AsyncIterator[Following]:
    """Context manager that subscribes to channel-layer groups and yields a `Following`. `is_allowed` queries whether
    the client may still receive their messages; `seconds_left` returns the seconds after which this right ends at the
    latest. `interval` is the time in seconds between two regular checks, RIGHTS_INTERVAL by default."""
    inbox = Inbox()
    try:
        for group in groups:
            await inbox.follow(group)
        yield Following(inbox, is_allowed, seconds_left, RIGHTS_INTERVAL if interval is None else interval)
    finally:
        await inbox.close()
