"""Measure a repository of 120,000 files: the clone, the first snapshot and the next, the diff, the search and the tree.

.venv/bin/python -m tests.bench many-files

Each line has the wall-clock time and the CPU time of the container: git, ripgrep, and the runner, which records
changes.
"""

import asyncio
import os
import time
import uuid
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from deploy.demo_forge import Account, Forge, ForgeRepository, forge
from sandbox.ports import RunRequest, Runtime
from sessions_app.workers.sandbox.clone import Clone, run_clone
from tests.bench.sandboxes import Bench, sandboxes

FILES: Final = 120_000
NAME: Final = "many"
Result = TypeVar("Result")


async def measure(bench: Bench, site: Forge) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    from tests.support import repository_jobs  # needs Django's settings

    account, shop = _repository(site)
    runtime = await bench.deployment.ensure(bench.spec(NAME))
    door = asyncio.create_task(
        repository_jobs.keep_door(bench.folder / f"wsp_{NAME}", site.place, shop.full_name, site.url, account.token)
    )
    try:
        clone = Clone("shop", repository_jobs.BRANCH)
        await _timed(runtime, "clone", lambda: run_clone(runtime, f"wsp_{NAME}", clone))
        first = await _timed(runtime, "first snapshot, which stores every content", runtime.snapshot)
        await _timed(runtime, "snapshot without a change", runtime.snapshot)
        await runtime.run(RunRequest(uuid.uuid4().hex, "echo more >> 7/7007.txt; touch new"))
        await _timed(runtime, "diff of two files", lambda: runtime.diff(first))
        await _timed(runtime, "search that finds one line", lambda: runtime.grep("^119999$"))
        await _timed(runtime, "glob that finds one name", lambda: runtime.glob("**/119999.txt"))
        await _timed(runtime, "one folder of the tree", lambda: runtime.glob("*"))
    finally:
        door.cancel()
        await bench.deployment.remove(f"wsp_{NAME}", files=True)


def _repository(site: Forge) -> tuple[Account, ForgeRepository]:
    account = site.account("kim")
    files = {f"{number // 1000}/{number}.txt": f"{number}\n" for number in range(FILES)}
    return account, site.repository("many/shop", files, writers=[account])


async def _timed(runtime: Runtime, name: str, work: Callable[[], Awaitable[Result]]) -> Result:
    before, began = await _cpu(runtime), time.perf_counter()
    result = await work()
    took = time.perf_counter() - began
    print(f"{name:46} {took:8.2f} s  {await _cpu(runtime) - before:8.2f} s of CPU", flush=True)
    return result


async def _cpu(runtime: Runtime) -> float:
    return (await runtime.usage()).cpu_seconds


def main() -> bool:
    with sandboxes() as bench, forge() as site:
        asyncio.run(measure(bench, site))
    return True
