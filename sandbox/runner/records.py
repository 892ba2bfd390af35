"""Record the changes of each call of a session in the workspace: the files, and their states before and after.

For a tool that writes a file, the states of that file before and after are recorded. For a command, the record is the
difference between the workspace before and after, without the files that other calls wrote meanwhile. If commands of
two sessions run at the same time, it is not known which one changed a file, so the change is recorded for both and
marked as `shared`.

A state is [mode, size, hash, whether the content is stored], or None for no file.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from .entries import state_of
from .errors import Refusal
from .json_files import JsonFiles
from .manifests import Manifest
from .privileges import Identity
from .snapshots import Snapshots
from .tree import Tree

MAX_FILES: Final = 1_000  # recorded of one call; how many more there are is recorded
KEPT_RECORDS: Final = 4_000  # calls; of more, the oldest quarter is deleted

State = list[Any]
Change = list[Any]
"""[state before, state after]."""


class Window:
    """The recording of changes during one running command. `others` are states that other calls wrote meanwhile;
    `shared`: a command of another session ran at the same time."""

    def __init__(self, owner: str, before: Manifest | None) -> None:
        self.owner = owner
        self.before = before
        self.others: dict[bytes, State | None] = {}
        self.shared = False


class Records:
    """The recorded changes of calls, each record under its call id. The oldest records are deleted."""

    def __init__(
        self,
        folder: str,
        tree: Tree,
        identity: Identity,
        snapshots: Snapshots,
        background_owners: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._files = JsonFiles(folder)
        self._tree = tree
        self._identity = identity
        self._snapshots = snapshots
        self._background_owners = background_owners
        self._lock = threading.Lock()
        self._windows: dict[str, Window] = {}
        self._count = len(self._files.names())
        snapshots.needed.append(self._hashes)

    def changes_of(self, call_id: str) -> dict[str, Any]:
        """Return {files: [[path, before, after, shared]], more, problem} of a call; empty if it changed nothing.

        `more` counts files beyond `MAX_FILES`. `problem` says why a command's changes are not known: "lost" (the runner
        ended while it ran) or "too_many" (files to compare).
        """
        with self._lock:
            record = self._files.read(call_id)
            if record.get("running") and call_id not in self._windows:
                record = {"problem": "lost"}
        return {"files": record.get("files", []), "more": record.get("more", 0), "problem": record.get("problem", "")}

    @contextmanager
    def of_writing(
        self, call_id: str, owner: str, paths: Sequence[tuple[str, bool]], *, follow: bool = True
    ) -> Iterator[None]:
        """Record the changes that the block makes to files. `paths` are (path, exact).

        With `follow`, the target of a link at the end of a path is changed. The caller holds the lock of all writers.
        """
        inside = [path for path in (self._inside(*each, follow=follow) for each in paths) if path is not None]
        before = {path: state_of(self._snapshots.entry_of(path)) for path in inside}
        yield
        after = {path: state_of(self._snapshots.entry_of(path)) for path in inside}
        changes = {path: [before[path], after[path]] for path in inside if before[path] != after[path]}
        with self._lock:
            for other_id, window in self._windows.items():
                if other_id != call_id:
                    window.others |= {path: change[1] for path, change in changes.items()}
            if call_id and changes:
                self._add(call_id, owner, changes, shared=frozenset())

    def _inside(self, path: str, exact: bool, *, follow: bool) -> bytes | None:
        """Return the path of a file to be written, relative to the workspace.

        None if the file is outside the workspace or a tool may not use it.
        """
        try:
            with self._identity.as_tool_user():
                resolved = self._tree.locate_permitted(path, follow=follow, exact=exact)
        except (Refusal, OSError):
            return None
        return os.fsencode(resolved.relative) if resolved.inside and not resolved.is_root else None

    def begin(self, call_id: str, owner: str) -> None:
        """Record the state of the workspace before a command runs. Does nothing if the call is already known."""
        with self._lock:
            if call_id in self._windows or call_id in self._files:
                return
        window = Window(owner, self._state())
        background = any(other != owner for other in self._background_owners())
        with self._lock:
            for other in self._windows.values():
                if other.owner != owner:
                    other.shared = window.shared = True
            window.shared = window.shared or background
            self._windows[call_id] = window
            self._write(call_id, {"owner": owner, "running": True})

    def end(self, call_id: str) -> None:
        """Record the file changes that a tool call has made since `begin` was called for it. Does nothing if the call
        is not being recorded."""
        with self._lock:
            window = self._windows.get(call_id)
        if window is None:
            return
        after = self._state()
        with self._lock:
            if self._windows.pop(call_id, None) is None:
                return
            if window.before is None or after is None:
                self._write(call_id, {"owner": window.owner, "problem": "too_many"})
                return
            changes = self._snapshots.changes(window.before, after)
            shared = set(changes) if window.shared else set()
            for path in changes.keys() & window.others.keys():
                changes[path][0] = window.others[path]
                shared.add(path)
            changes = {path: change for path, change in changes.items() if change[0] != change[1]}
            if changes:
                self._add(call_id, window.owner, changes, shared=frozenset(shared))
            else:
                self._delete(call_id)
            for other in self._windows.values():
                if other.owner == window.owner:
                    other.others |= {path: change[1] for path, change in changes.items()}

    def discard(self, call_id: str) -> None:
        """Forget the record that was begun for a call whose command then was refused."""
        with self._lock:
            if self._windows.pop(call_id, None) is not None:
                self._delete(call_id)

    def _state(self) -> Manifest | None:
        try:
            return self._snapshots.current()
        except Refusal:
            return None

    def _add(self, call_id: str, owner: str, changes: dict[bytes, Change], *, shared: frozenset[bytes]) -> None:
        """Add changes to a call's record. If the record already has a file, it keeps the first state of this file."""
        record = self._files.read(call_id)
        files = {path: [before, after, mark] for path, before, after, mark in record.get("files", [])}
        more = record.get("more", 0)
        for path in sorted(changes):
            name, (before, after) = os.fsdecode(path), changes[path]
            if name in files:
                files[name] = [files[name][0], after, files[name][2] or path in shared]
            elif len(files) < MAX_FILES:
                files[name] = [before, after, path in shared]
            else:
                more += 1
        rows = [[name, *values] for name, values in files.items()]
        running = {"running": True} if call_id in self._windows else {}
        self._write(call_id, {"owner": owner, "files": rows, "more": more, **running})

    def _write(self, call_id: str, record: dict[str, Any]) -> None:
        self._count += call_id not in self._files
        self._files.write(call_id, record)
        if self._count > KEPT_RECORDS or not self._snapshots.contents.has_room():
            self._delete_oldest()

    def _delete(self, call_id: str) -> None:
        self._files.delete(call_id)
        self._count -= 1

    def _delete_oldest(self) -> None:
        """Delete the oldest quarter of the records, but none of a running command."""
        names = self._files.names()
        for name in names[: len(names) // 4]:
            if name not in self._windows:
                self._delete(name)
        self._snapshots.delete_unneeded()

    def _hashes(self) -> Iterator[str]:
        """Yield the hashes of the contents that records need."""
        for name in self._files.names():
            yield from hashes_in(self._files.read(name))

    def newest(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (name, record) of each call that has ended and changed files, the newest first."""
        for name in reversed(self._files.names()):
            record = self._files.read(name)
            if record.get("files") and not record.get("running"):
                yield name, record

    def take(self, name: str, record: dict[str, Any], *, at_ns: int) -> None:
        """Store a record from an archive, and set its time to `at_ns`. Does nothing if the call already has a record.

        Raises Refusal for an invalid name.
        """
        with self._lock:
            if name not in self._files:
                self._write(name, record)
                self._files.set_time(name, at_ns)


def hashes_in(record: dict[str, Any]) -> Iterator[str]:
    """Yield the hashes of the stored contents that a record names."""
    for _, *states in (file[:3] for file in record.get("files", [])):
        yield from (state[2] for state in states if state and state[3])
