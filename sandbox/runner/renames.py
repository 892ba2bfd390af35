"""Detect renames among added files: by equal content, otherwise by the share of lines in common with a deleted file."""

import stat
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

from .manifests import Manifest, Recorded, recorded_in

SIMILAR: Final = 0.5  # share of the content that a renamed file must have in common, as git's default
COMPARED_BYTES: Final = 256 << 10  # of a file that is compared for renames


def find_renames(
    paths: Iterable[bytes],
    before: Manifest,
    after: Manifest,
    content: Callable[[Recorded], bytes],
    *,
    most_files: int,
    most_pairs: int,
) -> dict[bytes, bytes]:
    """Return the old path of each renamed file.

    With more than `most_files` deleted or added files, or `most_pairs` pairs of them, lines are not compared.
    """
    sides = {path: sides_of(path, before, after) for path in paths}
    deleted = {path: old for path, (old, new) in sides.items() if old and not new and old.size}
    added = {path: new for path, (old, new) in sides.items() if new and not old and new.size}
    found = _equal(added, deleted)
    rest = {path: new for path, new in added.items() if path not in found}
    if max(len(deleted), len(added)) <= most_files and len(deleted) * len(rest) <= most_pairs:
        found |= _similar(rest, deleted, content)
    return found


def sides_of(path: bytes, before: Manifest, after: Manifest) -> tuple[Recorded | None, Recorded | None]:
    """Return the recorded data about a path before and after a change."""
    old, new = before.get(path), after.get(path)
    return (recorded_in(old) if old else None), (recorded_in(new) if new else None)


def _equal(added: dict[bytes, Recorded], deleted: dict[bytes, Recorded]) -> dict[bytes, bytes]:
    """Find the renamed files whose content and mode are unchanged, and remove their sources from `deleted`."""
    sources: dict[tuple[str, int], list[bytes]] = {}
    for path, old in reversed(deleted.items()):
        sources.setdefault((old.sha256, old.mode), []).append(path)
    found = {}
    for path, new in added.items():
        if same := sources.get((new.sha256, new.mode)):
            found[path] = same.pop()
            del deleted[found[path]]
    return found


def _similar(
    added: dict[bytes, Recorded], deleted: dict[bytes, Recorded], content: Callable[[Recorded], bytes]
) -> dict[bytes, bytes]:
    if not added or not deleted:
        return {}
    lines = {source: _lines(old, content) for source, old in deleted.items()}
    found = {}
    for path, new in added.items():
        mine = _lines(new, content)
        scores = {source: similarity(mine, theirs) for source, theirs in lines.items()}
        best = max(scores, key=lambda source: scores[source], default=None)
        if best is not None and scores[best] >= SIMILAR:
            found[path] = best
            del lines[best]
    return found


def _lines(recorded: Recorded, content: Callable[[Recorded], bytes]) -> Counter[bytes]:
    if recorded.size > COMPARED_BYTES or not stat.S_ISREG(recorded.mode) or not recorded.stored:
        return Counter()
    return Counter(content(recorded).splitlines(keepends=True))


def similarity(mine: Counter[bytes], theirs: Counter[bytes]) -> float:
    """Return the share of the larger content, in bytes, that consists of lines common to both contents."""
    most = max(_bytes(mine), _bytes(theirs))
    return _bytes(mine & theirs) / most if most else 0.0


def _bytes(lines: Counter[bytes]) -> int:
    return sum(len(line) * times for line, times in lines.items())
