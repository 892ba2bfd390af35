"""A runner that is killed during a revert leaves the files as before the revert or as after it."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path
from typing import Final

from sandbox.errors import SandboxUnavailable
from sandbox.files import WantedRevert
from sandbox.local import LocalDeployment
from sandbox.ports import FileChange, RunRequest, SandboxSpec
from tests.support.lanes import fewer
from tests.support.shared_sandboxes import new_id

KILLS: Final = fewer(100, default=2)
FILES: Final = 40
LONGEST_SECONDS: Final = 0.12
SPEC: Final = SandboxSpec("w", "none")


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


async def test_every_kill_leaves_all_or_nothing_and_the_revert_is_made_once(tmp_path: Path) -> None:
    deployment = LocalDeployment(tmp_path, for_tests=True)
    chosen = random.Random(7)
    killed_before = killed_after = 0
    for kill in range(KILLS):
        runtime = await deployment.ensure(SPEC)
        await runtime.run(
            RunRequest(new_id(), f"rm -rf old; mkdir old; for n in $(seq {FILES}); do echo {kill} > old/$n; done")
        )
        before = contents(deployment.files_of("w"))
        call = new_id()
        changes = [FileChange(f"old/{number}", None) for number in range(1, FILES, 2)]
        changes += [FileChange(f"new{number}/x", b"made") for number in range(FILES)]
        await runtime.recording(call, "ses_mine").change(changes)
        after = contents(deployment.files_of("w"))
        wanted = [
            WantedRevert(each.path, [(each.before, each.after)]) for each in (await runtime.changes_of(call)).files
        ]
        revert_id = new_id()
        reverting = asyncio.create_task(runtime.revert(revert_id, wanted, preview=False))
        await asyncio.sleep(chosen.random() * LONGEST_SECONDS)
        await deployment.stop("w")
        with suppress(SandboxUnavailable):
            await reverting

        runtime = await deployment.ensure(SPEC)
        found = contents(deployment.files_of("w"))
        assert found in (before, after), kill
        killed_before, killed_after = killed_before + (found == after), killed_after + (found == before)
        assert (await runtime.revert(revert_id, wanted, preview=False)).applied
        assert contents(deployment.files_of("w")) == before
        await runtime.run(RunRequest(new_id(), "rm -rf new*"))
    await deployment.close()
    if KILLS > 20:
        assert killed_before
        assert killed_after
