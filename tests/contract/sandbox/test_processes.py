"""Programs that communicate over stdin and stdout, as language servers do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sandbox.errors import LimitReached, NotFound, SandboxLost
from sandbox.ports import Process, ProcessRequest
from tests.contract.sandbox.conftest import Sandbox, new_id
from tests.support.deadline import wait_until

MEBIBYTE = 1 << 20
COUNTING = "n=0; while read -r line; do n=$((n + 1)); echo $n; done"


@asynccontextmanager
async def opened(sandbox: Sandbox, *argv: str, name: str = "", workdir: str = "/workspace") -> AsyncIterator[Process]:
    process = await sandbox.runtime.open_process(ProcessRequest(name or new_id(), argv, workdir, {"COLOUR": "blue"}))
    try:
        yield process
    finally:
        process.close()


async def everything(process: Process) -> bytes:
    """Return all output of a process until the process ends."""
    said = b""
    while chunk := await process.receive():
        said += chunk
    return said


async def line_of(process: Process) -> bytes:
    said = b""
    while not said.endswith(b"\n"):
        said += await process.receive()
    return said


async def alive(sandbox: Sandbox, pid: str) -> bool:
    return "gone" not in await sandbox.shell(f"kill -0 {pid} 2> /dev/null || echo gone")


async def test_what_is_said_to_it_is_heard_and_answered(sandbox: Sandbox) -> None:
    async with opened(sandbox, "cat") as process:
        await process.send(b"one\n")
        assert await line_of(process) == b"one\n"
        await process.send(b"two\n")
        assert await line_of(process) == b"two\n"


async def test_much_more_than_fits_on_the_way_arrives_in_order(sandbox: Sandbox) -> None:
    sent = bytes(range(256)) * 4096 * 5
    async with opened(sandbox, "head", "-c", str(len(sent))) as process:
        speaking = asyncio.create_task(process.send(sent))
        assert await everything(process) == sent
        await speaking


async def test_one_that_does_not_read_holds_up_nobody_else(sandbox: Sandbox) -> None:
    async with opened(sandbox, "sleep", "60") as deaf, opened(sandbox, "cat") as other:
        speaking = asyncio.create_task(deaf.send(b"x" * 4 * MEBIBYTE))
        await other.send(b"hello\n")
        assert await line_of(other) == b"hello\n"
        assert await sandbox.shell("echo fine") == "fine\n"
        assert not speaking.done()
        speaking.cancel()


async def test_one_that_nobody_listens_to_waits(sandbox: Sandbox) -> None:
    async with opened(sandbox, "yes"):
        assert await sandbox.shell("echo fine") == "fine\n"


async def test_it_runs_where_and_with_what_was_asked_for(sandbox: Sandbox) -> None:
    await sandbox.shell("mkdir -p src")
    async with opened(sandbox, "sh", "-c", "basename $PWD; echo $COLOUR; id -u", workdir="src") as process:
        said = (await everything(process)).split()
        assert said[:2] == [b"src", b"blue"]
        assert not sandbox.is_contained or said[2] == b"1000"


async def test_its_arguments_are_taken_as_they_stand(sandbox: Sandbox) -> None:
    async with opened(sandbox, "printf", "%s|", "a b", "$HOME", "'") as process:
        assert await everything(process) == b"a b|$HOME|'|"


async def test_it_ends_with_its_code_and_its_last_words(sandbox: Sandbox) -> None:
    async with opened(sandbox, "sh", "-c", "echo out; echo why >&2; exit 3") as process:
        assert await everything(process) == b"out\n"
        assert process.end
        assert (process.end.reason, process.end.exit_code, process.end.words) == ("exited", 3, b"why\n")
        with pytest.raises(SandboxLost):
            await process.send(b"more")


async def test_one_that_is_missing_says_so(sandbox: Sandbox) -> None:
    async with opened(sandbox, "no-such-server", "--stdio") as process:
        assert await everything(process) == b""
        assert process.end
        assert process.end.exit_code == 127
        assert b"no-such-server" in process.end.words


async def test_it_does_not_start_where_there_is_no_folder(sandbox: Sandbox) -> None:
    with pytest.raises(NotFound):
        async with opened(sandbox, "cat", workdir="nowhere"):
            pass


async def test_closing_ends_it_and_all_it_started(sandbox: Sandbox) -> None:
    async with opened(sandbox, "sh", "-c", "sleep 600 & echo $!; cat") as process:
        child = (await line_of(process)).decode().strip()
        assert await alive(sandbox, child)
    await asyncio.to_thread(wait_until, lambda: not asyncio.run(alive(sandbox, child)), "its child has ended")


async def test_one_of_the_same_name_takes_its_place(sandbox: Sandbox) -> None:
    name = new_id()
    async with opened(sandbox, "cat", name=name) as first, opened(sandbox, "cat", name=name) as second:
        assert await everything(first) == b""
        assert first.end
        assert first.end.reason == "replaced"
        await second.send(b"here\n")
        assert await line_of(second) == b"here\n"


async def test_commands_that_come_and_go_leave_it_alone(sandbox: Sandbox) -> None:
    async with opened(sandbox, "sh", "-c", COUNTING) as process:
        await process.send(b"a\n")
        assert await line_of(process) == b"1\n"
        await sandbox.shell("sleep 60 & echo started")
        await process.send(b"b\n")
        assert await line_of(process) == b"2\n"


async def test_no_more_than_eight_run_at_once(sandbox: Sandbox) -> None:
    processes = [await sandbox.runtime.open_process(ProcessRequest(f"{new_id()}", ("cat",))) for _ in range(8)]
    try:
        with pytest.raises(LimitReached):
            await sandbox.runtime.open_process(ProcessRequest(new_id(), ("cat",)))
    finally:
        for process in processes:
            process.close()


async def test_it_is_lost_with_its_sandbox(fresh_sandbox: Sandbox) -> None:
    async with opened(fresh_sandbox, "cat") as process:
        await process.send(b"here\n")
        assert await line_of(process) == b"here\n"
        await fresh_sandbox.deployment.stop(fresh_sandbox.spec.workspace_id)
        with pytest.raises(SandboxLost):
            await process.receive()
