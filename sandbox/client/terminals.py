"""Client side of the terminals of a workspace."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, cast, get_args

from sandbox.client import answers
from sandbox.client.answers import Fields
from sandbox.client.transport import Channel
from sandbox.errors import ProtocolError, SandboxLost, SandboxUnavailable
from sandbox.runner.streams import WINDOW
from sandbox.runner.terminal_members import INTERRUPTS
from sandbox.terminals import (
    TerminalConnection,
    TerminalEnd,
    TerminalEnded,
    TerminalEvent,
    TerminalInfo,
    TerminalPiece,
    TerminalRequest,
    TerminalSize,
)

EVENTS: Final = ("output", "size", "taken")
MAX_PIECE_BYTES: Final = 1 << 17
MAX_SIZE: Final = 1_000  # rows or columns
LOST: Final = "The sandbox ended while this terminal was open in it."


class TerminalRequests:
    """The methods of `RunnerRuntime` for terminals."""

    async def _request(
        self, operation: str, body: bytes = b"", *, answer_timeout: float = 30.0, **arguments: Any
    ) -> tuple[Fields, bytes]:
        raise NotImplementedError

    async def _send(self, header: dict[str, Any], body: bytes = b"") -> Channel:
        raise NotImplementedError

    async def start_terminal(self, request: TerminalRequest) -> TerminalInfo:
        answer, _ = await self._request(
            "terminal_start",
            id=request.terminal_id,
            rows=request.rows,
            columns=request.columns,
            label=dict(request.label),
            env=dict(request.env),
            command=request.command,
            folder=request.folder,
            seconds=request.seconds,
        )
        return to_terminal(answer.fields("terminal"))

    async def terminals(self) -> Sequence[TerminalInfo]:
        _, body = await self._request("terminal_list")
        return [to_terminal(item) for item in answers.decode_list(body)]

    async def attach_terminal(self, terminal_id: str, *, after: int | None = None) -> TerminalConnection:
        channel = await self._send({"op": "terminal_attach", "id": terminal_id, "after": after})
        return RunnerTerminal(channel)

    async def type_terminal(self, terminal_id: str, data: bytes, *, input_id: str = "") -> TerminalInfo:
        answer, _ = await self._request("terminal_type", data, id=terminal_id, input=input_id)
        return to_terminal(answer.fields("terminal"))

    async def resize_terminal(self, terminal_id: str, rows: int, columns: int) -> TerminalInfo:
        answer, _ = await self._request("terminal_resize", id=terminal_id, rows=rows, columns=columns)
        return to_terminal(answer.fields("terminal"))

    async def terminal_screen(self, terminal_id: str) -> tuple[TerminalInfo, bytes]:
        answer, body = await self._request("terminal_screen", id=terminal_id)
        return to_terminal(answer.fields("terminal")), body

    async def end_terminal(self, terminal_id: str) -> bool:
        answer, _ = await self._request("terminal_end", id=terminal_id)
        return answer.flag("ended")


class RunnerTerminal:
    """The implementation of `sandbox.terminals.TerminalConnection` over a channel to the runner.

    Only one coroutine may call `receive`; any coroutine may call the other methods.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._sending = asyncio.Lock()
        self._window = asyncio.Semaphore(WINDOW)
        self._unacknowledged = 0
        self._open_inputs: deque[bool] = deque()
        """For each unacknowledged input, the oldest first, whether it counts against the window."""

    async def receive(self) -> TerminalEvent:
        while True:
            try:
                header, body = await self._channel.receive()
            except SandboxUnavailable as error:
                raise SandboxLost(LOST) from error
            answer = Fields(header)
            answers.raise_error(answer)
            if not answer.has("event"):
                reason = cast(TerminalEnd, answer.one_of("end", get_args(TerminalEnd)))
                return TerminalEnded(reason, answer.integer("exit_code"))
            match answer.one_of("event", EVENTS):
                case "output":
                    return self._piece(answer, body)
                case "size":
                    return TerminalSize(_size(answer, "rows"), _size(answer, "columns"))
                case _:
                    self._note_taken()

    async def acknowledge(self) -> None:
        self._unacknowledged -= 1
        with suppress(SandboxLost):  # it has ended; the next `receive` says how
            await self._send_frame({"event": "taken"})

    async def type(self, data: bytes) -> None:
        takes_place = data not in INTERRUPTS
        if takes_place:
            await self._window.acquire()
        self._open_inputs.append(takes_place)
        await self._send_frame({"event": "input"}, data)

    async def resize(self, rows: int, columns: int) -> None:
        await self._send_frame({"event": "resize", "rows": rows, "columns": columns})

    def close(self) -> None:
        self._channel.close()

    def _piece(self, answer: Fields, body: bytes) -> TerminalPiece:
        self._unacknowledged += 1
        if self._unacknowledged > WINDOW or len(body) > MAX_PIECE_BYTES:
            raise ProtocolError("The sandbox's runner sent more output of a terminal than allowed.")
        return TerminalPiece(answer.integer("at"), body, answer.flag("reset"))

    def _note_taken(self) -> None:
        if not self._open_inputs:
            raise ProtocolError("The sandbox's runner acknowledged more input than was sent.")
        if self._open_inputs.popleft():
            self._window.release()

    async def _send_frame(self, header: dict[str, Any], body: bytes = b"") -> None:
        async with self._sending:
            try:
                await self._channel.send(header, body)
            except SandboxUnavailable as error:
                raise SandboxLost(LOST) from error


def to_terminal(answer: Fields) -> TerminalInfo:
    label = answer.fields("label")
    return TerminalInfo(
        terminal_id=answer.text("id"),
        label={name: label.text(name) for name in ("opened_by", "session") if label.has(name)},
        command=answer.text("command") if answer.has("command") else "",  # older runners know none
        rows=_size(answer, "rows"),
        columns=_size(answer, "columns"),
        started_at=answer.number("started_at"),
        input_at=answer.number("input_at"),
        output_at=answer.number("output_at"),
        total=answer.integer("total"),
        end=cast(TerminalEnd | Any, answer.one_of("end", ("", *get_args(TerminalEnd)))),
        exit_code=answer.integer("exit_code"),
        watchers=answer.integer("watchers"),
        is_busy=answer.flag("busy"),
    )


def _size(answer: Fields, name: str) -> int:
    number = answer.integer(name)
    if not 1 <= number <= MAX_SIZE:
        raise ProtocolError("The sandbox's runner sent an impossible size of a terminal.")
    return number
