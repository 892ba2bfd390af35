"""The DevTools protocol over a browser's pipe: JSON messages, each followed by a zero byte.

The browser is untrusted: it shows pages of anybody, and programs of the workspace run as the same user. Sizes and times
are limited, and malformed data ends the connection.
"""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import structlog

from sandbox.errors import SandboxError
from sandbox.ports import Process

MAX_MESSAGE_BYTES: Final = 16 << 20
MAX_BYTES_OF_ACTION: Final = 64 << 20
"""The most bytes that a browser may send between the beginnings of two actions, so that a page cannot keep a worker
busy by writing to its console for ever."""
MAX_REASON_CHARACTERS: Final = 300  # of a browser's own error message
CALL_SECONDS: Final = 30.0

Fields = Mapping[str, Any]
EventHandler = Callable[[str, Fields, str], None]
logger = structlog.get_logger(__name__)


class BrowserFailed(Exception):
    """The browser has ended, or does not work as expected. `message` is a sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestRefused(BrowserFailed):
    """The browser refused one request. It is still running."""


class NoAnswer(BrowserFailed):
    """The page did not answer in time, because its script, or a resource that it waits for, hangs."""


class Devtools:
    """A connection to a running browser. It ends with the browser or on `close`."""

    def __init__(self, process: Process, on_event: EventHandler) -> None:
        self._process = process
        self._on_event = on_event
        self._ids = itertools.count(1)
        self._open: dict[int, asyncio.Future[Fields]] = {}
        self._messages = MessageParser()
        self.failure: BrowserFailed | None = None
        self._reading = asyncio.create_task(self._read(), name="browser-reader")

    async def call(
        self, method: str, parameters: Fields | None = None, *, page: str = "", seconds: float | None = None
    ) -> Fields:
        """Send a request and return its result. `page` is the id of the page's session in the protocol.

        Raises RequestRefused if the browser answers with an error, NoAnswer if it does not answer within `seconds`
        (CALL_SECONDS if none are given), and BrowserFailed if it ends.
        """
        if self.failure:
            raise self.failure
        number, seconds = next(self._ids), CALL_SECONDS if seconds is None else seconds
        message = {"id": number, "method": method, "params": parameters or {}, **({"sessionId": page} if page else {})}
        future: asyncio.Future[Fields] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        try:
            async with asyncio.timeout(seconds):
                await self._process.send(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\0")
                return await future
        except SandboxError as error:
            raise self.failure or BrowserFailed("The browser has ended.") from error
        except TimeoutError as error:
            raise NoAnswer(f"The page did not answer within {seconds:g} s.") from error
        finally:
            self._open.pop(number, None)

    def begin_action(self) -> None:
        """Reset the count of received bytes, whose limit applies to each action."""
        self._messages.received = 0

    def close(self) -> None:
        self._fail(BrowserFailed("The browser was closed."))
        self._reading.cancel()
        self._process.close()

    async def _read(self) -> None:
        try:
            while data := await self._process.receive():
                for message in self._messages.feed(data):
                    self._dispatch(message)
            end = self._process.end
            words = " ".join(end.words.decode("utf-8", "replace").split())[-MAX_REASON_CHARACTERS:] if end else ""
            code = f" with exit code {end.exit_code}" if end else ""
            self._fail(BrowserFailed(f"The browser has ended{code}{f': {words}' if words else ''}."))
        except SandboxError as error:
            self._fail(BrowserFailed(f"The browser cannot be reached: {error.message}"))
        except BrowserFailed as failure:
            self._fail(failure)
        except Exception as error:  # requests must fail, since their answers are no longer read
            logger.error("browser_not_understood", exc_info=error)
            self._fail(BrowserFailed("The browser sent a message that could not be understood."))
        finally:
            self._process.close()

    def _dispatch(self, message: Fields) -> None:
        number = message.get("id")
        if not isinstance(number, int):
            parameters, session = message.get("params"), message.get("sessionId")
            if isinstance(parameters, dict) and isinstance(message.get("method"), str):
                self._on_event(message["method"], parameters, session if isinstance(session, str) else "")
            return
        future = self._open.get(number)
        if future is None or future.done():
            return
        error, result = message.get("error"), message.get("result")
        if isinstance(error, dict):
            future.set_exception(RequestRefused(str(error.get("message"))[:MAX_REASON_CHARACTERS]))
        else:
            future.set_result(result if isinstance(result, dict) else {})

    def _fail(self, failure: BrowserFailed) -> None:
        """Record the first failure and raise it in all open requests."""
        self.failure = self.failure or failure
        for future in self._open.values():
            if not future.done():
                future.set_exception(self.failure)


class MessageParser:
    """An incremental parser that extracts messages from received bytes."""

    def __init__(self) -> None:
        self.received = 0
        self._pieces: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[Fields]:
        """Add received bytes and return the messages that are complete. Raises BrowserFailed for malformed data."""
        self.received += len(data)
        if self.received > MAX_BYTES_OF_ACTION:
            raise BrowserFailed(
                f"The browser was ended: the page made it send more than {MAX_BYTES_OF_ACTION >> 20} MiB of messages."
            )
        *ends, rest = data.split(b"\0")
        found = []
        for end in ends:
            found.append(_parsed(b"".join([*self._pieces, end])))
            self._pieces, self._length = [], 0
        self._pieces.append(rest)
        self._length += len(rest)
        if self._length > MAX_MESSAGE_BYTES:
            raise BrowserFailed(
                f"The browser was ended: the page is too large to be read (more than {MAX_MESSAGE_BYTES >> 20} MiB)."
            )
        return found


def _parsed(body: bytes) -> Fields:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BrowserFailed("The browser sent a message that is not JSON.") from error
    if not isinstance(message, dict):
        raise BrowserFailed("The browser sent a message that is not an object.")
    return message
