"""What is said of files: what lies there, what is in them, and how they are to change.

Part of the interfaces in `sandbox.ports`, which name these too. Paths, sizes and times are as described there.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

FileKind = Literal["file", "directory", "symlink", "other"]
DiffStatus = Literal["added", "modified", "deleted"]


class RealPath(str):
    """A path as `stat` resolved it. Given to any operation it means that very place: when a link has got into it
    meanwhile, the operation is refused (PathOutside), also where the link stays inside the workspace."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FileStat:
    """`real_path` has every symlink resolved inside the sandbox; `inside` says whether it is under the workspace root.

    `real_path` of a path that does not exist resolves the part that does.
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
    """`content` starts at the asked offset; `sha256` (hex) and `size` are of the whole file."""

    path: str
    content: bytes
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Found:
    """Paths relative to the workspace root when inside it, else absolute; `capped` when `limit` cut the list."""

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
    """What a write expects to find, when it is not a content hash."""

    ANYTHING = "anything"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change set: what it is to hold, or None to remove it. `expected` and `mode` as `write` has them."""

    path: str
    content: bytes | None
    expected: str | Expect = Expect.ANYTHING
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class FileDiff:
    """`patch` is a unified diff (empty for binary or oversize files, which set `binary`)."""

    path: str
    status: DiffStatus
    additions: int
    deletions: int
    patch: str
    binary: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveSummary:
    """What went into an archive or came out of it. `size` is of the contents, `left_out` counts what could not be
    taken or put. `state` is equal for equal states of the files (names, modes, sizes, times); empty when restored."""

    entries: int
    size: int
    left_out: int
    state: str = ""
