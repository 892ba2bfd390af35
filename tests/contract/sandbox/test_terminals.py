"""Terminals: interactive shells that continue to run while no window shows them."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from sandbox.errors import LimitReached, NotFound, SandboxRefused
from sandbox.terminals import (
    TerminalConnection,
    TerminalEnded,
    TerminalInfo,
    TerminalPiece,
    TerminalRequest,
    TerminalSize,
)
from tests.contract.sandbox.conftest import Sandbox, new_id

KEPT = 1 << 20
SLACK = 1 << 18
SLEEPER = "sh -c 'echo now; exec sleep 1000'"  # says so itself: the child of bash has no handler for SIGINT by then


class Screen:
    """A window that shows a terminal, with everything that it received."""

    def __init__(self, connection: TerminalConnection) -> None:
        self.connection = connection
        self.text = b""
        self.at = 0
        self.resets = 0
        self.size = (0, 0)
        self.end: TerminalEnded | None = None

    async def take(self) -> None:
        """Receive the next message of the terminal, and apply it to the screen."""
        match await self.connection.receive():
            case TerminalPiece(at, data, resets):
                self.resets += resets
                self.text = data if resets else self.text + data
                self.at = at
                await self.connection.acknowledge()
            case TerminalSize(rows, columns):
                self.size = (rows, columns)
            case TerminalEnded() as end:
                self.end = end

    async def until(self, pattern: bytes) -> bytes:
        """Receive messages until the text matches; return the first group of the match, or the match if it has no
        group."""
        async with asyncio.timeout(30):
            while not (found := re.search(pattern, self.text)):
                await self.take()
        return found[1] if found.groups() else found[0]

    async def type(self, text: str) -> None:
        await self.connection.type(text.encode())


async def start(sandbox: Sandbox) -> TerminalInfo:
    request = TerminalRequest(new_id(), label={"opened_by": "usr_1"}, env={"PS1": "> ", "COLOUR": "blue"})
    return await sandbox.runtime.start_terminal(request)


@asynccontextmanager
async def shown(sandbox: Sandbox, terminal: TerminalInfo, *, after: int | None = None) -> AsyncIterator[Screen]:
    screen = Screen(await sandbox.runtime.attach_terminal(terminal.terminal_id, after=after))
    try:
        yield screen
    finally:
        screen.connection.close()


@asynccontextmanager
async def opened(sandbox: Sandbox) -> AsyncIterator[tuple[TerminalInfo, Screen]]:
    terminal = await start(sandbox)
    try:
        async with shown(sandbox, terminal) as screen:
            yield terminal, screen
    finally:
        await sandbox.runtime.end_terminal(terminal.terminal_id)
        await gone(sandbox, terminal)


async def listed(sandbox: Sandbox, terminal: TerminalInfo) -> TerminalInfo | None:
    found = [each for each in await sandbox.runtime.terminals() if each.terminal_id == terminal.terminal_id]
    return found[0] if found else None


async def happens(check: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await check():
            await asyncio.sleep(0.02)


async def gone(sandbox: Sandbox, terminal: TerminalInfo) -> None:
    async def is_gone() -> bool:
        found = await listed(sandbox, terminal)
        return found is None or bool(found.end)

    await happens(is_gone)


async def test_a_shell_has_a_terminal_of_its_own(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, screen):
        await screen.type("test -t 0 -a -t 2 && echo a$((40 + 2)) $COLOUR $TERM; pwd\n")
        assert await screen.until(rb"[\r\n]a42 (.*)\r\n") == b"blue xterm-256color"
        assert terminal.label == {"opened_by": "usr_1"}
        assert screen.size == (24, 80)


async def test_its_size_follows_the_window(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (_, screen):
        await screen.connection.resize(40, 132)
        await screen.type("echo size $(stty size)\n")
        await screen.until(rb"[\r\n]size 40 132\r\n")
        while screen.size != (40, 132):
            await screen.take()


async def test_ctrl_c_interrupts_a_program(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, screen):
        await screen.type(f"{SLEEPER}\n")
        await screen.until(rb"[\r\n]now\r\n")

        async def is_busy() -> bool:
            found = await listed(sandbox, terminal)
            return found is not None and found.is_busy

        await happens(is_busy)
        await screen.type("\x03")
        await screen.type("echo code $?\n")
        assert await screen.until(rb"[\r\n]code (\d+)\r\n") == b"130"


async def test_ctrl_c_overtakes_what_a_program_does_not_read(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (_, screen):
        await screen.type(f"{SLEEPER}\n")
        await screen.until(rb"[\r\n]now\r\n")
        pasting = [asyncio.create_task(screen.type("x" * 200_000)) for _ in range(3)]
        await screen.until(rb"xxx")
        await screen.type("\x03")
        await asyncio.gather(*pasting)
        await screen.type("\x15echo code $((100 + 1))\n")
        await screen.until(rb"[\r\n]code 101\r\n")


async def test_it_lives_on_when_nobody_watches_it(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, first):
        await first.type("x=remembered; echo first window\n")
        await first.until(rb"[\r\n]first window\r\n")
        first.connection.close()
        async with shown(sandbox, terminal) as second:
            await second.type("echo again $x\n")
            await second.until(rb"[\r\n]again remembered\r\n")
            assert b"\rfirst window\r\n" in second.text
        async with shown(sandbox, terminal, after=second.at) as third:
            await third.type("echo third\n")
            await third.until(rb"[\r\n]third\r\n")
            assert b"again" not in third.text
            assert third.resets == 0


async def test_several_windows_see_the_same(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, one), shown(sandbox, terminal) as other:
        await one.type("echo both $((1 + 1))\n")
        await asyncio.gather(one.until(rb"[\r\n]both 2\r\n"), other.until(rb"[\r\n]both 2\r\n"))
        found = await listed(sandbox, terminal)
        assert found
        assert found.watchers == 2


async def test_a_flood_is_bounded_and_stops_nothing_else(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, screen):
        await screen.type("yes 1234567\n")

        async def has_flooded() -> bool:
            found = await listed(sandbox, terminal)
            return found is not None and found.total > KEPT + 2 * SLACK

        await happens(has_flooded)  # although this window acknowledges nothing now
        assert "fine" in await sandbox.shell("echo fine")
        await screen.type("\x03")
        await screen.type("echo over $((1 + 1))\n")
        async with shown(sandbox, terminal) as other:
            await other.until(rb"[\r\n]over 2\r\n")
            assert len(other.text) <= KEPT + 2 * SLACK
        await screen.until(rb"[\r\n]over 2\r\n")


async def test_a_long_paste_arrives_whole(sandbox: Sandbox) -> None:
    sent = ("0123456789abcde\n" * 65_536).encode()
    async with opened(sandbox) as (_, screen):
        await screen.type("stty raw -echo; echo ready $((1 + 1)); head -c 1048576 | sha1sum; stty sane\n")
        await screen.until(rb"ready 2")
        pieces = [sent[at : at + 16_384] for at in range(0, len(sent), 16_384)]

        async def paste() -> None:
            for piece in pieces:
                await screen.connection.type(piece)

        pasting = asyncio.create_task(paste())
        found = await screen.until(rb"([0-9a-f]{40})")
        await pasting
        assert found.decode() == hashlib.sha1(sent, usedforsecurity=False).hexdigest()


async def test_its_end_is_told_and_listed(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, screen):
        await screen.type("sleep 1000 & exit 3\n")
        while screen.end is None:
            await screen.take()
        assert (screen.end.reason, screen.end.exit_code) == ("exited", 3)
        found = await listed(sandbox, terminal)
        assert found
        assert (found.end, found.exit_code) == ("exited", 3)
        assert "gone" in await sandbox.shell("pgrep -f '[s]leep 1000' || echo gone")
        with pytest.raises(SandboxRefused):
            await sandbox.runtime.type_terminal(terminal.terminal_id, b"x")
        assert await sandbox.runtime.end_terminal(terminal.terminal_id)
        assert await listed(sandbox, terminal) is None


async def test_ending_it_ends_what_was_started_in_it(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, screen):
        await screen.type("(trap '' HUP TERM; sleep 2000) & sleep 0; echo begun\n")
        await screen.until(rb"[\r\n]begun\r\n")
        assert await sandbox.runtime.end_terminal(terminal.terminal_id)
        while screen.end is None:
            await screen.take()
        assert screen.end.reason == "closed"
        assert "gone" in await sandbox.shell("pgrep -f '[s]leep 2000' || echo gone")
        assert not await sandbox.runtime.end_terminal(terminal.terminal_id)


async def test_an_agent_types_and_reads_the_screen(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, _):
        await sandbox.runtime.type_terminal(terminal.terminal_id, b"echo typed $((1 + 1))\n")

        async def is_shown() -> bool:
            _, output = await sandbox.runtime.terminal_screen(terminal.terminal_id)
            return b"typed 2\r\n" in output

        await happens(is_shown)


async def test_a_command_runs_in_a_terminal_instead_of_a_shell(sandbox: Sandbox) -> None:
    request = TerminalRequest(
        new_id(), rows=30, columns=90, command="stty size; pwd; cat", folder="/workspace", seconds=60
    )
    terminal = await sandbox.runtime.start_terminal(request)
    assert (terminal.command, terminal.is_busy) == (request.command, True)
    async with shown(sandbox, terminal) as screen:
        await screen.until(rb"30 90\r\n")
        await screen.until(rb"/\S+\r\n")
        for _ in range(3):
            await sandbox.runtime.type_terminal(terminal.terminal_id, b"once\r", input_id="cal_1")
        await screen.until(rb"once\r\nonce\r\n")  # `cat` has begun
        await sandbox.runtime.type_terminal(terminal.terminal_id, b"over\r", input_id="cal_2")
        assert (await screen.until(rb"(once[^$]*)over\r\nover")).count(b"once") == 2
        resized = await sandbox.runtime.resize_terminal(terminal.terminal_id, 10, 40)
        assert (resized.rows, resized.columns) == (10, 40)
    await sandbox.runtime.end_terminal(terminal.terminal_id)
    await gone(sandbox, terminal)


async def test_a_command_in_a_terminal_ends_after_its_time(sandbox: Sandbox) -> None:
    terminal = await sandbox.runtime.start_terminal(TerminalRequest(new_id(), command="cat", seconds=0.2))
    async with shown(sandbox, terminal) as screen:
        while screen.end is None:
            await screen.take()
        assert screen.end.reason == "timeout"
    await sandbox.runtime.end_terminal(terminal.terminal_id)


async def test_there_are_only_so_many(sandbox: Sandbox) -> None:
    started = [await start(sandbox) for _ in range(8)]
    with pytest.raises(LimitReached, match="8 terminals"):
        await start(sandbox)
    for terminal in started:
        await sandbox.runtime.end_terminal(terminal.terminal_id)
        await gone(sandbox, terminal)
    with pytest.raises(NotFound):
        async with shown(sandbox, started[0]) as screen:
            await screen.take()


async def test_a_repeated_request_finds_the_terminal(sandbox: Sandbox) -> None:
    async with opened(sandbox) as (terminal, _):
        again = await sandbox.runtime.start_terminal(TerminalRequest(terminal.terminal_id))
        assert again.started_at == terminal.started_at
        assert len([each for each in await sandbox.runtime.terminals() if not each.end]) == 1
