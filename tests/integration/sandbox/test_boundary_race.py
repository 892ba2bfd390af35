"""A process swaps folders and files for links as fast as it can, while tools use them thousands of times."""

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from sandbox.errors import SandboxRefused
from sandbox.ports import FileChange, RealPath, RunRequest
from tests.contract.sandbox.conftest import Sandbox
from tests.contract.sandbox.test_run import Output
from tests.support.lanes import EVERYTHING
from tests.support.tool_context import make_context
from tools_app import chain
from tools_app.spec import ToolError

pytestmark = pytest.mark.docker

CANARY = "the-canary-sings"
SWAPPER = r"""
import ctypes, itertools, os, platform, sys
exchange = 316 if platform.machine() == "x86_64" else 276
libc = ctypes.CDLL(None)
pairs = [(os.fsencode(a), os.fsencode(b)) for a, b in zip(sys.argv[1::2], sys.argv[2::2])]
print("swapping", flush=True)
for turn in itertools.count(1):
    if turn % 1000 == 0:
        print(turn, flush=True)
    for a, b in pairs:
        if libc.syscall(exchange, -100, a, -100, b, 2):
            raise SystemExit("the names are gone")
"""
PREPARE = f"""
mkdir -p race/folder/sub race/within/sub race/files race/large/sub private/sub $HOME/out/sub && cd race
for n in $(seq 60); do echo good > large/$n; echo good > large/sub/$n; echo {CANARY} > $HOME/out/sub/only-here-$n; done
for place in folder within files; do echo good > $place/f; done; echo good > folder/sub/g; echo good > within/sub/g
for place in $HOME/out ../private; do for name in f only-here sub/g; do echo {CANARY} > $place/$name; done; done
ln -s $HOME/out/sub large/link; ln -s $HOME/out folder.link
ln -s ../private within.link; ln -s $HOME/out/f files/f.link
"""
SWAP = (
    "cd race; exec python3 swapper.py folder folder.link within within.link files/f files/f.link large/sub large/link"
)
FINGERPRINT = 'cd {}; find . -printf "%p %y %s %T@ %l\\n" | sort; find . -type f -exec sha256sum {{}} + | sort'
LOOKED_AFTER = ("$HOME/out", "private")
SHARES = {  # glob and grep visit all swapped paths, and take as long as thirty other calls
    "read": 3800,
    "write": 2700,
    "change": 500,
    "list": 1000,
    "stat": 600,
    "edit": 700,
    "glob": 250,
    "grep": 250,
    "run": 200,
}
LESS = 1 if EVERYTHING else 12
"""Divisor of the numbers of calls: `make test` makes a twelfth of the calls, `make test-all` all of them."""
WORKERS = 4
ENOUGH = 200_000 // LESS
"""Swaps of each pair after which no more calls are needed: twenty for each of ten thousand calls. On a busy machine,
calls take longer and meet more swaps each. Each operation must nevertheless have met both sides of a pair."""
SECONDS = 90.0

SWAPPED = ("race/folder/f", "race/folder/sub/g", "race/files/f", RealPath("/workspace/race/within/f"))
"""Swapped paths. The last one was judged before the call, so it must not even lead to another path in the workspace."""
FOLDERS = ("race/folder", RealPath("/workspace/race/within"), "race/folder/sub")


async def test_thousands_of_calls_against_a_swapping_process_touch_nothing_outside(sandbox: Sandbox) -> None:
    await sandbox.shell(PREPARE)
    await sandbox.runtime.write("race/swapper.py", SWAPPER.encode())
    before = [await sandbox.shell(FINGERPRINT.format(place)) for place in LOOKED_AFTER]
    swapping, output = RunRequest("call_swap", SWAP, timeout=600), Output()
    swapper = asyncio.create_task(sandbox.runtime.run(swapping, on_output=output))
    await output.wait_for(b"swapping")
    outcomes: Counter[str] = Counter()

    work = itertools.takewhile(lambda _: _swaps(output) < ENOUGH or not _met_both_sides(outcomes), _work())
    began = time.monotonic()
    async with asyncio.timeout(SECONDS):
        await asyncio.gather(*(_do(sandbox, work, outcomes) for _ in range(WORKERS)))
    print(f"{outcomes.total()} calls and {_swaps(output)} swaps of each pair in {time.monotonic() - began:.1f} s:")
    print(dict(sorted(outcomes.items())))

    assert not swapper.done()
    await sandbox.runtime.abort("call_swap")
    assert (await swapper).end == "aborted"
    assert [await sandbox.shell(FINGERPRINT.format(place)) for place in LOOKED_AFTER] == before
    assert outcomes.total() == sum(share // LESS for share in SHARES.values()) or _swaps(output) >= ENOUGH
    assert _met_both_sides(outcomes)


def _met_both_sides(outcomes: Counter[str]) -> bool:
    """Return whether each operation has succeeded on a real file and been refused at a link."""
    return all(
        outcomes[f"{name} {end}"] for name in ("read", "write", "change", "list", "edit") for end in ("ok", "refused")
    )


def _swaps(output: Output) -> int:
    """Return the number of times that each pair of paths was swapped. The swapper process reports it in thousands."""
    told = output.data.rpartition(b"\n")[0].split()
    return int(told[-1]) if told and told[-1] != b"swapping" else 0


def _work() -> Iterator[tuple[str, int]]:
    """Yield (operation, running number), with the operations evenly mixed, each as often as `SHARES` says."""
    shares = [[(name, number / share) for number in range(share // LESS)] for name, share in SHARES.items()]
    for number, (name, _) in enumerate(sorted(itertools.chain(*shares), key=lambda turn: turn[1])):
        yield name, number


async def _do(sandbox: Sandbox, work: Iterator[tuple[str, int]], outcomes: Counter[str]) -> None:
    for name, number in work:
        try:
            said = await _attempt(sandbox, name, number)
        except (SandboxRefused, ToolError) as error:
            outcomes[f"{name} refused"] += 1
            said = error.message
        else:
            outcomes[f"{name} ok"] += 1
        assert CANARY not in said
        assert "only-here" not in said


async def _attempt(sandbox: Sandbox, name: str, number: int) -> str:
    runtime, path = sandbox.runtime, SWAPPED[number % len(SWAPPED)]
    folder = FOLDERS[number % len(FOLDERS)]
    match name:
        case "read":
            return repr(await runtime.read(path))
        case "write" | "change":
            return await _write(sandbox, path, number, alone=name == "write")
        case "list":
            return repr(await runtime.list(folder))
        case "stat":
            return repr(await runtime.stat(path))
        case "glob":
            return repr(await runtime.glob("**", path="race", limit=1000))
        case "grep":
            return repr(await runtime.grep(CANARY[4:], path="race"))
        case "run":
            return repr(await runtime.run(RunRequest(f"call_{number}", "cat f only-*", workdir=folder)))
        case _:
            return await _edit(sandbox, path, number)


async def _write(sandbox: Sandbox, path: str, number: int, *, alone: bool) -> str:
    content = b"good %d\n" % number
    if alone:
        return repr(await sandbox.runtime.write(path, content))
    beside = FileChange(f"race/beside-{number % 3}", content)
    return repr(await sandbox.runtime.change([beside, FileChange(path, content)]))


async def _edit(sandbox: Sandbox, path: str, number: int) -> str:
    """Call the tool `write` as the site does, with a person who allows only this file."""
    shown = path.removeprefix("/workspace/")
    ctx = make_context(sandbox.runtime, call_id=f"edit_{number}")
    prepared = await chain.prepare("write", json.dumps({"filePath": shown, "content": f"good {number}\n"}), ctx)
    if [need.patterns for need in prepared.needs] != [(shown,)]:
        raise ToolError("asked")
    return (await chain.run(prepared, ctx)).output
