"""Measure the search for files that "@" starts in the prompt box, in a tree of 50,000 files: the first keystroke, which
lists all names, and later keystrokes.

.venv/bin/python -m tests.bench mentions

The times are measured with a runner without a container, from a request of the sandbox worker to the answer.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Iterator
from pathlib import Path
from typing import Final

from sandbox.limits import Limits
from sandbox.local import LocalDeployment
from sandbox.ports import Runtime, SandboxSpec
from tests.bench.measuring import Target, percentile, report

FILES: Final = 50_000
ROUNDS: Final = 10
TYPED: Final = ("s", "se", "ser", "serv", "services/p", "invoice_17", "zzz")
WORDS: Final = ("invoice", "order", "customer", "session", "report", "token", "editor", "search", "route", "payment")
FOLDERS: Final = ("src/api", "src/services", "src/ui/components", "tests/unit", "docs/guide", "packages/core/lib")


def paths() -> Iterator[str]:
    """Yield the paths of a large repository, the same each time."""
    for number in range(FILES):
        folder, word = FOLDERS[number % len(FOLDERS)], WORDS[number // 7 % len(WORDS)]
        yield f"{folder}/part_{number % 211}/{word}_{number}.py"


async def measure(folder: Path) -> bool:
    deployment = LocalDeployment(folder, for_tests=True)
    spec = SandboxSpec("wsp_mentions", "", limits=Limits())
    runtime = await deployment.ensure(spec)
    try:
        _write(deployment.files_of(spec.workspace_id))
        first = [await _listed(runtime) for _ in range(ROUNDS)]
        keys = [seconds for text in TYPED for seconds in await _typed(runtime, text)]
        globs = [await _timed(runtime.glob("**/*[sS][eE]*", limit=200)) for _ in range(ROUNDS)]
    finally:
        await deployment.remove(spec.workspace_id, files=True)
    print(f"{'the same with a glob, p50':46}{percentile(globs, 50):9.1f} ms")
    return report(
        [
            Target("first key in 50,000 files, p50", percentile(first, 50), 100, "ms"),
            Target("a further key, p95", percentile(keys, 95), 40, "ms"),
        ]
    )


def _write(folder: Path) -> None:
    for path in paths():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()


async def _listed(runtime: Runtime) -> float:
    """Return the seconds of a search that must list all names again, because another folder was searched before it."""
    await runtime.names("x", path="/workspace/docs/guide/part_4")
    return await _timed(runtime.names("s", limit=200))


async def _typed(runtime: Runtime, text: str) -> list[float]:
    await runtime.names("x", limit=1)
    return [await _timed(runtime.names(text, limit=200)) for _ in range(ROUNDS)]


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def main() -> bool:
    os.environ.setdefault("PYTEST_VERSION", "bench")  # the local sandbox isolates nothing, so it is for tests only
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return asyncio.run(measure(Path(folder)))
