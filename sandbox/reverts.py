"""Values of changes that calls made, and of reverts that take them back."""

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
    """What a call changed in one file. None stands for no file. `shared`: another session's command ran at the same
    time, so it is not certain which of them changed the file."""

    path: str
    before: FileState | None
    after: FileState | None
    shared: bool


@dataclass(frozen=True, slots=True)
class CallChanges:
    """What a call changed. `more` counts files beyond the limit of a record. `problem` says why the changes of a
    command are not known: "lost" (the sandbox ended while it ran) or "too_many" (files to compare)."""

    files: Sequence[RecordedChange] = ()
    more: int = 0
    problem: RecordProblem = ""


@dataclass(frozen=True, slots=True)
class WantedRevert:
    """A file to revert. `chain` has the states before and after each change that is taken back, the oldest first.
    `hunks` are the numbers (from 0) of those hunks that are taken back, None for the whole file. `decision` is a
    person's about a conflict, which counts only while the file is in the state `seen`."""

    path: str
    chain: Sequence[tuple[FileState | None, FileState | None]]
    hunks: Sequence[int] | None = None
    decision: Decision = ""
    seen: FileState | None = None


@dataclass(frozen=True, slots=True)
class RevertedFile:
    """What a revert does with one file. `before` is its state when the revert began, `after` the one that it has
    then (of a preview: None). `patch` is the diff between the two, for texts and in previews only."""

    path: str
    status: RevertStatus
    reason: str
    before: FileState | None
    after: FileState | None
    patch: str = ""


@dataclass(frozen=True, slots=True)
class RevertResult:
    """The result of a revert. Files whose state is the wanted one already are left out. If `applied` is false, nothing
    was changed: it was a preview, or a file is in conflict."""

    applied: bool
    files: Sequence[RevertedFile]
