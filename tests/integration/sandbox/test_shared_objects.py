"""Shared memory, semaphores and message queues of commands end with the commands."""

import asyncio
import re
from typing import Final

import pytest

from sandbox.ports import RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_call, new_id

pytestmark = pytest.mark.docker

MIB: Final = 1 << 20
FILL: Final = """python3 - <<'END'
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
memory = libc.shmget(0, 200 << 20, 0o1600)
ctypes.memset(ctypes.c_void_p(libc.shmat(memory, None, 0)), 1, 200 << 20)
print(memory >= 0)
END
"""
SHARE: Final = """
ipcmk -M 4096 -p 0 > /dev/null; ipcmk -S 3 > /dev/null; ipcmk -Q > /dev/null
echo kept > /dev/shm/file; mkdir -p /dev/shm/a/b/c/d; echo deep > /dev/shm/a/b/c/d/e; chmod -R 0 /dev/shm/a
mkfifo /dev/shm/fifo; ln -s /workspace /dev/shm/link
"""
COUNT: Final = (
    "echo $(cat /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg | grep -vc key) $(ls -A /dev/shm | wc -l)"
)


async def left(sandbox: Sandbox) -> list[int]:
    """Return the number of System V objects and of names in /dev/shm."""
    return [int(number) for number in re.findall(r"\d+", await sandbox.shell(COUNT))]


async def test_memory_that_a_command_shared_is_free_when_it_has_ended(sandbox: Sandbox) -> None:
    before = (await sandbox.runtime.usage()).memory.used

    assert await sandbox.shell(FILL) == "True\n"

    assert (await sandbox.runtime.usage()).memory.used - before < 50 * MIB
    assert await left(sandbox) == [0, 0]


async def test_nothing_shared_stays_and_files_elsewhere_do(sandbox: Sandbox) -> None:
    await sandbox.shell("echo mine > a; echo mine > /tmp/a")

    await sandbox.shell(SHARE)

    assert await left(sandbox) == [0, 0]
    assert await sandbox.shell("cat a /tmp/a") == "mine\nmine\n"


async def test_what_a_running_command_shares_stays_until_it_ends(sandbox: Sandbox) -> None:
    call = new_call(f"{SHARE} while [ ! -e end ]; do sleep 0.1; done")
    running = asyncio.create_task(sandbox.runtime.run(call))
    while await left(sandbox) != [3, 4]:
        await asyncio.sleep(0.05)

    await sandbox.shell(SHARE.partition("\n")[2].partition("\n")[0])

    await sandbox.runtime.write("end", b"")
    await running
    assert await left(sandbox) == [0, 0]


async def test_what_a_background_command_shares_stays_while_others_come_and_go(sandbox: Sandbox) -> None:
    call = new_id()
    await sandbox.runtime.start(RunRequest(call, f"{SHARE} sleep 60"))
    while await left(sandbox) != [3, 4]:
        await asyncio.sleep(0.05)

    assert await sandbox.runtime.abort(call)

    assert await left(sandbox) == [0, 0]


async def test_what_was_shared_before_the_oldest_running_command_began_goes_although_that_still_runs(
    sandbox: Sandbox,
) -> None:
    older, younger = new_id(), new_id()
    await sandbox.runtime.start(RunRequest(older, f"{SHARE} touch shared; sleep 60"))
    await sandbox.shell("while [ ! -e shared ]; do sleep 0.1; done; sleep 3.5")
    await sandbox.runtime.start(RunRequest(younger, "sleep 60"))

    await sandbox.runtime.abort(older)

    assert await left(sandbox) == [0, 1]  # folders stay while anything runs
    await sandbox.runtime.abort(younger)
    assert await left(sandbox) == [0, 0]


async def test_very_many_shared_files_do_not_hold_up_a_command_for_long(sandbox: Sandbox) -> None:
    many = "import os\nfor n in range(5000): open(f'/dev/shm/{n}', 'w').close()\nos.makedirs('/dev/shm/' + 'd/' * 400)"
    await sandbox.shell(f'python3 -c "{many}"')

    assert await left(sandbox) == [0, 0]
