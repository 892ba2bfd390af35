"""Values of changes that calls made, and of reverts that take these back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

RecordProblem = Literal["", "lost", "too_many"]
RevertStatus = Literal["clean", "merged", "conflict", "kept", "taken_back", "done", "not_covered"]
Decision = Literal["", "keep", "take_back"]


@dataclass(frozen=True, slots=True)
class FileState:
    """A file at one moment. `mode` has the kind of file and its permissions (st_mode); the content of a symbolic link
    is its target. `stored`: the content is kept, not only its hash."""

    mode: int
    size: int
    sha256: str
    stored: bool


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """The change of a call in one file. None stands for a missing file. `shared`: another session's command ran at the
    same time, so it is not certain which of them changed the file."""

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
    """A file to revert. `chain` has the states before and after each change that is taken back, the oldest first.
    `hunks` are the numbers (from 0) of the hunks that are taken back, None for the whole file. `decision` is a person's
    decision about a conflict; it is used only if the file is still in the state `seen`."""

    path: str
    chain: Sequence[tuple[FileState | None, FileState | None]]
    hunks: Sequence[int] | None = None
    decision: Decision = ""
    seen: FileState | None = None


@dataclass(frozen=True, slots=True)
class RevertedFile:
    """The effect of a revert on one file. `before` is the file's state when the revert began, `after` its state
    afterwards (None in a preview). `patch` is the diff between the two; only previews of texts have it."""

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
