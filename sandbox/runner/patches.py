"""Write the differences between two states of the files as a patch for `git apply`: with binary files, modes, links
and renames.

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
from .manifests import Manifest, Recorded, git_mode, recorded_in
from .renames import find_renames, sides_of, similarity
from .reviews import Between, states_between
from .snapshots import Snapshots

RENAMES_LIMIT: Final = 200  # deleted and added files that are compared for renames, each
LINE_BYTES: Final = 52  # of binary content in one line of a patch
LENGTHS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NULL_ID: Final = "0" * 40
LEFT_OUT: Final = "# Left out, because its content is not kept (more than 2 MiB, or too old): {}\n"


class Side(NamedTuple):
    """A file before or after a change: its path, the recorded data about it, and git's id of its content."""

    path: str
    recorded: Recorded
    content: bytes

    @property
    def mode(self) -> str:
        return git_mode(self.recorded.mode)

    @property
    def id(self) -> str:
        return hashlib.sha1(b"blob %d\0" % len(self.content) + self.content, usedforsecurity=False).hexdigest()


class Patches:
    """A writer of patches with changes of the workspace's files."""

    def __init__(self, snapshots: Snapshots, changes: Changes) -> None:
        self._snapshots = snapshots
        self._changes = changes

    def write(self, sink: Callable[[bytes], None], compared: Between) -> dict[str, Any]:
        """Pass the patch to `sink` piece by piece. Return its number of files, its size in bytes, and the number of
        changes that are left out because a content is no longer kept. Comments at the start of the patch name these
        changes."""
        entries = size = 0
        with self._snapshots.budget() as old, self._snapshots.budget() as new:
            before, after = states_between(self._snapshots, compared, old, new)
            paths = changed_paths(before, after)
            lost = [path for path in paths if not all(map(self._is_kept, sides_of(path, before, after)))]
            for path in lost:
                sink(LEFT_OUT.format(quoted(os.fsdecode(path))).encode("utf-8", "surrogateescape"))
            for old_side, new_side in self._pairs(paths, before, after, frozenset(lost)):
                piece = b"".join(self._change(old_side, new_side))
                sink(piece)
                entries, size = entries + 1, size + len(piece)
        return {"state": "", "entries": entries, "size": size, "left_out": len(lost)}

    def _is_kept(self, recorded: Recorded | None) -> bool:
        if recorded is None:
            return True
        return recorded.stored and self._snapshots.contents.stored(recorded.sha256) is not None

    def _pairs(
        self, paths: list[bytes], before: Manifest, after: Manifest, lost: frozenset[bytes]
    ) -> Iterator[tuple[Side | None, Side | None]]:
        """Yield (old side, new side) of each changed file. A renamed file is one pair; a change of file type is two."""
        kept = [path for path in paths if path not in lost]
        renames = find_renames(
            kept, before, after, self._snapshots.content, most_files=RENAMES_LIMIT, most_pairs=RENAMES_LIMIT**2
        )
        sources = set(renames.values())
        for path in kept:
            old, new = sides_of(path, before, after)
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
        """Return the lines of a text patch; None if the change must be written as a binary patch."""
        if any(b"\0" in content[:SNIFFED_BYTES] for content in contents):
            return None
        labels = [quoted(f"a/{old.path}") if old else NO_FILE, quoted(f"b/{new.path}") if new else NO_FILE]
        return self._changes.text_diff(contents, labels)


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


def binary_patch(contents: list[bytes]) -> bytes:
    """Return the old and the new content in git's format for binary files, the new content first."""
    return b"GIT binary patch\n" + b"\n".join(map(_literal, reversed(contents))) + b"\n"


def _literal(content: bytes) -> bytes:
    packed = zlib.compress(content)
    lines = [b"literal %d\n" % len(content)]
    for start in range(0, len(packed), LINE_BYTES):
        piece = packed[start : start + LINE_BYTES]
        lines.append(LENGTHS[len(piece) - 1].encode() + b85encode(piece, pad=True) + b"\n")
    return b"".join(lines)
