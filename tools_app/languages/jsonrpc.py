"""JSON-RPC over a program's stdin and stdout, framed as in the Language Server Protocol.

The program is untrusted: it may be anything that runs in the sandbox. The size of each message and of all messages
together is limited, and malformed data ends the connection.
"""

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import structlog

from sandbox.errors import SandboxError
from sandbox.ports import Process

MAX_MESSAGE_BYTES: Final = 8 << 20
MAX_HEADER_BYTES: Final = 4_096
MAX_UNSENT_BYTES: Final = 64 << 20
MAX_RECEIVED_BYTES: Final = 1 << 28
"""In one connection, so that a server which never stops sending cannot keep a worker busy forever."""
METHOD_NOT_FOUND: Final = -32601  # error code of JSON-RPC
MAX_REASON_CHARACTERS: Final = 500  # of a server's own error message

Params = Any
Message = dict[str, Any]
logger = structlog.get_logger(__name__)


class ServerFailed(Exception):
    """The server ended, violated the protocol or refused a request.

    `message` is a predicate to which the caller prepends the server's name ("did not start within 45 s").
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestRefused(ServerFailed):
    """The server refused or did not answer a request, but is still running."""


class UnknownMethod(Exception):
    """Raised by a request handler for a method that it does not support."""


RequestHandler = Callable[[str, Params], Any]
NotificationHandler = Callable[[str, Params], None]


class Connection:
    """A JSON-RPC connection to a running program. Call `begin` to start it. It ends with the program or on `close`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._unsent: asyncio.Queue[bytes] = asyncio.Queue()
        self._unsent_bytes = 0
        self._tasks: list[asyncio.Task[None]] = []
        self.failure: ServerFailed | None = None

    def begin(self, answer: RequestHandler, notice: NotificationHandler) -> None:
        """Start reading and writing messages.

        `answer` returns the result of a request that the program sends; `notice` is called with a notification from it.
        """
        self._tasks = [
            asyncio.create_task(self._read(answer, notice), name="language-server-reader"),
            asyncio.create_task(self._write(), name="language-server-writer"),
        ]

    async def request(self, method: str, params: Params, *, timeout_seconds: float) -> Any:
        """Send a request and return its result.

        Raises ServerFailed if the server ends meanwhile, RequestRefused if it returns an error, and TimeoutError after
        `timeout_seconds` seconds.
        """
        self._require_alive()
        number = next(self._ids)
        future = self._open[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_seconds):
                self._send({"id": number, "method": method, "params": params})
                return await future
        except (TimeoutError, asyncio.CancelledError):
            if self.failure is None:
                self._send({"method": "$/cancelRequest", "params": {"id": number}})
            raise
        finally:
            del self._open[number]

    def notify(self, method: str, params: Params) -> None:
        """Send a notification. Raises ServerFailed if the server has ended."""
        self._require_alive()
        self._send({"method": method, "params": params})

    def close(self) -> None:
        self._fail(ServerFailed("was stopped"))
        self._end()

    def _require_alive(self) -> None:
        if self.failure:
            raise self.failure

    def _send(self, message: Message) -> None:
        """Queue a message for a writing task, so that a server that does not read its input cannot block our reading.

        Raises ServerFailed if too much data is waiting to be sent.
        """
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode("ascii")
        data = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        self._unsent_bytes += len(data)
        if self._unsent_bytes > MAX_UNSENT_BYTES:
            self._fail(ServerFailed("does not read its input"))
            self._require_alive()
        self._unsent.put_nowait(data)

    async def _write(self) -> None:
        try:
            while self.failure is None:
                data = await self._unsent.get()
                await self._process.send(data)
                self._unsent_bytes -= len(data)
        except SandboxError:
            return  # the server has ended; the reading task reports the reason

    async def _read(self, answer: RequestHandler, notice: NotificationHandler) -> None:
        try:
            messages = MessageParser()
            while data := await self._process.receive():
                for message in messages.feed(data):
                    self._dispatch(message, answer, notice)
            self._fail(ServerFailed(self._exit_reason()))
        except SandboxError as error:
            self._fail(ServerFailed(f"cannot be reached: {error.message}"))
        except ServerFailed as failure:
            self._fail(failure)
        except Exception as error:  # pending requests must fail, since their responses are no longer read
            logger.error("language_server_not_understood", exc_info=error)
            self._fail(ServerFailed("sent a message that could not be understood"))
        finally:
            self._end()

    def _end(self) -> None:
        self._process.close()
        for task in self._tasks:
            task.cancel()

    def _exit_reason(self) -> str:
        end = self._process.end
        words = end.words.decode("utf-8", "replace").strip()[-MAX_REASON_CHARACTERS:] if end else ""
        return f"ended unexpectedly{f': {words}' if words else ''}"

    def _dispatch(self, message: Message, answer: RequestHandler, notice: NotificationHandler) -> None:
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self._settle(number, message)
        elif number is None:
            notice(method, message.get("params"))
        else:
            self._send({"id": number, **_answered(answer, method, message.get("params"))})

    def _settle(self, number: Any, message: Message) -> None:
        """Complete the pending request `number` with its response. Responses to cancelled and unknown requests are
        dropped."""
        future = self._open.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, Mapping):
            future.set_exception(RequestRefused(str(error.get("message"))[:MAX_REASON_CHARACTERS]))
        else:
            future.set_result(message.get("result"))

    def _fail(self, failure: ServerFailed) -> None:
        """Record the first failure and raise it in all pending requests."""
        if self.failure is None:
            self.failure = failure
            for future in self._open.values():
                if not future.done():
                    future.set_exception(failure)


def _answered(answer: RequestHandler, method: str, params: Params) -> Message:
    try:
        return {"result": answer(method, params)}
    except UnknownMethod:
        return {"error": {"code": METHOD_NOT_FOUND, "message": "This client does not support the method."}}


class MessageParser:
    """An incremental parser that extracts messages from received bytes."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._received = 0

    def feed(self, data: bytes) -> list[Message]:
        """Add received bytes and return the messages that are complete. Raises ServerFailed for malformed data."""
        self._bytes += data
        self._received += len(data)
        if self._received > MAX_RECEIVED_BYTES:
            raise ServerFailed("sent more data than is allowed")
        found = []
        while body := self._next():
            found.append(_parsed(body))
        return found

    def _next(self) -> bytes | None:
        head_end = self._bytes.find(b"\r\n\r\n", 0, MAX_HEADER_BYTES)
        if head_end < 0:
            if len(self._bytes) >= MAX_HEADER_BYTES:
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
            if 0 < length <= MAX_MESSAGE_BYTES:
                return length
            raise ServerFailed("sent a message with an invalid size")
    raise ServerFailed("does not speak the Language Server Protocol")


def _parsed(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ServerFailed("sent a message that is not JSON") from error
    if not isinstance(message, dict):
        raise ServerFailed("sent a message that is not an object")
    return message
