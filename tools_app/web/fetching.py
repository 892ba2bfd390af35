"""fetch(): fetch one page through a guarded process, and let the caller decide about each redirect."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools_app.web.address import parse_address
from tools_app.web.orders import WebOrder
from tools_app.web.process import GuardedProcess, ProcessFailed

PROGRAM: Final = "tools_app.web.guarded"
MAX_BODY_BYTES: Final = 5 * 1024 * 1024  # of a response, both compressed and decompressed
EXTRA_SECONDS: Final = 30.0
"""Time that the process gets in addition to the time for the network: to start, and to convert the page."""

PageForm = Literal["text", "file", "other", "error"]


class FetchError(Exception):
    """The page could not be fetched. The message says why, for the model."""


class RedirectStopped(FetchError):
    """The page redirects to `url`, and the rules do not allow following it without asking."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


@dataclass(frozen=True, slots=True)
class FetchOrder(WebOrder):
    """A request for one page."""

    wanted: str
    """The format in which the page is returned: "markdown", "text" or "html"."""

    def as_message(self) -> dict[str, Any]:
        return {**WebOrder.as_message(self), "wanted": self.wanted, "limit": MAX_BODY_BYTES}


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was fetched."""

    url: str
    """The address after all redirects."""
    status: int
    reason: str
    media_type: str
    form: PageForm
    """What `content` is: UTF-8 text, a file as it was received, or nothing ("other" types and errors)."""
    received: int
    """Bytes of the response body."""
    content: bytes


class _Message(BaseModel):
    """A message of the process that fetches a page. It is validated too, because the process has read hostile data."""

    model_config = ConfigDict(strict=True, extra="ignore")

    kind: Literal["redirect", "page", "refused", "failed"]
    url: str = ""
    status: int = 0
    reason: str = ""
    message: str = ""
    media_type: str = ""
    form: PageForm = "other"
    received: int = 0


async def fetch(order: FetchOrder, may_follow: Callable[[str, str], Awaitable[bool]]) -> Page:
    """Fetch a page. `may_follow(from_url, to_url)` decides about each redirect. Raises FetchError."""
    try:
        async with GuardedProcess(PROGRAM, seconds=order.seconds + EXTRA_SECONDS) as process:
            await process.send(order.as_message())
            return await _until_page(process, order, may_follow)
    except ProcessFailed as failure:
        why = "took too long to read" if failure.late else "could not be read: the process that fetches it ended early"
        raise FetchError(f"{order.url} {why}. Try another page.") from failure


async def _until_page(
    process: GuardedProcess, order: FetchOrder, may_follow: Callable[[str, str], Awaitable[bool]]
) -> Page:
    url = order.url
    while True:
        message, content = await _receive(process)
        if message.kind == "page":
            return Page(
                message.url, message.status, message.reason, message.media_type, message.form, message.received, content
            )
        if message.kind != "redirect":
            raise FetchError(message.message)
        if not await may_follow(url, message.url):
            raise RedirectStopped(message.url)
        url = message.url
        await process.send({"follow": True})


async def _receive(process: GuardedProcess) -> tuple[_Message, bytes]:
    data, content = await process.receive()
    try:
        message = _Message.model_validate(data)
        if message.url:
            parse_address(message.url)
    except (ValidationError, ValueError) as error:
        raise ProcessFailed("it sent an invalid message") from error
    return message, content
