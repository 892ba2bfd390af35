"""The journal of requests that the demo model received. Tests read it and wait for its entries."""

import asyncio
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

MAX_KEPT_REQUESTS: Final = 500

EntryState = Literal["open", "held", "done", "cut", "disconnected"]
END_STATES: Final = ("done", "cut", "disconnected")


@dataclass(slots=True)
class JournalEntry:
    """One request and the state of its answer. `key` and `step` name the script's step that answers it.

    States: `open` is being answered, `held` waits for a release, `cut` was ended by a fault, `disconnected` was ended
    by the client. `opened_at`, `held_at` and `ended_at` are seconds of the monotonic clock of this machine. The time
    between the end of one request and the start of the next is the time that the client needed. Chunks before a hold
    were sent just before `held_at`.
    """

    id: int
    key: str
    step: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    state: EntryState = "open"
    opened_at: float = field(default_factory=time.monotonic)
    held_at: float | None = None
    ended_at: float | None = None

    def as_dict(self, *, bodies: bool) -> dict[str, Any]:
        """Return the entry as JSON data, with empty `body` and `headers` unless `bodies` is true."""
        entry = self if bodies else replace(self, body={}, headers={})
        return asdict(entry)


class Journal:
    """The newest requests to the demo model, and named releases: a held answer continues when its release is posted."""

    def __init__(self) -> None:
        self._entries: deque[JournalEntry] = deque(maxlen=MAX_KEPT_REQUESTS)
        self._changed = asyncio.Condition()
        self._releases: dict[str, asyncio.Event] = {}
        self._next_id = 1

    async def open(self, key: str, step: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> JournalEntry:
        """Add the entry of a new request to the journal."""
        entry = JournalEntry(self._next_id, key, step, body, headers)
        self._next_id += 1
        self._entries.append(entry)
        await self.set_state(entry, "open")
        return entry

    async def set_state(self, entry: JournalEntry, state: EntryState) -> None:
        async with self._changed:
            entry.state = state
            if state == "held":
                entry.held_at = time.monotonic()
            if state in END_STATES:
                entry.ended_at = time.monotonic()
            self._changed.notify_all()

    async def wait_for(
        self, key: str, state: str, at_least: int, seconds: float, *, bodies: bool = True
    ) -> tuple[bool, list[dict[str, Any]]]:
        """Wait up to `seconds` for `at_least` matching requests. Return whether there are enough, and the requests that
        were found.

        An empty `key` or `state` matches every request. `bodies=False` leaves out bodies and headers: each body holds
        a whole conversation, which would disturb measurements.
        """
        try:
            async with asyncio.timeout(seconds), self._changed:
                await self._changed.wait_for(lambda: sum(1 for _ in self._matching(key, state)) >= at_least)
        except TimeoutError:
            return False, [entry.as_dict(bodies=bodies) for entry in self._matching(key, state)]
        return True, [entry.as_dict(bodies=bodies) for entry in self._matching(key, state)]

    def release(self, name: str) -> None:
        """Continue all answers that wait for the release `name`. Answers that wait for it later continue at once."""
        self._release_event(name).set()

    async def wait_for_release(self, name: str) -> None:
        await self._release_event(name).wait()

    def _release_event(self, name: str) -> asyncio.Event:
        return self._releases.setdefault(name, asyncio.Event())

    def _matching(self, key: str, state: str) -> Iterator[JournalEntry]:
        return (entry for entry in self._entries if key in ("", entry.key) and state in ("", entry.state))
