"""Fetching one page through a guarded process, and judging each redirect on the way."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.web.address import parse_address
from tools_app.web.orders import WebOrder
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.web.guarded"
LARGEST: Final = 5 * 1024 * 1024  # bytes of an answer, as it comes and decompressed
AFTERWARDS: Final = 30.0
"""Seconds that the process may live on when the time for the network is over: to read the page, and to start."""

Form = Literal["text", "file", "other", "error"]


class FetchError(Exception):
    """There is no page; the text says why, for the model."""


class RedirectStopped(FetchError):
    """The page is elsewhere, at `url`, and the rules do not let it be followed without a word."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True, slots=True)
class FetchOrder(WebOrder):
    """An order for one page."""

    wanted: str
    """The format in which the page is returned: "markdown", "text" or "html"."""

    def as_message(self) -> dict[str, Any]:
        return {**WebOrder.as_message(self), "wanted": self.wanted, "limit": LARGEST}


@dataclass(frozen=True, slots=True)
class Page:
    """`url` is where it really came from; `received` its bytes; `content` is text in UTF-8, or the file itself."""

    url: str
    status: int
    reason: str
    media_type: str
    form: Form
    received: int
    content: bytes


class _Said(BaseModel):
    """What may stand in a line of the process. It has read hostile data, so it is not believed in form either."""

    model_config = ConfigDict(strict=True, extra="ignore")

    kind: Literal["redirect", "page", "refused", "failed"]
    url: str = ""
    status: int = 0
    reason: str = ""
    message: str = ""
    media_type: str = ""
    form: Form = "other"
    received: int = 0


async def fetch(order: FetchOrder, may_follow: Callable[[str, str], Awaitable[bool]]) -> Page:
    """`may_follow(from, to)` is asked before each redirect is followed. Raises FetchError."""
    try:
        async with GuardedProcess(PROGRAM, seconds=order.seconds + AFTERWARDS) as process:
            await process.say(order.as_message())
            return await _converse(process, order, may_follow)
    except ProcessFailed as failure:
        why = "took too long to read" if failure.late else "could not be read: the process that fetched it ended early"
        raise FetchError(f"{order.url} {why}. Try another page.") from failure


async def _converse(
    process: GuardedProcess, order: FetchOrder, may_follow: Callable[[str, str], Awaitable[bool]]
) -> Page:
    place = order.url
    while True:
        said, content = await _hear(process)
        if said.kind == "page":
            return Page(said.url, said.status, said.reason, said.media_type, said.form, said.received, content)
        if said.kind != "redirect":
            raise FetchError(said.message)
        if not await may_follow(place, said.url):
            raise RedirectStopped(said.url)
        place = said.url
        await process.say({"follow": True})


async def _hear(process: GuardedProcess) -> tuple[_Said, bytes]:
    message, content = await process.hear()
    try:
        said = _Said.model_validate(message)
        if said.url:
            parse_address(said.url)
    except (ValidationError, ValueError) as error:
        raise ProcessFailed("it answered what it must not") from error
    return said, content
