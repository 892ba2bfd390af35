"""Read instructions from the addresses that configuration documents name. Requests are sent by a guarded process.

A repository must not send requests unasked: an address that only its files name is fetched if the rules allow
`webfetch` of it without asking anybody. Addresses in the documents of the site, a team and a project are chosen by
their admins. The last text of each address is stored and used while the address does not answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings

from tools_app.text import clean
from tools_app.web.address import BadAddress, parse_address
from tools_app.web.documents import fetch_document
from tools_app.web.fetching import FetchError
from tools_app.web.rules import AddressRefused, WebRules

NETWORK_SECONDS: Final = 5.0
SECONDS: Final = 15.0  # with the start of the process, also on a busy machine
MAX_ADDRESSES: Final = 10  # of one folder
LIMIT: Final = 32_768  # bytes of one text
KEPT_SECONDS: Final = 3600.0
RETRY_SECONDS: Final = 300.0  # after a failure
ALLOWED_WITHIN_SECONDS: Final = 60.0  # after a rule was changed
MAX_KEPT: Final = 500  # texts that this process keeps
NOT_ALLOWED: Final = (
    "It was not fetched: a file of the repository names it, and the rules do not allow `webfetch` of it without asking."
    " Allow it with a rule, or put the text into the repository."
)

MayFetch = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A cached result of fetching one address: a text, or the reason why there is none. It is valid until the time
    `until`."""

    text: str
    problem: str
    until: float


_kept: dict[str, _Kept] = {}


@dataclass(slots=True)
class FetchedInstructions:
    """The instructions that were read from web addresses. `found` has the texts with their addresses; `results` has one
    entry for each address, with the same keys as the entry of a file pattern. `seconds` is how long they are valid."""

    found: list[dict[str, str]] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = KEPT_SECONDS

    def add(self, address: str, text: str, problem: str) -> None:
        if text:
            self.found.append({"path": address, "text": text})
        if problem:
            self.seconds = min(self.seconds, ALLOWED_WITHIN_SECONDS if problem == NOT_ALLOWED else RETRY_SECONDS)
        self.results.append({"pattern": address[:300], "paths": [address] if text else [], "problem": problem})


@dataclass(frozen=True, slots=True)
class AddressReader:
    """A reader of instructions at web addresses for a workspace. `before` maps addresses to stored texts, which are
    used while an address does not answer."""

    may_fetch: MayFetch
    before: Mapping[str, str]

    async def read(self, wanted: Sequence[str], trusted: frozenset[str], *, room: int) -> FetchedInstructions:
        """Return the contents of the addresses `wanted`, each with a problem, if any. Addresses in `trusted` are
        fetched even if no rule allows it. `room` is the maximum total size in bytes."""
        made = FetchedInstructions()
        chosen = wanted[:MAX_ADDRESSES]
        texts = await asyncio.gather(*(self._text(each, is_trusted=each in trusted) for each in chosen))
        for address, (text, problem) in zip(chosen, texts, strict=True):
            size = len(text.encode())
            if size > room:
                made.add(address, "", "All instructions together are too large.")
            else:
                room -= size
                made.add(address, text, problem)
        for address in wanted[MAX_ADDRESSES:]:
            made.add(address, "", f"Only {MAX_ADDRESSES} addresses are read.")
        return made

    async def _text(self, text: str, *, is_trusted: bool) -> tuple[str, str]:
        """Return the content at the address `text`, and a problem or "". If fetching fails, the previous content is
        returned."""
        try:
            address = parse_address(text)
            WebRules.exempting(settings.WEB_ALLOW).check(address)
        except (BadAddress, AddressRefused) as error:
            return "", clean(str(error))[:300]
        if not is_trusted and not await self.may_fetch(str(address)):
            return "", NOT_ALLOWED
        kept = await _kept_or_fetched(str(address))
        if kept.problem and text in self.before:
            return self.before[text], f"{kept.problem} The text that was read before still applies."
        return kept.text, kept.problem


async def _kept_or_fetched(address: str) -> _Kept:
    kept = _kept.get(address)
    if kept is None or kept.until < time.monotonic():
        kept = await _fetched(address)
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        _kept[address] = kept
    return kept


async def _fetched(address: str) -> _Kept:
    try:
        async with asyncio.timeout(SECONDS):
            content = await fetch_document(
                address, seconds=NETWORK_SECONDS, allowed=settings.WEB_ALLOW, certificates=settings.WEB_CERTIFICATES
            )
    except TimeoutError:
        return _failed(f"{address} did not answer in time.")
    except FetchError as error:
        return _failed(str(error))
    if len(content) > LIMIT:
        return _failed(f"It is larger than {LIMIT:,} bytes.")
    text = content.decode("utf-8-sig", "replace").replace("\0", "").strip()
    return _Kept(text, "", time.monotonic() + KEPT_SECONDS) if text else _failed("It is empty.")


def _failed(problem: str) -> _Kept:
    return _Kept("", clean(problem)[:300], time.monotonic() + RETRY_SECONDS)
