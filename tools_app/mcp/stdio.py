"""The stdio transport of MCP over a program in a sandbox: one JSON-RPC message in each line.

The program is untrusted. The size of each message, and of all messages within one period, is limited. Lines that are
not messages are skipped and counted, because servers often print other text on stdout.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from sandbox.errors import SandboxError
from sandbox.ports import Process

MAX_MESSAGE_BYTES: Final = 16 << 20
MAX_PERIOD_BYTES: Final = 64 << 20
MAX_PERIOD_MESSAGES: Final = 20_000
"""Limits of the data that a server may send between two requests, so that a server which never stops cannot keep a
worker busy."""
MAX_NOISE_LINES: Final = 1_000
INLINE_BYTES: Final = 1 << 18  # longer messages are parsed in a thread
MAX_SHOWN_NOISE: Final = 300  # characters


class TooMuch(Exception):
    """The server sent too much. The message is a verb phrase: "sent a message of more than 16 MiB"."""


class Allowance:
    """The number of bytes, messages and other lines that a server may still send for one request."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Reset the remaining bytes, messages and other lines, because a request is about to be sent."""
        self._bytes = MAX_PERIOD_BYTES
        self._messages = MAX_PERIOD_MESSAGES
        self._noise = MAX_NOISE_LINES

    def take_bytes(self, count: int) -> None:
        self._bytes -= count
        if self._bytes < 0:
            raise TooMuch(f"sent more than {MAX_PERIOD_BYTES >> 20} MiB for one request")

    def take_message(self) -> None:
        self._messages -= 1
        if self._messages < 0:
            raise TooMuch(f"sent more than {MAX_PERIOD_MESSAGES:,} messages for one request")

    def take_noise(self) -> None:
        self._noise -= 1
        if self._noise < 0:
            raise TooMuch("writes text that is no JSON-RPC message on its stdout; it does not seem to be an MCP server")


class Lines:
    """A splitter of received bytes into lines."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Add bytes and return the lines that are complete. Raises TooMuch for a line that is too long."""
        *ends, rest = data.split(b"\n")
        found = []
        for piece in ends:
            found.append(bytes(self._rest + piece))
            self._rest.clear()
        self._rest += rest
        if len(self._rest) > MAX_MESSAGE_BYTES or any(len(line) > MAX_MESSAGE_BYTES for line in found):
            raise TooMuch(f"sent a message of more than {MAX_MESSAGE_BYTES >> 20} MiB")
        return found


@asynccontextmanager
async def connected(
    process: Process, allowance: Allowance, note: Callable[[str], None], ended: Callable[[str], None]
) -> AsyncIterator[TransportStreams]:
    """Connect an MCP client to a server program over the program's stdin and stdout.

    `note` is called with lines that are not messages. `ended` is called once, with the reason, when the program can
    send no more messages.
    """
    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_client = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = (
        asyncio.create_task(_read(process, allowance, note, ended, to_client), name="mcp-reader"),
        asyncio.create_task(_write(process, from_client), name="mcp-writer"),
    )
    try:
        yield incoming, outgoing
    finally:
        for task in tasks:
            task.cancel()
        process.close()
        for stream in (to_client, incoming, outgoing, from_client):
            stream.close()


async def _read(
    process: Process,
    allowance: Allowance,
    note: Callable[[str], None],
    ended: Callable[[str], None],
    to_client: Any,
) -> None:
    lines, reason = Lines(), ""
    try:
        while data := await process.receive():
            allowance.take_bytes(len(data))
            for line in lines.feed(data):
                message = await _parsed(line, allowance, note)
                if message is not None:
                    await to_client.send(message)
        reason = exit_reason(process)
    except SandboxError as error:
        reason = f"cannot be reached: {error.message}"
    except TooMuch as error:
        reason = str(error)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        reason = "was stopped"
    finally:
        ended(reason or "was stopped")
        to_client.close()


async def _write(process: Process, from_client: Any) -> None:
    with suppress(SandboxError, anyio.EndOfStream, anyio.ClosedResourceError):
        async for message in from_client:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.send(text.encode() + b"\n")


async def _parsed(line: bytes, allowance: Allowance, note: Callable[[str], None]) -> SessionMessage | None:
    if not line.strip():
        return None
    try:
        message = _message(line) if len(line) < INLINE_BYTES else await asyncio.to_thread(_message, line)
    except (ValueError, RecursionError):
        allowance.take_noise()
        note(line[:MAX_SHOWN_NOISE].decode("utf-8", "replace"))
        return None
    allowance.take_message()
    return message


def _message(line: bytes) -> SessionMessage:
    """Parse a line as a message of the protocol. Raises ValueError or RecursionError.

    Output schemas are removed, because the library would check answers against them on the event loop, with patterns
    that may never finish.
    """
    data = json.loads(line)
    tools = (
        data.get("result", {}).get("tools") if isinstance(data, dict) and isinstance(data.get("result"), dict) else 0
    )
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict):
            tool.pop("outputSchema", None)
    return SessionMessage(types.jsonrpc_message_adapter.validate_python(data, by_name=False))


def exit_reason(process: Process) -> str:
    """Return a verb phrase that says how the program ended, with the last part of its stderr."""
    if process.end is None:
        return "ended"
    words = process.end.words.decode("utf-8", "replace").strip()[-1_000:]
    how = f"ended with exit code {process.end.exit_code}" if process.end.reason == "exited" else "was stopped"
    return f"{how}{f': {words}' if words else ''}"
