"""Clone the project's repository into a new workspace: git runs inside the container and connects through the door."""

import re
from collections.abc import Mapping
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field, replace
from typing import Final

import structlog

from agentsite.base.background import background
from agentsite.base.error_codes import ErrorCode
from agentsite.base.sqlite_lock import sqlite_write_lock
from sandbox.errors import SandboxError
from sandbox.ports import RunResult, Runtime
from sandbox.runner.snapshots import FILES_LIMIT
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.actions.workspaces import report_workspace, save_facts
from sessions_app.models import Workspace
from sessions_app.repositories.models import History, ProjectRepository
from sessions_app.repositories.origin import origin_name, session_branch
from sessions_app.workers.sandbox import deployment as this_node
from sessions_app.workers.sandbox.clone import TIMEOUT, Clone, run_clone
from sessions_app.workers.sandbox.kept_clones import keep_clone, put_kept_clone
from sessions_app.workers.sandbox.lfs_notes import lfs_note
from sessions_app.workers.sandbox.submodules import end_leftovers, get_submodules

PROGRESS_INTERVAL: Final = 2.0  # seconds between updates that people see
PACK_SHARE: Final = 4
"""The pack of a clone may use this part (a quarter) of the disk limit. In a larger repository, git gets files of older
commits when it needs them."""

_FACT: Final = re.compile(r"^clone: ([a-z]+)=(.*)$", re.MULTILINE)
_SAID: Final = re.compile(r"^(?:fatal|error|remote): *(?:remote error: *)?(.+)$", re.MULTILINE)
_PERCENT: Final = re.compile(rb"(Receiving objects|Resolving deltas|Updating files): +(\d+)%")

HINT: Final = "Nothing is lost. When this is solved, send the message again."
PROBLEMS: Final[Mapping[str, str]] = {
    "door": "The door to the network did not answer for a minute, so {title} cannot be cloned. If this happens again, "
    "ask the operators.",
    "ref": "{title} has no branch, tag or commit {ref}.",
    "disk": "{title} does not fit into the workspace's disk. An admin can raise the limit disk_mib of the policy.",
    "checkout": "The files of {title} cannot be written: {said}",
    "server": "{title} cannot be cloned: {said}",
}

logger = structlog.get_logger(__name__)


class CloneFailed(SandboxError):
    """The repository could not be put into the workspace. The message says why; no partial clone is left."""

    code = ErrorCode.CLONE_FAILED
    hint = HINT


@dataclass
class _Progress:
    """The progress of a clone: the last step that git printed, such as "Receiving objects 45 %"."""

    text: str = ""
    _shown: str = field(default="", init=False)

    def feed(self, output: bytes) -> None:
        if found := _PERCENT.findall(output):
            what, percent = found[-1]
            self.text = f"{what.decode()} {percent.decode()} %"

    def news(self) -> str:
        """Return git's newest progress text if it has changed since the last call; "" otherwise."""
        if self.text == self._shown:
            return ""
        self._shown = self.text
        return self.text


def clone_repository(workspace: Workspace, runtime: Runtime) -> bool:
    """Clone the repository of the workspace's project. Returns False if the project has none. May be repeated.

    Raises CloneFailed, or SandboxError if the sandbox cannot be reached.
    """
    rows = ProjectRepository.objects.select_related("connection", "project")
    row = rows.filter(project=workspace.project_id).first()
    if row is None:
        return False
    end_leftovers(workspace, runtime)
    clone = replace(_clone(workspace, row), kept=put_kept_clone(workspace, row, runtime))
    result = _run(workspace, row, runtime, clone)
    facts = dict(_FACT.findall(result.output.decode("utf-8", "replace")))
    if result.end != "exited" or result.exit_code != 0:
        raise CloneFailed(_problem(result, facts, row, clone.ref))
    keep_clone(workspace, row, runtime, facts)
    count = int(facts.get("submodules", "0"))
    used = int(facts.get("lfsbytes", "0")) if facts.get("lfs") == "done" else 0
    left = clone.pack_kib * 1024 - used
    submodules = get_submodules(workspace, row, runtime, count, lfs_bytes=left) if count else ""
    with sqlite_write_lock():
        workspace.sessions.filter(branch="").update(branch=clone.branch)
    save_facts(workspace.pk, start_commit=facts.get("commit", "")[:64])
    of_lfs = lfs_note(facts, clone.pack_kib)
    text = " ".join(filter(None, (_summary(row, facts, clone.branch, result.duration), of_lfs, submodules)))
    note_workspace(workspace.pk, "started", text, data={**facts, "seconds": round(result.duration, 3)})
    logger.info("cloned", workspace=workspace.public_id, seconds=round(result.duration, 3), **facts)
    return True


def _clone(workspace: Workspace, row: ProjectRepository) -> Clone:
    return Clone(
        origin_name(row),
        _branch(workspace, row),
        ref=workspace.ref or row.default_branch,
        is_chosen=bool(workspace.ref),
        pack_kib=this_node.sandbox_spec(workspace).limits.disk_mib * 1024 // PACK_SHARE,
        history=row.history,
        depth=row.depth,
        folders=row.folders,
        lfs=row.lfs,
        lfs_url=f"{row.clone_url.rstrip('/')}/info/lfs",
    )


def _branch(workspace: Workspace, row: ProjectRepository) -> str:
    first = workspace.sessions.order_by("id").values_list("id", flat=True).first()
    return session_branch(row, first or workspace.pk)


def _run(workspace: Workspace, row: ProjectRepository, runtime: Runtime, clone: Clone) -> RunResult:
    """Clone the repository, and publish git's progress as the `detail` of the workspace while it is starting."""
    progress = _Progress()
    running = background.start(run_clone(runtime, workspace.public_id, clone, on_output=progress.feed))
    while True:
        try:
            return running.result(PROGRESS_INTERVAL)
        except NotYet:
            if news := progress.news():
                detail = f"Cloning {row.full_name}: {news}"
                report_workspace(workspace.pk, state=Workspace.State.STARTING, detail=detail)


def _problem(result: RunResult, facts: Mapping[str, str], row: ProjectRepository, ref: str) -> str:
    """Return why a clone failed, as a sentence for people."""
    if result.end == "timeout":
        return f"{row.full_name} cannot be cloned: it takes longer than {TIMEOUT / 60:.0f} minutes."
    said = _SAID.findall(result.output.decode("utf-8", "replace"))
    text = PROBLEMS.get(facts.get("failed", ""), PROBLEMS["server"])
    shown = ref or "to start from: the server names no default branch"
    return text.format(title=row.full_name, ref=shown, said=said[-1].strip() if said else "git failed.")


def _summary(row: ProjectRepository, facts: Mapping[str, str], branch: str, seconds: float) -> str:
    """Return the sentences for people that describe a cloned repository: its commit and branch, and what the clone
    lacks."""
    if facts.get("empty"):
        return f"{row.full_name} is empty. The workspace has a repository without commits, on the branch {branch}."
    parts = [
        f"Cloned {row.full_name} at {facts['base']} ({facts['commit'][:8]}, {seconds:.1f} s), on the branch {branch}."
    ]
    if facts.get("mode") == "filtered":
        is_wanted = row.history == History.PARTIAL or row.folders
        parts.append(f"{'Git' if is_wanted else 'It is large: git'} gets files of older commits when it needs them.")
    if facts.get("depth"):
        newest = f"It has the newest {int(facts['depth']):,} commits of this branch"
        parts.append(f"{newest}; `git fetch --unshallow` gets the rest.")
    if row.folders:
        parts.append(f"It has only {', '.join(row.folders[:5])}{' and more' if len(row.folders) > 5 else ''}.")
    if int(facts.get("files", "0")) > FILES_LIMIT:
        parts.append(f"It has more than {FILES_LIMIT:,} files, so changes are not shown in sessions; git shows them.")
    return " ".join(parts)
