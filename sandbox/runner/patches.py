"""Write the differences between a snapshot and the current files as a patch for `git apply`: with binary files, modes,
links and renames.

The patch is made from contents that were recorded where the tool user has no access. git is not used, so nothing in the
workspace's repository (its configuration, its attributes) can hide a change or run a program.
"""

import hashlib
import os
import stat
import zlib
from base64 import b85encode
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from .changes import NO_FILE, SNIFFED_BYTES, Changes, changed_paths, quoted
from .manifests import Manifest, Recorded, recorded_in
from .snapshots import Snapshots

SIMILAR: Final = 0.5  # share of the content that a renamed file must have in common, as git's default
RENAMES_LIMIT: Final = 200  # deleted and added files that are compared for renames, each
COMPARED_BYTES: Final = 256 << 10  # of a file that is compared for renames
LINE_BYTES: Final = 52  # of binary content in one line of a patch
LENGTHS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NULL_ID: Final = "0" * 40
LEFT_OUT: Final = "# Left out, because its content was not recorded (more than 2 MiB): {}\n"


class Side(NamedTuple):
    """A file before or after: its path, what was recorded of it, and the id that git has for its content."""

    path: str
    recorded: Recorded
    content: bytes

    @property
    def mode(self) -> str:
        if stat.S_ISLNK(self.recorded.mode):
            return "120000"
        return "100755" if self.recorded.mode & 0o111 else "100644"

    @property
    def id(self) -> str:
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content, usedforsecurity=False).hexdigest()


class Patches:
    """Writes patches of the workspace's changes."""

    def __init__(self, snapshots: Snapshots, changes: Changes) -> None:
        self._snapshots = snapshots
        self._changes = changes

    def write(self, sink: Callable[[bytes], None], base: str) -> dict[str, Any]:
        """Pass the patch to `sink` piece by piece. Return how many files it changes, its bytes, and how many changes
        are left out because a content was not recorded; the patch names these in comments before the first change."""
        entries = size = 0
        with self._snapshots.budget() as old:
            before, after = self._snapshots.load(base, old), self._snapshots.current()
            paths = changed_paths(before, after)
            lost = [path for path in paths if not all(each.stored for each in _sides(path, before, after) if each)]
            for path in lost:
                sink(LEFT_OUT.format(quoted(os.fsdecode(path))).encode("utf-8", "surrogateescape"))
            for old_side, new_side in self._pairs(paths, before, after, frozenset(lost)):
                piece = b"".join(self._change(old_side, new_side))
                sink(piece)
                entries, size = entries + 1, size + len(piece)
        return {"state": "", "entries": entries, "size": size, "left_out": len(lost)}

    def _pairs(
        self, paths: list[bytes], before: Manifest, after: Manifest, lost: frozenset[bytes]
    ) -> Iterator[tuple[Side | None, Side | None]]:
        """Yield the two sides of each change, those of a renamed file together."""
        kept = [path for path in paths if path not in lost]
        renames = self._renames(kept, before, after)
        sources = set(renames.values())
        for path in kept:
            old, new = _sides(path, before, after)
            if path in sources:
                continue
            if old and new and stat.S_IFMT(old.mode) != stat.S_IFMT(new.mode):
                yield self._side(path, old), None
                yield None, self._side(path, new)
            elif path in renames:
                yield self._side(renames[path], recorded_in(before[renames[path]])), self._side(path, new)
            else:
                yield self._side(path, old), self._side(path, new)

    def _side(self, path: bytes, recorded: Recorded | None) -> Side | None:
        return recorded and Side(os.fsdecode(path), recorded, self._snapshots.content(recorded))

    def _renames(self, paths: list[bytes], before: Manifest, after: Manifest) -> dict[bytes, bytes]:
        """Return which added path has the content of which deleted one, or most of it."""
        sides = {path: _sides(path, before, after) for path in paths}
        deleted = {path: old for path, (old, new) in sides.items() if old and not new and old.size}
        added = {path: new for path, (old, new) in sides.items() if new and not old and new.size}
        found: dict[bytes, bytes] = {}
        for path, new in added.items():
            same = (source for source, old in deleted.items() if (old.sha256, old.mode) == (new.sha256, new.mode))
            if source := next(same, None):
                found[path] = source
                del deleted[source]
        if len(deleted) <= RENAMES_LIMIT and len(added) <= RENAMES_LIMIT:
            self._similar({path: new for path, new in added.items() if path not in found}, deleted, found)
        return found

    def _similar(self, added: dict[bytes, Recorded], deleted: dict[bytes, Recorded], found: dict[bytes, bytes]) -> None:
        lines = {source: self._lines(old) for source, old in deleted.items()}
        for path, new in added.items():
            mine = self._lines(new)
            scores = {source: similarity(mine, theirs) for source, theirs in lines.items()}
            best = max(scores, key=lambda source: scores[source], default=None)
            if best is not None and scores[best] >= SIMILAR:
                found[path] = best
                del lines[best]

    def _lines(self, recorded: Recorded) -> Counter[bytes]:
        if recorded.size > COMPARED_BYTES or not stat.S_ISREG(recorded.mode):
            return Counter()
        return Counter(self._snapshots.content(recorded).splitlines(keepends=True))

    def _change(self, old: Side | None, new: Side | None) -> Iterator[bytes]:
        first, second = (old or new), (new or old)
        if first is None or second is None:
            return
        yield f"diff --git {quoted('a/' + first.path)} {quoted('b/' + second.path)}\n".encode(
            "utf-8", "surrogateescape"
        )
        yield "".join(_headers(old, new)).encode("utf-8", "surrogateescape")
        contents = [old.content if old else b"", new.content if new else b""]
        if contents[0] == contents[1]:
            return
        yield f"index {old.id if old else NULL_ID}..{new.id if new else NULL_ID}\n".encode()
        text = self._text(contents, old, new)
        yield binary_patch(contents) if text is None else text

    def _text(self, contents: list[bytes], old: Side | None, new: Side | None) -> bytes | None:
        """Return the lines of a text patch; None if the change must be written as a binary one."""
        if any(b"\0" in content[:SNIFFED_BYTES] for content in contents):
            return None
        labels = [quoted(f"a/{old.path}") if old else NO_FILE, quoted(f"b/{new.path}") if new else NO_FILE]
        return self._changes.text_diff(contents, labels)


def _sides(path: bytes, before: Manifest, after: Manifest) -> tuple[Recorded | None, Recorded | None]:
    old, new = before.get(path), after.get(path)
    return (recorded_in(old) if old else None), (recorded_in(new) if new else None)


def _headers(old: Side | None, new: Side | None) -> Iterator[str]:
    """Yield the extended headers of a change."""
    if old is None and new is not None:
        yield f"new file mode {new.mode}\n"
    elif new is None and old is not None:
        yield f"deleted file mode {old.mode}\n"
    elif old is not None and new is not None:
        if old.mode != new.mode:
            yield f"old mode {old.mode}\nnew mode {new.mode}\n"
        if old.path != new.path:
            score = int(100 * similarity(*(Counter(side.content.splitlines(keepends=True)) for side in (old, new))))
            yield f"similarity index {score}%\nrename from {quoted(old.path)}\nrename to {quoted(new.path)}\n"


def similarity(mine: Counter[bytes], theirs: Counter[bytes]) -> float:
    """Return the share of the larger content that both have in common, by lines."""
    most = max(_bytes(mine), _bytes(theirs))
    return _bytes(mine & theirs) / most if most else 0.0


def _bytes(lines: Counter[bytes]) -> int:
    return sum(len(line) * times for line, times in lines.items())


def binary_patch(contents: list[bytes]) -> bytes:
    """Return both contents in git's format for binary files, the new one first."""
    return b"GIT binary patch\n" + b"\n".join(map(_literal, reversed(contents))) + b"\n"


def _literal(content: bytes) -> bytes:
    packed = zlib.compress(content)
    lines = [b"literal %d\n" % len(content)]
    for start in range(0, len(packed), LINE_BYTES):
        piece = packed[start : start + LINE_BYTES]
        lines.append(LENGTHS[len(piece) - 1].encode() + b85encode(piece, pad=True) + b"\n")
    return b"".join(lines)
