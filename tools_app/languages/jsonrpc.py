"""Messages of JSON-RPC over a program's stdin and stdout, as the Language Server Protocol frames them.

What a server says is untrusted: it may be anything that runs in the sandbox. Messages and their sum have limits,
and whatever is not a message ends the conversation.
"""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import structlog

from sandbox.errors import SandboxError
from sandbox.ports import Process

LARGEST_MESSAGE: Final = 8 << 20
LARGEST_HEAD: Final = 4_096
MOST_UNSENT: Final = 64 << 20
MOST_TOLD: Final = 1 << 28
"""Bytes in one conversation, so that a server which talks without end does not keep a worker busy for ever."""
METHOD_NOT_FOUND: Final = -32601
LONGEST_REASON: Final = 500

Params = Any
Message = dict[str, Any]
logger = structlog.get_logger(__name__)


class ServerFailed(Exception):
    """The server ended, broke the protocol or refused; `message` is a sentence without its name."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(ServerFailed):
    """It lives, and did not do what was asked."""


class Unknown(Exception):
    """Raised by those who answer a server's requests for what they do not know."""


Answer = Callable[[str, Params], Any]
Notice = Callable[[str, Params], None]


class Conversation:
    """Begun with `begin`; ended by itself when the program ends."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._unsent: asyncio.Queue[bytes] = asyncio.Queue()
        self._unsent_bytes = 0
        self._tasks: list[asyncio.Task[None]] = []
        self.failure: ServerFailed | None = None

    def begin(self, answer: Answer, notice: Notice) -> None:
        """`answer` gives the result of what the server asks, `notice` hears what it says unasked."""
        self._tasks = [
            asyncio.create_task(self._listen(answer, notice), name="language-server-listens"),
            asyncio.create_task(self._speak(), name="language-server-speaks"),
        ]

    async def request(self, method: str, params: Params, *, patience: float) -> Any:
        """ServerFailed when it ends meanwhile, Refused when it says no, TimeoutError when it says nothing."""
        self._require_living()
        number = next(self._ids)
        future = self._open[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(patience):
                self._send({"id": number, "method": method, "params": params})
                return await future
        except (TimeoutError, asyncio.CancelledError):
            if self.failure is None:
                self._send({"method": "$/cancelRequest", "params": {"id": number}})
            raise
        finally:
            del self._open[number]

    def notify(self, method: str, params: Params) -> None:
        self._require_living()
        self._send({"method": method, "params": params})

    def close(self) -> None:
        self._fail(ServerFailed("was stopped"))
        self._end()

    def _require_living(self) -> None:
        if self.failure:
            raise self.failure

    def _send(self, message: Message) -> None:
        """As soon as it listens: one that asks a lot and reads nothing must not keep us from reading."""
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
        data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        self._unsent_bytes += len(data)
        if self._unsent_bytes > MOST_UNSENT:
            self._fail(ServerFailed("does not listen"))
            self._require_living()
        self._unsent.put_nowait(data)

    async def _speak(self) -> None:
        try:
            while self.failure is None:
                data = await self._unsent.get()
                await self._process.send(data)
                self._unsent_bytes -= len(data)
        except SandboxError:
            return  # it has ended; whoever listens says why

    async def _listen(self, answer: Answer, notice: Notice) -> None:
        try:
            messages = Messages()
            while data := await self._process.receive():
                for message in messages.feed(data):
                    self._take(message, answer, notice)
            self._fail(ServerFailed(self._last_words()))
        except SandboxError as error:
            self._fail(ServerFailed(f"cannot be reached: {error.message}"))
        except ServerFailed as failure:
            self._fail(failure)
        except Exception as error:  # nobody must go on waiting for a server that is not listened to any more
            logger.error("language_server_not_understood", exc_info=error)
            self._fail(ServerFailed("said what could not be understood"))
        finally:
            self._end()

    def _end(self) -> None:
        self._process.close()
        for task in self._tasks:
            task.cancel()

    def _last_words(self) -> str:
        end = self._process.end
        words = end.words.decode("utf-8", "replace").strip()[-LONGEST_REASON:] if end else ""
        return f"ended by itself{f': {words}' if words else ''}"

    def _take(self, message: Message, answer: Answer, notice: Notice) -> None:
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self._settle(number, message)
        elif number is None:
            notice(method, message.get("params"))
        else:
            self._send({"id": number, **_answered(answer, method, message.get("params"))})

    def _settle(self, number: Any, message: Message) -> None:
        """One that nobody waits for any more is dropped."""
        future = self._open.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, Mapping):
            future.set_exception(Refused(str(error.get("message"))[:LONGEST_REASON]))
        else:
            future.set_result(message.get("result"))

    def _fail(self, failure: ServerFailed) -> None:
        if self.failure is None:
            self.failure = failure
            for future in self._open.values():
                if not future.done():
                    future.set_exception(failure)


def _answered(answer: Answer, method: str, params: Params) -> Message:
    try:
        return {"result": answer(method, params)}
    except Unknown:
        return {"error": {"code": METHOD_NOT_FOUND, "message": "This client does not know that."}}


class Messages:
    """Messages from bytes as they come."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._told = 0

    def feed(self, data: bytes) -> list[Message]:
        """Those that are complete now. ServerFailed for what is no message."""
        self._bytes += data
        self._told += len(data)
        if self._told > MOST_TOLD:
            raise ServerFailed("said more than one may")
        found = []
        while body := self._next():
            found.append(_parsed(body))
        return found

    def _next(self) -> bytes | None:
        head_end = self._bytes.find(b"\r\n\r\n", 0, LARGEST_HEAD)
        if head_end < 0:
            if len(self._bytes) >= LARGEST_HEAD:
                raise ServerFailed("does not speak the Language Server Protocol")
            return None
        end = head_end + 4 + _length(bytes(self._bytes[:head_end]))
        if len(self._bytes) < end:
            return None
        body = bytes(self._bytes[head_end + 4 : end])
        del self._bytes[:end]
        return body


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
            if 0 < length <= LARGEST_MESSAGE:
                return length
            raise ServerFailed("sent a message of a size that none may have")
    raise ServerFailed("does not speak the Language Server Protocol")


def _parsed(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ServerFailed("sent a message that is not JSON") from error
    if not isinstance(message, dict):
        raise ServerFailed("sent a message that is not an object")
    return message
