"""Compare the old and the new content of a changed file, and write the difference as a unified diff."""

from typing import Final, Literal, NamedTuple

from .changes import NO_FILE, PATCH_LIMIT, SNIFFED_BYTES, Changes, count_lines, quoted
from .line_diffs import exact_line, find_changes, lines_of, unified, without_spaces
from .manifests import Recorded
from .snapshots import Snapshots

KEPT_BYTES: Final = 4 << 20  # of contents that were read for the beginning of a file, until it is compared
MAX_LINES: Final = 20_000  # of both sides together, for a comparison inside the runner

Cut = Literal["", "file", "all", "time", "generated", "not_recorded"]
"""The reason why a patch is left out: it is too long, all patches of the list together are too long, comparing takes
too long, the file is generated, or its content was not recorded. In all cases but the last it can be requested
alone."""


class Pair(NamedTuple):
    """A changed file, as recorded before and after. `old_path` differs if it was renamed."""

    path: bytes
    old_path: bytes
    old: Recorded | None
    new: Recorded | None

    @property
    def status(self) -> str:
        if self.path != self.old_path:
            return "renamed"
        return "added" if self.old is None else "deleted" if self.new is None else "modified"

    @property
    def labels(self) -> list[str]:
        old, new = (path.decode("utf-8", "surrogateescape") for path in (self.old_path, self.path))
        return [quoted(f"a/{old}") if self.old else NO_FILE, quoted(f"b/{new}") if self.new else NO_FILE]


class Compared(NamedTuple):
    """The result of comparing a file. `counted`: the numbers of lines are known."""

    patch: str = ""
    cut: Cut = ""
    binary: bool = False
    counted: bool = True
    additions: int = 0
    deletions: int = 0


UNKNOWN: Final = Compared(cut="time", counted=False)


class Comparisons:
    """The comparison of changed files, line by line. `ignore_space` ignores differences in white space."""

    def __init__(self, snapshots: Snapshots, changes: Changes, *, ignore_space: bool) -> None:
        self._snapshots = snapshots
        self._changes = changes
        self._ignore_space = ignore_space
        self._read: dict[str, bytes] = {}
        self._room = KEPT_BYTES

    def content(self, recorded: Recorded | None) -> bytes:
        """Return the stored content of a file; empty for a missing file, and for a file whose content was not recorded.
        Raises OSError if the content is no longer kept."""
        if not recorded or not recorded.stored:
            return b""
        kept = self._read.pop(recorded.sha256, None)
        if kept is not None:
            self._room += len(kept)
            return kept
        return self._snapshots.content(recorded)

    def head(self, recorded: Recorded | None, size: int | None) -> bytes:
        """Return the first `size` bytes of a stored content, or all of it (None); empty if it is no longer stored."""
        try:
            content = self.content(recorded)
        except OSError:
            return b""
        if recorded and len(content) <= self._room:
            self._read[recorded.sha256] = content
            self._room -= len(content)
        return content[:size]

    def quickly(self, pair: Pair) -> Compared | None:
        """Compare a file inside the runner. Returns None if that would take too many steps."""
        if any(side and not side.stored for side in (pair.old, pair.new)):
            return Compared(cut="not_recorded", counted=False)
        try:
            contents = [self.content(pair.old), self.content(pair.new)]
        except OSError:  # deleted, because a record may be older than what is kept
            return Compared(cut="not_recorded", counted=False)
        if any(b"\0" in content[:SNIFFED_BYTES] for content in contents):
            return Compared(binary=True)
        old, new = map(lines_of, contents)
        if len(old) + len(new) > MAX_LINES:
            return None
        changes = find_changes(old, new, without_spaces if self._ignore_space else exact_line)
        if changes is None:
            return None
        additions = sum(change.new_end - change.new_start for change in changes)
        deletions = sum(change.old_end - change.old_start for change in changes)
        patch = unified(old, new, changes, pair.labels).decode("utf-8", "replace") if changes else ""
        return Compared(patch, additions=additions, deletions=deletions)

    def in_full(self, pair: Pair) -> Compared:
        """Compare the two states of a file inside the runner or, if that takes too many steps, with diff(1). A patch of
        more than `PATCH_LIMIT` bytes is left out."""
        compared = self.quickly(pair) or self._by_diff(pair)
        return compared if len(compared.patch) <= PATCH_LIMIT else compared._replace(patch="", cut="file")

    def _by_diff(self, pair: Pair) -> Compared:
        contents = [self.content(pair.old), self.content(pair.new)]
        patch = self._changes.text_diff(contents, pair.labels, ignore_space=self._ignore_space)
        if patch is None:
            return Compared(cut="file", counted=False)
        text = patch.decode("utf-8", "replace")
        additions, deletions = count_lines(text)
        return Compared(text, additions=additions, deletions=deletions)


def text_patch(changes: Changes, contents: list[bytes]) -> bytes | None:
    """Return the unified diff of two texts with the hunks that a review shows; None if it is too long."""
    old, new = map(lines_of, contents)
    found = find_changes(old, new) if len(old) + len(new) <= MAX_LINES else None
    labels = ["a", "b"]
    return changes.text_diff(contents, labels) if found is None else unified(old, new, found, labels)
