"""Value types for files: status, content, search results, changes and their reverts, diffs and archives.

They are part of the interfaces in `sandbox.ports`, which also exports them. The module docstring there defines how
paths, sizes and times are written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

FileKind = Literal["file", "directory", "symlink", "other"]
DiffStatus = Literal["added", "modified", "deleted"]
RecordProblem = Literal["", "lost", "too_many"]
RevertStatus = Literal["clean", "merged", "conflict", "kept", "taken_back", "done", "not_covered"]
Decision = Literal["", "keep", "take_back"]


class RealPath(str):
    """A path that `stat` has already resolved.

    An operation on a `RealPath` follows no link: if a symlink has meanwhile appeared anywhere in the path, the
    operation raises PathOutside, even if the link stays inside the workspace.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FileStat:
    """The status of one path.

    `real_path` is the path with every symlink resolved inside the sandbox. If the path does not exist, the part that
    exists is resolved. `inside` is true if `real_path` is below the workspace root.
    """

    path: str
    real_path: RealPath
    inside: bool
    exists: bool
    kind: FileKind = "other"
    size: int = 0
    mode: int = 0
    modified_ns: int = 0


@dataclass(frozen=True, slots=True)
class FileContent:
    """A part of a file: `content` starts at the requested offset; `sha256` (hex) and `size` describe the whole file."""

    path: str
    content: bytes
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Found:
    """Files that a glob matched.

    Paths are relative to the workspace root if they are inside it, and absolute otherwise. `capped` is true if `limit`
    cut the list.
    """

    paths: tuple[str, ...]
    capped: bool


@dataclass(frozen=True, slots=True)
class GrepMatch:
    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class GrepResult:
    matches: tuple[GrepMatch, ...]
    capped: bool


class Expect(StrEnum):
    """The state of a file that a write requires, if it is not given as the hash of the present content."""

    ANYTHING = "anything"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change set.

    `content` is the new content, or None to remove the file. `expected` and `mode` have the same meaning as in
    `Runtime.write`.
    """

    path: str
    content: bytes | None
    expected: str | Expect = Expect.ANYTHING
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The difference between two states of one file.

    `patch` is a unified diff; it is empty if `binary` is set (binary or oversize file).
    """

    path: str
    status: DiffStatus
    additions: int
    deletions: int
    patch: str
    binary: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """The result of writing an archive or restoring one.

    `size` is the bytes of file contents. `left_out` counts the entries that could not be archived or restored. `state`
    is a fingerprint of the files (names, modes, sizes, times), which changes whenever one of these changes. It is empty
    after a restore.
    """

    entries: int
    size: int
    left_out: int
    state: str = ""


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a file at one time.

    `mode` has the kind of file and its permissions (st_mode); the content of a symbolic link is its target. `stored`:
    the content is kept, not only its hash.
    """

    mode: int
    size: int
    sha256: str
    stored: bool


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A change that a tool call made to one file. `before` and `after` are None if the file does not exist.

    `shared`: another session's command ran at the same time, so it is not certain which of them changed the file.
    """

    path: str
    before: FileState | None
    after: FileState | None
    shared: bool


@dataclass(frozen=True, slots=True)
class CallChanges:
    """The changes of a call. `more` counts files beyond the limit of a record. `problem` says why the changes of a
    command are not known: "lost" (the sandbox ended while it ran) or "too_many" (files to compare)."""

    files: Sequence[RecordedChange] = ()
    more: int = 0
    problem: RecordProblem = ""


@dataclass(frozen=True, slots=True)
class WantedRevert:
    """A file to revert. `chain` has the states before and after each change that is undone, the oldest first. `hunks`
    are the numbers (from 0) of the hunks that are undone, None for the whole file. `decision` is a person's decision
    about a conflict; it is used only if the file is still in the state `seen`."""

    path: str
    chain: Sequence[tuple[FileState | None, FileState | None]]
    hunks: Sequence[int] | None = None
    decision: Decision = ""
    seen: FileState | None = None


@dataclass(frozen=True, slots=True)
class RevertedFile:
    """The effect of a revert on one file. `before` is the file's state when the revert began, `after` its state
    afterwards (None in a preview). `patch` is the diff from `before` to `after`; only previews of text files have
    it."""

    path: str
    status: RevertStatus
    reason: str
    before: FileState | None
    after: FileState | None
    patch: str = ""


@dataclass(frozen=True, slots=True)
class RevertResult:
    """The result of a revert. Files that already have the wanted state are left out. If `applied` is false, nothing was
    changed: it was a preview, or a file is in conflict."""

    applied: bool
    files: Sequence[RevertedFile]
