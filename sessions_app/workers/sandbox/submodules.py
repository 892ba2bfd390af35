"""Put the submodules of a repository into a new workspace, each from the source that the project's settings allow."""

import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from agentsite.base.background import background
from sandbox.ports import RunRequest, RunResult, Runtime
from sessions_app.models import Workspace
from sessions_app.repositories.models import ProjectRepository
from sessions_app.repositories.submodules import MAX_SUBMODULES, Submodule, placed, read_settings

TIMEOUT: Final = 900.0  # seconds
MAX_NAMED: Final = 5
LIST: Final = "git config -z --file .gitmodules --list 2> /dev/null; true"
UPDATE: Final = Path(__file__).with_name("submodules.sh").read_text(encoding="utf-8")
_SAID: Final = re.compile(r"^(?:remote|fatal|error): *(?:remote error: *)?")
PREFIX: Final = "submodules-"
LFS_STATES: Final = {
    "off": "the project's settings want that",
    "large": "there are more than a new workspace gets; `git lfs pull --include=PATH --exclude=` gets some of them",
}


def get_submodules(
    workspace: Workspace, row: ProjectRepository, runtime: Runtime, count: int, *, lfs_bytes: int
) -> str:
    """Put the submodules of a repository in place, and return the note for people about the submodules. `count` is the
    number of submodules in the commit, `lfs_bytes` the maximum size of their files in Git LFS. Called before anything
    else runs in the workspace. Raises SandboxError."""
    listed = _run(runtime, workspace, LIST).output.decode("utf-8", "replace")
    found = [placed(each, row) for each in read_settings(listed)]
    wanted = [each for each in found if each.address][:MAX_SUBMODULES]
    lines = "\n".join(f"{each.name}\t{each.path}\t{each.address}" for each in wanted)
    given = {"MODULES": lines, "LFS": "yes" if row.lfs else "", "LFS_BYTES": str(max(0, lfs_bytes))}
    result = _run(runtime, workspace, UPDATE, given) if wanted else None
    nameless = max(0, count - len(found))
    without = f"{nameless} of its submodules are left out: .gitmodules has no address for them." if nameless else ""
    return " ".join(filter(None, (_summary(found, result), without)))


def end_leftovers(workspace: Workspace, runtime: Runtime) -> None:
    """End clone commands that an earlier worker has started in the workspace, before the clone is started again."""
    for call_id in background.run(runtime.ping()).live_calls:
        if call_id.startswith(f"{PREFIX}{workspace.public_id}"):
            background.run(runtime.abort(call_id))


def _run(runtime: Runtime, workspace: Workspace, script: str, variables: Mapping[str, str] | None = None) -> RunResult:
    call_id = f"{PREFIX}{workspace.public_id}-{secrets.token_hex(4)}"
    return background.run(runtime.run(RunRequest(call_id, script, timeout=TIMEOUT, env=dict(variables or {}))))


def _summary(found: Sequence[Submodule], result: RunResult | None) -> str:
    output = result.output.decode("utf-8", "replace") if result else ""
    lines = [line.split("\t") for line in output.splitlines()]
    outcomes = {words[1]: words for words in lines if words[0] in ("done", "failed") and len(words) > 1}
    there = [each.path for each in found if outcomes.get(each.path, [""])[0] == "done"]
    texts = [f"Its submodule{'s' if there[1:] else ''} {_named(there)} {'are' if there[1:] else 'is'} there."]
    missing = [each for each in found if each.path not in there]
    texts = [*(texts if there else []), *_lfs_texts([words for words in lines if words[0] == "lfs"])]
    for each in missing[:MAX_NAMED]:
        said = _SAID.sub("", outcomes.get(each.path, ["", "", ""])[-1])
        texts.append(
            f"Its submodule {each.path or each.name} is left out: {each.problem or said or 'git did not get it.'}"
        )
    if missing[MAX_NAMED:]:
        texts.append(f"{len(missing) - MAX_NAMED} more submodules are left out.")
    return " ".join(texts)


def _lfs_texts(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return sentences for people about the Git LFS files of submodules. `lines` has [lfs, path, state, reason] for
    each submodule."""
    found = [(path, state, reason) for _, path, state, reason in lines]
    there = [path for path, state, _ in found if state == "done"]
    texts = [f"Files in Git LFS of {_named(there)} are there."] if there else []
    for path, state, reason in [each for each in found if each[1] != "done"][:MAX_NAMED]:
        why = LFS_STATES.get(state) or reason.rstrip(".") or "git-lfs failed"
        texts.append(f"Files in Git LFS of {path} are pointers: {why}.")
    return texts


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MAX_NAMED} more" if paths[MAX_NAMED:] else ""
    return f"{', '.join(paths[:MAX_NAMED])}{more}"
