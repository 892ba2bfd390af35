"""The requests that the server has seen, for tests to look at and to wait for."""

import asyncio
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

KEPT_REQUESTS: Final = 500

EntryState = Literal["open", "held", "done", "cut", "disconnected"]
ENDED: Final = ("done", "cut", "disconnected")


@dataclass(slots=True)
class Entry:
    """`held` waits for a release; `cut` was ended by a fault; `disconnected` was left by the client.

    Times are of one monotonic clock, in seconds; between one's end and the next one's opening lies the client's work.
    """

    id: int
    key: str
    step: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    state: EntryState = "open"
    opened_at: float = field(default_factory=time.monotonic)
    ended_at: float | None = None

    def as_dict(self, *, bodies: bool) -> dict[str, Any]:
        entry = self if bodies else replace(self, body={}, headers={})
        return asdict(entry)


class Journal:
    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT_REQUESTS)
        self._changed = asyncio.Condition()
        self._releases: dict[str, asyncio.Event] = {}
        self._next_id = 1

    async def open(self, key: str, step: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Entry:
        entry = Entry(self._next_id, key, step, body, headers)
        self._next_id += 1
        self._entries.append(entry)
        await self.note(entry, "open")
        return entry

    async def note(self, entry: Entry, state: EntryState) -> None:
        async with self._changed:
            entry.state = state
            if state in ENDED:
                entry.ended_at = time.monotonic()
            self._changed.notify_all()

    async def wait_for(
        self, key: str, state: str, at_least: int, seconds: float, *, bodies: bool = True
    ) -> tuple[bool, list[dict[str, Any]]]:
        """Whether there came to be `at_least` matching requests in time, and the ones there are.

        Without `bodies` and headers for who measures: they hold the whole conversation each.
        """
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: sum(1 for _ in self._matching(key, state)) >= at_least)
        except TimeoutError:
            return False, [entry.as_dict(bodies=bodies) for entry in self._matching(key, state)]
        return True, [entry.as_dict(bodies=bodies) for entry in self._matching(key, state)]

    def release(self, name: str) -> None:
        self._release_event(name).set()

    async def released(self, name: str) -> None:
        await self._release_event(name).wait()

    def _release_event(self, name: str) -> asyncio.Event:
        return self._releases.setdefault(name, asyncio.Event())

    def _matching(self, key: str, state: str) -> Iterator[Entry]:
        return (entry for entry in self._entries if key in ("", entry.key) and state in ("", entry.state))
