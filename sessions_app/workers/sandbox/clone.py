"""run_clone(): run the script that clones a repository into a workspace. At most one run at a time writes to a
workspace, even if a worker is killed and another one starts the script again."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sandbox.errors import SandboxLost
from sandbox.ports import RunRequest, RunResult, Runtime

SCRIPT: Final = Path(__file__).with_name("clone.sh").read_text(encoding="utf-8")
TIMEOUT: Final = 1800.0  # seconds
DOOR_ATTEMPTS: Final = 120
"""Attempts to reach the door, half a second apart. A door that was killed is back in two seconds, on a busy node in
half a minute."""
NO_DOOR: Final = b"clone: failed=door"
KEPT: Final = "k"
"""The suffix of the id of a call that continues an earlier clone. A worker that attaches to such a call has to make the
same request."""


@dataclass(frozen=True, slots=True)
class Clone:
    """The parameters of a clone. `name` is the repository's name in the address of `origin`. `ref` is the branch, tag
    or commit to start from, "" for the server's default branch; `is_chosen` if somebody chose it for this workspace.
    `branch` is created from `ref`. If the pack has more than `pack_kib` KiB, contents of older files are left out.
    `history`, `depth` and `folders` come from the row of the project's repository. `kept`: objects of an earlier clone
    are in place. With `lfs`, files in Git LFS are fetched too, up to `pack_kib` KiB, from `lfs_url` at the server."""

    name: str
    branch: str
    ref: str = ""
    is_chosen: bool = False
    pack_kib: int = 1 << 20
    history: str = "auto"
    depth: int = 50
    folders: Sequence[str] = ()
    kept: bool = False
    lfs: bool = True
    lfs_url: str = ""

    def request(self, call_id: str) -> RunRequest:
        variables = {
            "NAME": self.name,
            "REF": self.ref,
            "REF_IS_DEFAULT": "" if self.is_chosen else "yes",
            "BRANCH": self.branch,
            "PACK_KIB": str(self.pack_kib),
            "PARTIAL": "yes" if self.history == "partial" or self.folders else "",
            "DEPTH": str(self.depth) if self.history == "shallow" else "",
            "FOLDERS": "\n".join(self.folders),
            "KEPT": "--prune" if self.kept else "",
            "LFS": "yes" if self.lfs else "",
            "LFS_KIB": str(self.pack_kib),
            "LFS_URL": self.lfs_url,
        }
        return RunRequest(call_id, SCRIPT, timeout=TIMEOUT, env=variables, output_limit=1 << 16)


async def run_clone(
    runtime: Runtime, workspace_id: str, clone: Clone, *, on_output: Callable[[bytes], None] | None = None
) -> RunResult:
    """Run the script that clones the repository, or attach to a run that another worker has started, and wait for its
    end.

    Raises SandboxLost if the sandbox ended meanwhile, and SandboxError.
    """
    for _ in range(DOOR_ATTEMPTS):
        call_id = await live_clone(runtime, workspace_id)
        wanted = replace(clone, kept=call_id.endswith(KEPT)) if call_id else clone
        call_id = call_id or f"{_prefix(workspace_id)}{secrets.token_hex(4)}{KEPT if clone.kept else ''}"
        result = await runtime.run(wanted.request(call_id), on_output=on_output)
        if NO_DOOR not in result.output:
            break
    if result.end == "lost":
        raise SandboxLost("The sandbox ended while the repository was cloned.")
    return result


async def live_clone(runtime: Runtime, workspace_id: str) -> str:
    """Return the id of the call that is cloning into the workspace now; "" if there is none."""
    live = (await runtime.ping()).live_calls
    return next((each for each in live if each.startswith(_prefix(workspace_id))), "")


def _prefix(workspace_id: str) -> str:
    return f"clone-{workspace_id}-"
