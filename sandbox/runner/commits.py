"""Read the commits of the workspace's repository, and the changes of one commit in the form of recorded changes.

git runs as the tool user, as a command would run it. The contents before and after a change are stored like contents of
snapshots, so a review shows a commit as it shows any other change.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from .budgets import MemoryPool
from .changes import in_memory
from .digests import sha256
from .errors import LIMIT_REACHED, NOT_FOUND, Refusal
from .privileges import Identity
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, Head, run_program
from .snapshots import GIT, MAX_STORED_BYTES, Snapshots
from .tree import Tree, status_exactly

MAX_COMMITS: Final = 100
MAX_FILES: Final = 5_000  # of one commit; more are refused
CONTENT_BYTES: Final = 64 << 20  # of all contents of a commit; others are only named
BATCH_BYTES: Final = 4 << 20  # of contents that are read at once
OUTPUT_BYTES: Final = 4 << 20  # of lists that git prints
GIT_SECONDS: Final = 20.0
COMMIT: Final = re.compile("^[0-9a-f]{40}(?:[0-9a-f]{24})?$")
ENTRY: Final = re.compile(rb"^:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z]\d*$")
NONE: Final = b"000000"
SUBMODULE: Final = b"160000"
FORMAT: Final = "--format=%H%x1f%an%x1f%ct%x1f%s"
CAT: Final = 'exec git cat-file "$1" < "$2"'


class Blob(NamedTuple):
    """A file in a commit: its mode and the id of its content."""

    mode: int
    id: bytes


class Commits:
    """The commits of the workspace's repository, read with git."""

    def __init__(
        self, tree: Tree, identity: Identity, snapshots: Snapshots, supervisor: Supervisor, pool: MemoryPool
    ) -> None:
        self._tree = tree
        self._identity = identity
        self._snapshots = snapshots
        self._supervisor = supervisor
        self._pool = pool

    def newest(self, since: int) -> list[dict[str, Any]]:
        """Return the commits of the current branch that were made since a time (Unix), the newest first: {commit,
        subject, author, at}. A merge stands for the commits that it merged."""
        if not self._has_repository():
            return []
        options = ["--no-show-signature", "--first-parent", f"--since=@{since} +0000", "-z", FORMAT, f"-n{MAX_COMMITS}"]
        code, output = self._git("log", *options, "HEAD", "--")
        return [dict(_described(line)) for line in output.split(b"\0") if line] if code == 0 else []

    def changes(self, commit: str) -> list[Any]:
        """Return the changes of a commit compared with its first parent: [[path, state before, state after]]. Raises
        Refusal if there is no such commit, or if it changed too many files."""
        if not COMMIT.match(commit) or not self._has_repository():
            raise Refusal(NOT_FOUND, "There is no such commit.")
        options = ["-m", "--first-parent", "--raw", "-z", "--no-renames", "--no-abbrev", "--format="]
        code, output = self._git("show", "--no-show-signature", *options, f"{commit}^{{commit}}", "--")
        if code != 0:
            raise Refusal(NOT_FOUND, "There is no such commit.")
        sides = list(_sides(output))
        states = self._states({blob for _, *both in sides for blob in both if blob})
        return [[path, *(blob and states.get(blob) for blob in both)] for path, *both in sides]

    def _states(self, blobs: set[Blob]) -> dict[Blob, list[Any]]:
        """Store the contents of the blobs, as far as the limits allow, and return the state of each blob."""
        sizes = self._sizes({blob.id for blob in blobs})
        digests: dict[bytes, tuple[str, bool]] = {}
        for batch in _batches(sizes):
            for blob_id, content in self._contents(batch, sizes):
                digest = sha256(content).hexdigest()
                digests[blob_id] = digest, self._snapshots.contents.store(digest, content)
        return {blob: _state(blob, sizes, digests.get(blob.id)) for blob in blobs if blob.id in sizes}

    def _sizes(self, ids: set[bytes]) -> dict[bytes, int]:
        lines = self._cat("--batch-check=%(objectname) %(objecttype) %(objectsize)", sorted(ids)).split(b"\n")
        found = [line.split(b" ") for line in lines]
        return {line[0]: int(line[2]) for line in found if len(line) == 3 and line[1] == b"blob"}

    def _contents(self, ids: Sequence[bytes], sizes: dict[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
        output = self._cat("--batch", ids, limit=OUTPUT_BYTES + BATCH_BYTES)
        at = 0
        for blob_id in ids:
            at = output.find(b"\n", at) + 1
            content = output[at : at + sizes[blob_id]]
            if not at or len(content) < sizes[blob_id]:
                return
            yield blob_id, content
            at += sizes[blob_id] + 1

    def _cat(self, how: str, ids: Sequence[bytes], *, limit: int = OUTPUT_BYTES) -> bytes:
        with in_memory(b"".join(each + b"\n" for each in ids)) as asked:
            argv = ["sh", "-c", CAT, "sh", how, f"/proc/self/fd/{asked}"]
            return self._run(argv, limit, pass_fds=(asked,))[1]

    def _git(self, *words: str) -> tuple[int, bytes]:
        return self._run([*GIT, *words], OUTPUT_BYTES)

    def _run(self, argv: Sequence[str], limit: int, *, pass_fds: Sequence[int] = ()) -> tuple[int, bytes]:
        head, memory = Head(limit), self._pool.program_mib
        job = Job(
            argv, head, cwd_fd=os.dup(self._tree.root_fd), env=ENVIRONMENT, timeout=GIT_SECONDS, pass_fds=pass_fds,
            data_mib=memory,
        )  # fmt: skip
        run_program(self._supervisor, job)
        if len(head.kept) > limit:
            raise Refusal(LIMIT_REACHED, "The commit is too large to be shown.")
        return job.exit_code, bytes(head.kept)

    def _has_repository(self) -> bool:
        try:
            with self._identity.as_tool_user():
                status_exactly(self._tree.root_fd, ".git")
        except OSError:
            return False
        return True


def _described(line: bytes) -> Iterator[tuple[str, Any]]:
    fields = line.decode("utf-8", "replace").split("\x1f", 3)
    for name, value in zip(("commit", "author", "at", "subject"), fields, strict=False):
        yield name, int(value) if name == "at" and value.isdecimal() else value.strip()


def _sides(output: bytes) -> Iterator[tuple[str, Blob | None, Blob | None]]:
    """Parse git's list of the files that a commit changed: yield path, old file and new file of each.

    Submodules are left out. Raises Refusal if there are too many files.
    """
    fields = iter(output.strip(b"\n").split(b"\0"))
    count = 0
    for head in fields:
        found = ENTRY.match(head.strip(b"\n"))
        if found is None:
            continue
        path, count = next(fields, b""), count + 1
        if count > MAX_FILES:
            raise Refusal(LIMIT_REACHED, f"The commit changed more than {MAX_FILES:,} files.")
        modes, ids = (found[1], found[2]), (found[3], found[4])
        if SUBMODULE not in modes and path:
            old, new = (
                None if mode == NONE else Blob(int(mode, 8), each) for mode, each in zip(modes, ids, strict=True)
            )
            yield os.fsdecode(path), old, new


def _batches(sizes: dict[bytes, int]) -> Iterator[list[bytes]]:
    """Yield the ids of contents in batches that are read together. Contents beyond the limits are left out."""
    batch: list[bytes] = []
    room, left = BATCH_BYTES, CONTENT_BYTES
    for blob_id, size in sorted(sizes.items(), key=lambda item: item[1]):
        if size > MAX_STORED_BYTES or size > left:
            break
        if size > room and batch:
            yield batch
            batch, room = [], BATCH_BYTES
        batch.append(blob_id)
        room, left = room - size, left - size
    if batch:
        yield batch


def _state(blob: Blob, sizes: dict[bytes, int], stored: tuple[str, bool] | None) -> list[Any]:
    """Return [mode, size, SHA-256, whether the content is stored] of a file.

    For a content that was not read, the SHA-256 is that of git's blob id, which also differs between versions.
    """
    digest, is_stored = stored or (sha256(blob.id).hexdigest(), False)
    return [blob.mode, sizes[blob.id], digest, is_stored]
