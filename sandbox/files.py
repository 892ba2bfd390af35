"""Value types for files: status, content, search results, changes, diffs and archives.

They are part of the interfaces in `sandbox.ports`, which also exports them. The module docstring there defines how
paths, sizes and times are written.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

FileKind = Literal["file", "directory", "symlink", "other"]
DiffStatus = Literal["added", "modified", "deleted"]


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
    """The state that a write expects at the path, when the expectation is not a content hash."""

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
    """The difference of one file.

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
    is a fingerprint of the files (names, modes, sizes, times): equal states have equal values. It is empty after a
    restore.
    """

    entries: int
    size: int
    left_out: int
    state: str = ""
