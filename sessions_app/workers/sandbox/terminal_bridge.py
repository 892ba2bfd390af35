"""The bridge between a terminal in a workspace and a web server, over the channel layer.

A bridge belongs to one window. It sends the output of the terminal, at most as much as the window acknowledges, and
passes on the input of people. If no more messages come from the web server, the bridge ends; if none come from the
bridge, the web server requests another bridge, which continues at the same position. The terminal keeps running.
"""

import asyncio
import codecs
import time
from collections.abc import Coroutine
from typing import Any, Final

import structlog
from channels.exceptions import ChannelFull
from redis.exceptions import RedisError

from sandbox.errors import SandboxError
from sandbox.runner.terminal_members import INTERRUPTS
from sandbox.terminals import TerminalConnection, TerminalEnded, TerminalPiece, TerminalSize
from sessions_app.workers.sandbox.bridges import new_bridge_channel
from tools_app.masking import Masks

ALIVE_EVERY: Final = 2.0  # seconds without other news after which the bridge says that it lives
SILENCE_SECONDS: Final = 20.0  # without a message of the web server
HOLD_SECONDS: Final = 0.05  # for which what may be the begin of a secret waits for the rest
MAX_WAITING: Final = 16  # pieces of input that wait for the program

logger = structlog.get_logger(__name__)
_running: Final[set["asyncio.Task[None]"]] = set()


class MaskedOutput:
    """A filter that masks secrets in a terminal's output. It holds back the possible beginning of a secret, and knows
    the position in the terminal's output up to which text was passed on."""

    def __init__(self, masks: Masks) -> None:
        self._masks = masks
        self._decoder = _new_decoder()
        self._held = ""
        self._read = 0

    def feed(self, piece: TerminalPiece) -> tuple[int, bytes]:
        """Add output of the terminal. Returns the masked output that can be passed on now, preceded by its end position
        in the terminal's output: (position, bytes)."""
        if piece.resets:
            self._decoder, self._held = _new_decoder(), ""
        self._read = piece.at
        if not self._masks:
            return piece.at, piece.data
        text = self._held + self._decoder.decode(piece.data)
        end = self._masks.held_back(text)
        self._held = text[end:]
        return self._passed(text[:end])

    @property
    def holds(self) -> bool:
        return bool(self._held)

    def release(self) -> tuple[int, bytes]:
        """Return the end position and bytes of the text that `MaskedOutput` still holds as the possible beginning of a
        secret. Called when no more output comes."""
        text, self._held = self._held, ""
        return self._passed(text)

    def _passed(self, text: str) -> tuple[int, bytes]:
        waiting = len(_encoded(self._held)) + len(self._decoder.getstate()[0])
        return self._read - waiting, _encoded(self._masks.mask(text))


class TerminalBridge:
    """A bridge that carries output and input between one terminal and the channel of a web server, which shows the
    terminal in a window. It runs on the background loop."""

    def __init__(self, connection: TerminalConnection, layer: Any, channel: str, masks: Masks) -> None:
        self._connection = connection
        self._layer = layer
        self._channel = channel
        self._output = MaskedOutput(masks)
        self._events: asyncio.Queue[TerminalPiece | TerminalSize | TerminalEnded] = asyncio.Queue()
        self._typed: asyncio.Queue[tuple[Any, bytes]] = asyncio.Queue(MAX_WAITING)
        self._heard_at = time.monotonic()

    async def begin(self) -> str:
        """Start the bridge and return the channel that it listens on."""
        self._inbox = await new_bridge_channel(self._layer)
        task = asyncio.get_running_loop().create_task(self._run(), name="terminal-bridge")
        _running.add(task)
        task.add_done_callback(_running.discard)
        return self._inbox

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for work in (self._read(), self._send_events(), self._take_messages(), self._type()):
                    group.create_task(_until_end(work))
        except* (SandboxError, OSError, RedisError, ChannelFull) as errors:
            logger.info("terminal_bridge_ended", reasons=[repr(error) for error in errors.exceptions])
        except* _Over:
            pass
        finally:
            self._connection.close()

    async def _read(self) -> None:
        while True:
            event = await self._connection.receive()
            await self._events.put(event)
            if isinstance(event, TerminalEnded):
                await asyncio.Event().wait()  # the others end the bridge

    async def _send_events(self) -> None:
        said_at = time.monotonic()
        while True:
            seconds = HOLD_SECONDS if self._output.holds else ALIVE_EVERY
            try:
                event = await asyncio.wait_for(self._events.get(), seconds)
            except TimeoutError:
                if self._output.holds:
                    await self._send_output(*self._output.release(), resets=False, counts=False)
                elif time.monotonic() - self._heard_at > SILENCE_SECONDS:
                    return
                if time.monotonic() - said_at >= ALIVE_EVERY:
                    await self._send({"type": "bridge.alive"})
                    said_at = time.monotonic()
                continue
            said_at = time.monotonic()
            match event:
                case TerminalPiece():
                    at, data = self._output.feed(event)
                    await self._send_output(at, data, resets=event.resets, counts=True)
                case TerminalSize(rows, columns):
                    await self._send({"type": "bridge.size", "rows": rows, "columns": columns})
                case TerminalEnded(reason, exit_code):
                    await self._send_output(*self._output.release(), resets=False, counts=False)
                    await self._send({"type": "bridge.ended", "reason": reason, "exit_code": exit_code})
                    return

    async def _send_output(self, at: int, data: bytes, *, resets: bool, counts: bool) -> None:
        """Send output to the window. With `counts`, the window has to acknowledge this output before much more is
        sent."""
        if data or resets or counts:
            message = {"type": "bridge.output", "at": at, "data": data, "resets": resets, "counts": counts}
            await self._send(message)

    async def _take_messages(self) -> None:
        while True:
            message = await self._layer.receive(self._inbox)
            self._heard_at = time.monotonic()
            match message["type"]:
                case "bridge.taken":
                    await self._connection.acknowledge()
                case "bridge.resize":
                    await self._connection.resize(message["rows"], message["columns"])
                case "bridge.input":
                    await self._queue_input(message["id"], message["data"])
                case "bridge.leave":
                    return

    async def _queue_input(self, number: Any, data: bytes) -> None:
        """Queue input for the terminal. A key such as Ctrl-C is typed at once, and discards queued input that the
        program has not read."""
        if data in INTERRUPTS:
            while not self._typed.empty():
                await self._confirm(self._typed.get_nowait()[0])
            await self._connection.type(data)
            await self._confirm(number)
        elif self._typed.full():
            await self._send({"type": "bridge.full", "id": number})
        else:
            self._typed.put_nowait((number, data))

    async def _type(self) -> None:
        while True:
            number, data = await self._typed.get()
            await self._connection.type(data)
            await self._confirm(number)

    async def _confirm(self, number: Any) -> None:
        await self._send({"type": "bridge.typed", "id": number})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._layer.send(self._channel, message)


async def _until_end(work: Coroutine[Any, Any, None]) -> None:
    """Await `work`, then raise the exception that ends the terminal bridge."""
    await work
    raise _Over


class _Over(Exception):
    """Raised to end a terminal bridge that has nothing more to do."""


def _new_decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
