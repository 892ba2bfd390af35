"""Value types for the changes that reviewers read. `sandbox.ports` also exports them."""

from dataclasses import dataclass
from typing import Literal

ReviewStatus = Literal["added", "modified", "deleted", "renamed"]
CutReason = Literal["", "file", "all", "time", "generated", "not_recorded"]
FolderKind = Literal["dependencies", "cache", "build"]


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A changed file as reviewers see it.

    `patch` is a unified diff. If it is left out, `cut` says why: the patch is too long (file), all patches of the list
    are too long together (all), comparing took too long (time), the file is `generated`, or a content was not recorded
    (not_recorded). `counted`: the numbers of lines are known. `old_path` differs from `path` if the file was renamed. A
    mode is empty if the file does not exist; sizes are in bytes. `version` changes with the file's new content and
    mode.
    """

    path: str
    old_path: str
    status: ReviewStatus
    old_mode: str
    new_mode: str
    old_size: int
    new_size: int
    version: str
    generated: bool
    binary: bool
    counted: bool
    additions: int
    deletions: int
    cut: CutReason
    patch: str


@dataclass(frozen=True, slots=True)
class FoldedFolder:
    """A folder of dependencies, a cache or build products, and the number of its files that changed."""

    path: str
    kind: FolderKind
    files: int


@dataclass(frozen=True, slots=True)
class ReviewList:
    """The changes for a reviewer, sources first. `more_files` is the number of changed files that are not listed."""

    files: tuple[ReviewedFile, ...]
    folded: tuple[FoldedFolder, ...] = ()
    more_files: int = 0


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of the workspace's repository. `at` is the committer's date as a Unix time."""

    commit: str
    subject: str
    author: str
    at: int
