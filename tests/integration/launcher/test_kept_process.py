"""Processes of the launcher: they are started again after they die, and end together with their child processes."""

import asyncio
import os
import signal
from dataclasses import dataclass, field
from pathlib import Path

from deploy.launcher.process import SupervisedProcess
from tests.support.deadline import wait_until

_PATIENCE = 10.0


@dataclass
class Told:
    """A collector of a process's lines, with which a test can wait for a number of them."""

    lines: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, _name: str, line: str) -> None:
        self.lines.append(line)
        self.changed.set()

    async def until(self, count: int) -> list[str]:
        async with asyncio.timeout(_PATIENCE):
            while len(self.lines) < count:
                self.changed.clear()
                await self.changed.wait()
        return self.lines


def _keep(command: str) -> tuple[SupervisedProcess, Told, Told, asyncio.Task[None]]:
    log, screen = Told(), Told()
    process = SupervisedProcess("part", command, dict(os.environ), log, screen)
    return process, log, screen, asyncio.create_task(process.supervise())


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


async def test_a_process_that_dies_is_started_again() -> None:
    process, log, screen, keeper = _keep("echo started; kill -9 $$")
    await log.until(2)
    process.stop(signal.SIGTERM)
    await asyncio.wait_for(keeper, _PATIENCE)
    assert screen.lines[0] == "was ended by SIGKILL; starting it again"
    assert process.failures >= 1


async def test_an_ended_process_stays_ended() -> None:
    process, log, screen, keeper = _keep("echo started; exec sleep 60")
    await log.until(1)
    process.stop(signal.SIGTERM)
    await asyncio.wait_for(keeper, _PATIENCE)
    assert (log.lines, screen.lines) == (["started"], [])


async def test_children_go_with_the_process_that_started_them() -> None:
    process, log, _screen, keeper = _keep("sleep 60 & echo $!; wait")
    child = int((await log.until(1))[0])
    process.stop(signal.SIGTERM)
    await asyncio.wait_for(keeper, _PATIENCE)
    wait_until(lambda: not _is_alive(child), "the child is gone")


async def test_a_child_that_outlives_a_crash_is_ended_too() -> None:
    process, log, screen, keeper = _keep("sleep 60 & echo $!; exit 3")
    child = int((await log.until(1))[0])
    await screen.until(1)
    process.stop(signal.SIGTERM)
    await asyncio.wait_for(keeper, _PATIENCE)
    assert screen.lines[0].startswith("stopped with status 3")
    wait_until(lambda: not _is_alive(child), "the child is gone")


async def test_output_that_is_no_text_does_not_stop_the_copying() -> None:
    process, log, _screen, keeper = _keep(r"printf '\377\n'; head -c 3000000 /dev/zero; echo; echo end; exec sleep 60")
    async with asyncio.timeout(_PATIENCE):
        while "end" not in log.lines:
            log.changed.clear()
            await log.changed.wait()
    process.stop(signal.SIGTERM)
    await asyncio.wait_for(keeper, _PATIENCE)
