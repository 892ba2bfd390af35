"""Describe the changes between two states for a reviewer: sources first, dependencies folded, sizes and time bounded.

A patch that does not fit is left out, and the file says why (`cut`). It can be requested alone. The files of a list are
compared inside the runner; diff(1) is only started for a file that is requested alone.
"""

import json
import os
import re
import struct
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from .budgets import AnswerRoom, Budget
from .changes import Changes, changed_paths
from .comparisons import UNKNOWN, Compared, Comparisons, Pair
from .digests import small_digest
from .errors import NOT_FOUND, REFUSED, Refusal
from .folding import HEAD_BYTES, Folds, GeneratedFiles
from .manifests import Manifest, Recorded, git_mode, packed_part, recorded_in
from .renames import find_renames, sides_of
from .snapshots import ENTRY_COST, Snapshots, too_many

FILE_PATCH_BYTES: Final = 48 << 10  # of one patch in a list
ALL_PATCHES_BYTES: Final = 384 << 10  # of all patches in a list
LIST_SECONDS: Final = 0.15  # of CPU, for comparing the files of a list
FILES_BETWEEN_CLOCKS: Final = 8
FILES_SHOWN: Final = 2_000  # in a list; the others are counted
FOLDERS_SHOWN: Final = 100
RENAMED_FILES: Final = 100  # deleted or added files that are compared for renames
RENAMED_PAIRS: Final = 400
NUMBER: Final = re.compile(rb"(\d+)")


class Between(NamedTuple):
    """The two states to compare. These are two snapshots; or, without a `target`, the snapshot `base` and the current
    files; or recorded changes [[path, state before, state after]], where a state is [mode, size, hash, whether the
    content is kept] or None."""

    base: str
    target: str | None = None
    changes: Sequence[Any] | None = None


class Reviews:
    """Descriptions of the changes between two snapshots, or between a snapshot and the current files."""

    def __init__(self, snapshots: Snapshots, changes: Changes) -> None:
        self._snapshots = snapshots
        self._changes = changes

    def list(self, compared: Between, *, under: str = "", ignore_space: bool = False) -> dict[str, Any]:
        """Return {files, folded, more_files}. With `under`, return the files of that folded folder."""
        with self._snapshots.budget() as old, self._snapshots.budget() as new, self._snapshots.budget() as listed:
            before, after = states_between(self._snapshots, compared, old, new)
            paths, folded = fold(changed_paths(before, after), Folds(before, after), os.fsencode(under))
            describer = Describer(Comparisons(self._snapshots, self._changes, ignore_space=ignore_space), after)
            pairs = sorted(self._pairs(paths, before, after), key=describer.rank)
            files = list(describer.describe_all(pairs[:FILES_SHOWN], AnswerRoom(listed)))
            return {"files": files, "folded": folded, "more_files": len(pairs) - len(files)}

    def one(self, compared: Between, path: str, *, ignore_space: bool = False) -> dict[str, Any]:
        """Return one changed file as in the list of changed files, but with its whole patch. Raises Refusal if it did
        not change."""
        with self._snapshots.budget() as old, self._snapshots.budget() as new:
            before, after = states_between(self._snapshots, compared, old, new)
            wanted = os.fsencode(path)
            changed = changed_paths(before, after)
            if wanted not in changed:
                raise Refusal(NOT_FOUND, f"{path} did not change.")
            paths, _ = fold(changed, Folds(before, after), b"")
            pairs = self._pairs(paths if wanted in paths else [wanted], before, after)
            pair = next((pair for pair in pairs if pair.path == wanted), None)
            if pair is None:
                raise Refusal(NOT_FOUND, f"{path} was renamed. Request the new name.")
            comparisons = Comparisons(self._snapshots, self._changes, ignore_space=ignore_space)
            return described(pair, comparisons.in_full(pair), Describer(comparisons, after).is_generated(pair))

    def content(self, compared: Between, path: str, *, old: bool) -> bytes:
        """Return the whole content of a changed file, before (`old`) or after the change. Raises Refusal if it did not
        change, or if its content is no longer kept."""
        with self._snapshots.budget() as first, self._snapshots.budget() as second:
            name, states = os.fsencode(path), states_between(self._snapshots, compared, first, second)
            before, after = (state.get(name, b"") for state in states)
            entry = before if old else after
            recorded = recorded_in(entry) if entry and packed_part(before) != packed_part(after) else None
            content = self._snapshots.contents.find(recorded.sha256) if recorded and recorded.stored else None
            if content is None:
                raise Refusal(NOT_FOUND, f"The content of {path} is not kept.")
            return content

    def _pairs(self, paths: Iterable[bytes], before: Manifest, after: Manifest) -> Iterable[Pair]:
        """Yield the changed files, each renamed file only once."""
        content = partial(Comparisons(self._snapshots, self._changes, ignore_space=False).head, size=None)
        most = {"most_files": RENAMED_FILES, "most_pairs": RENAMED_PAIRS}
        renames = find_renames(paths, before, after, content, **most)
        sources = set(renames.values())
        for path in paths:
            if path not in sources:
                old, new = sides_of(path, before, after)
                source = renames.get(path, path)
                yield Pair(path, source, recorded_in(before[source]) if source != path else old, new)


class Describer:
    """A writer of the descriptions of changed files for one response, within its limits of size and time."""

    def __init__(self, comparisons: Comparisons, after: Manifest) -> None:
        self._comparisons = comparisons
        self._deadline = time.thread_time() + LIST_SECONDS
        self._room = ALL_PATCHES_BYTES
        self._generated = GeneratedFiles(after, lambda path: comparisons.head(recorded_in(after[path]), None))
        self._is_generated: dict[bytes, bool] = {}
        self._until_checked = 0
        self._in_time = True

    def is_generated(self, pair: Pair) -> bool:
        """Return whether a tool wrote the file, judging by its name, its beginning and .gitattributes."""
        found = self._is_generated.get(pair.path)
        if found is None:
            head = self._comparisons.head(pair.new or pair.old, HEAD_BYTES) if self._has_time else b""
            found = self._is_generated[pair.path] = self._generated.includes(os.fsdecode(pair.path), head)
        return found

    def rank(self, pair: Pair) -> tuple[bool, list[tuple[int, bytes]]]:
        """Return a sort key that puts sources before generated files, and orders numbers in names by their value."""
        pieces = NUMBER.split(pair.path)
        return self.is_generated(pair), [(int(each) if each.isdigit() else 0, each) for each in pieces]

    def describe_all(self, pairs: Iterable[Pair], room: AnswerRoom) -> Iterable[dict[str, Any]]:
        """Yield the descriptions of the changed files. Raises Refusal if even their names need too much memory."""
        for pair in pairs:
            generated = self.is_generated(pair)
            compared = (self._comparisons.quickly(pair) if self._has_time else None) or UNKNOWN
            description = described(pair, self._bounded(compared, generated), generated)
            if not room.fits({**description, "patch": ""}):
                raise too_many("too many of them changed")
            yield description

    @property
    def _has_time(self) -> bool:
        """Return whether there is time left. The clock is read for every `FILES_BETWEEN_CLOCKS`th file only, because
        reading it is a system call."""
        self._until_checked -= 1
        if self._in_time and self._until_checked < 0:
            self._until_checked = FILES_BETWEEN_CLOCKS
            self._in_time = time.thread_time() < self._deadline
        return self._in_time

    def _bounded(self, compared: Compared, generated: bool) -> Compared:
        size = len(compared.patch)
        if not size:
            return compared
        if generated:
            return compared._replace(patch="", cut="generated")
        if size > FILE_PATCH_BYTES:
            return compared._replace(patch="", cut="file")
        if size > self._room:
            return compared._replace(patch="", cut="all")
        self._room -= size
        return compared


def fold(paths: list[bytes], folds: Folds, under: bytes) -> tuple[list[bytes], list[dict[str, Any]]]:
    """Return the paths to list one by one, and one entry {path, kind, files} for each folder that is listed as one
    line. With `under`, only the paths in this folder are listed."""
    listed: list[bytes] = []
    folders: dict[bytes, dict[str, Any]] = {}
    for path in paths:
        folder, kind = folds.folder_of(path) or (b"", "")
        if folder == under:
            listed.append(path)
        elif folder and not under:
            line = folders.setdefault(folder, {"path": os.fsdecode(folder), "kind": kind, "files": 0})
            line["files"] += 1
    return listed, sorted(folders.values(), key=lambda line: -line["files"])[:FOLDERS_SHOWN]


def described(pair: Pair, compared: Compared, generated: bool) -> dict[str, Any]:
    """Return the description of a changed file as JSON. `version` is a hash of the file's new mode and content."""
    new = pair.new.packed() if pair.new else b""
    return {
        "path": os.fsdecode(pair.path),
        "old_path": os.fsdecode(pair.old_path),
        "status": pair.status,
        "old_mode": git_mode(pair.old.mode) if pair.old else "",
        "new_mode": git_mode(pair.new.mode) if pair.new else "",
        "old_size": pair.old.size if pair.old else 0,
        "new_size": pair.new.size if pair.new else 0,
        "version": small_digest(new)[:16],
        "generated": generated,
        **compared._asdict(),
    }


def changes_in(body: bytes) -> Sequence[Any] | None:
    """Return the recorded changes in the body of a request; None if it is empty. Raises Refusal if it is not a list."""
    if not body:
        return None
    try:
        changes = json.loads(body)
    except ValueError as error:
        raise Refusal(REFUSED, "These are no recorded changes.") from error
    if not isinstance(changes, list):
        raise Refusal(REFUSED, "These are no recorded changes.")
    return changes


def states_between(snapshots: Snapshots, compared: Between, old: Budget, new: Budget) -> tuple[Manifest, Manifest]:
    """Return the manifests of the states before and after. Raises Refusal for an unknown snapshot."""
    if compared.changes is not None:
        return manifest_of(compared.changes, 1, old), manifest_of(compared.changes, 2, new)
    before = snapshots.load(compared.base, old)
    return before, snapshots.load(compared.target, new) if compared.target else snapshots.current()


def manifest_of(changes: Sequence[Any], side: int, budget: Budget) -> Manifest:
    """Return the states of the files before (`side` 1) or after (`side` 2) recorded changes. Raises Refusal if the
    changes are malformed or too many."""
    manifest: dict[bytes, bytes] = {}
    try:
        for change in changes:
            path, state = os.fsencode(change[0]), change[side]
            if not budget.spend(ENTRY_COST + len(path)):
                raise too_many("too many of them changed")
            if state is not None:
                mode, size, digest, stored = state
                manifest[path] = Recorded(int(mode), int(size), str(digest), bool(stored)).packed()
    except (TypeError, ValueError, IndexError, struct.error) as error:
        raise Refusal(REFUSED, "These are no recorded changes.") from error
    return manifest
