"""Compare two states of the workspace and describe the differences as unified diffs.

The comparison is done by diff(1) in a process of its own, because hostile text can make any comparison slow. It runs as
a third user (`BYSTANDER_UID`), so that commands cannot tamper with what a person will review.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from . import frames
from .budgets import AnswerRoom, MemoryPool
from .manifests import Manifest, Recorded, packed_part, recorded_in
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, Head, run_program
from .snapshots import Snapshots, too_many

PATCH_LIMIT: Final = 1 << 20  # bytes of one patch
ANSWER_LIMIT: Final = 16 << 20  # bytes of all patches in one response
PATCHES_LIMIT: Final = 1_000  # patches in one response
DIFF_TIMEOUT: Final = 10.0  # seconds
SNIFFED_BYTES: Final = 8_000  # of a file, in which a zero byte means that it is binary
NO_FILE: Final = "/dev/null"
SHORT_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


class Changes:
    """The differences between snapshots, or between a snapshot and the current files."""

    def __init__(self, snapshots: Snapshots, supervisor: Supervisor, root_fd: int, pool: MemoryPool) -> None:
        self._snapshots = snapshots
        self._supervisor = supervisor
        self._root_fd = root_fd
        self._pool = pool

    def between(self, base: str, target: str | None) -> list[dict[str, Any]]:
        """Return the changes from one snapshot to another, or to the current files if `target` is None.

        After `PATCHES_LIMIT` changes or `ANSWER_LIMIT` bytes of patches, the remaining changes have no patch.
        """
        with self._snapshots.budget() as old, self._snapshots.budget() as new, self._snapshots.budget() as changed:
            before = self._snapshots.load(base, old)
            after = self._snapshots.load(target, new) if target else self._snapshots.current()
            return self._describe_all(before, after, AnswerRoom(changed))

    def _describe_all(self, before: Manifest, after: Manifest, room: AnswerRoom) -> list[dict[str, Any]]:
        left = ANSWER_LIMIT
        answer: list[dict[str, Any]] = []
        for path in changed_paths(before, after):
            in_full = left > 0 and len(answer) < PATCHES_LIMIT
            sides = [recorded_in(entry) if entry else None for entry in (before.get(path), after.get(path))]
            change = self._describe(os.fsdecode(path), *sides, in_full=in_full)
            patch = change.pop("patch")
            if not room.fits(change):
                raise too_many("too many of them changed")
            left -= len(frames.to_json(patch))
            answer.append({**change, "patch": patch})
        return answer

    def _describe(self, path: str, old: Recorded | None, new: Recorded | None, *, in_full: bool) -> dict[str, Any]:
        status = "added" if old is None else "deleted" if new is None else "modified"
        patch = self._patch(path, old, new) if in_full else None
        additions, deletions = count_lines(patch or "")
        return {
            "path": path,
            "status": status,
            "additions": additions,
            "deletions": deletions,
            "patch": patch or "",
            "binary": patch is None,
        }

    def _patch(self, path: str, old: Recorded | None, new: Recorded | None) -> str | None:
        """Return the unified diff of one file. None for binary files, files too large, and content that was not
        stored."""
        if any(side is not None and not side.stored for side in (old, new)):
            return None
        contents = [self._snapshots.content(side) if side else b"" for side in (old, new)]
        if any(b"\0" in content[:SNIFFED_BYTES] for content in contents):
            return None
        if contents[0] == contents[1]:
            return ""
        labels = [quoted(f"a/{path}") if old else NO_FILE, quoted(f"b/{path}") if new else NO_FILE]
        patch = self.text_diff(contents, labels)
        return None if patch is None else patch.decode("utf-8", "replace")

    def text_diff(self, contents: list[bytes], labels: list[str], *, ignore_space: bool = False) -> bytes | None:
        """Return the unified diff of two different contents. None if it is too long, or takes too long.

        With `ignore_space`, differences in white space are ignored, and the diff may be empty.
        """
        head = Head(PATCH_LIMIT)
        with in_memory(contents[0]) as old, in_memory(contents[1]) as new:
            files = [f"/proc/self/fd/{fd}" for fd in (old, new)]
            options = ["--text", "-u", *(["-w"] if ignore_space else []), "--label", labels[0], "--label", labels[1]]
            argv = ["diff", *options, "--", *files]
            cwd_fd = os.dup(self._root_fd)
            job = Job(
                argv,
                head,
                cwd_fd=cwd_fd,
                env=ENVIRONMENT,
                timeout=DIFF_TIMEOUT,
                pass_fds=(old, new),
                bystander=True,
                data_mib=self._pool.program_mib,
            )
            run_program(self._supervisor, job)
        if job.end != "exited" or job.exit_code not in ((0, 1) if ignore_space else (1,)):
            return None
        return bytes(head.kept)


def changed_paths(before: Manifest, after: Manifest) -> list[bytes]:
    return sorted(
        path
        for path in before.keys() | after.keys()
        if packed_part(before.get(path, b"")) != packed_part(after.get(path, b""))
    )


def count_lines(patch: str) -> tuple[int, int]:
    """Return how many lines a patch adds and removes, without its two header lines."""
    lines = patch.split("\n")[2:]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def quoted(name: str) -> str:
    """Quote a name as git does in a patch.

    Without the quotes, a name with a line break could look like lines of the patch.
    """
    if name.isprintable():
        return name
    return '"' + "".join(map(_escaped, name)) + '"'


def _escaped(char: str) -> str:
    if char in SHORT_ESCAPES:
        return SHORT_ESCAPES[char]
    return char if char.isprintable() else "".join(f"\\{byte:03o}" for byte in os.fsencode(char))


@contextmanager
def in_memory(content: bytes) -> Iterator[int]:
    """Open an anonymous in-memory file with this content."""
    fd = os.memfd_create("content", os.MFD_CLOEXEC)
    try:
        with open(fd, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)
