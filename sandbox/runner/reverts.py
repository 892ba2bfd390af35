"""Revert the changes of tool calls: in all files of a revert or in none, and never later changes by others.

For each file, the request has the changes of its calls (from which state to which, oldest first); they are compared
with the current state. If nobody changed the file since, it gets its old state. Otherwise the changes are taken out of
the current content with a three-way merge. If that is impossible, the file is in conflict, and nothing at all is
written before a person has decided about it.
"""

import errno
import json
import os
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .change_sets import PREPARED, ChangeSets
from .changes import SNIFFED_BYTES, Changes, quoted
from .comparisons import text_patch
from .digests import sha256
from .entries import state_of
from .errors import REFUSED, UNAVAILABLE, Refusal
from .files import ABSENT, ANYTHING
from .hunks import without_hunks
from .json_files import JsonFiles
from .merging import Merger
from .privileges import Identity
from .records import Records, State
from .requested_changes import RequestedChange
from .snapshots import Snapshots
from .tree import Tree, status_exactly

MAX_FILES: Final = 5_000  # of one revert
SHOWN_BYTES: Final = 64 << 10  # of the patch of one file in an answer
ANSWER_BYTES: Final = 4 << 20  # of all patches in an answer
CONTENT_BYTES: Final = 256 << 20  # of all contents that one revert writes
KEPT_OUTCOMES: Final = 2_000
DECISIONS: Final = ("", "keep", "take_back")


StateChange = Sequence[State | None]
"""(state before, state after)."""


class WantedRevert(NamedTuple):
    """One file to revert. `chain` has its changes, the oldest first. `hunks` are the numbers of the hunks to take
    back if the file has only one change; None takes back all. `seen` is the state that a person decided about."""

    path: str
    chain: Sequence[StateChange]
    hunks: frozenset[int] | None
    decision: str
    seen: State | None


class PlannedRevert(NamedTuple):
    """The plan for reverting one file.

    `status` is "clean" (nobody changed the file after the reverted calls), "merged", "conflict", "kept" or "taken_back"
    (decided by a person), "done" (the file already has that state), or "not_covered" (`reason` says why). `target` is
    the new content with its mode, None for no file.
    """

    wanted: WantedRevert
    status: str
    current: State | None
    target: tuple[int, bytes] | None = None
    reason: str = ""

    @property
    def is_to_write(self) -> bool:
        return self.status in ("clean", "merged", "taken_back")


class Reverts:
    """Planning and execution of reverts. Each revert has an id, under which its outcome is stored."""

    def __init__(
        self,
        folder: str,
        tree: Tree,
        identity: Identity,
        *,
        snapshots: Snapshots,
        change_sets: ChangeSets,
        changes: Changes,
        records: Records,
        merger: Merger,
        writing: threading.Lock,
    ) -> None:
        self._outcomes = JsonFiles(folder)
        self._tree = tree
        self._identity = identity
        self._snapshots = snapshots
        self._change_sets = change_sets
        self._changes = changes
        self._records = records
        self._merger = merger
        self._writing = writing
        snapshots.needed.append(self._hashes)

    def run(self, body: bytes) -> dict[str, Any]:
        """Plan the revert that a request describes and, unless it is only a preview, apply it.

        Returns {applied, files}. If `applied` is false, nothing was written: it was a preview, or a file is in
        conflict. If the revert was applied before, its first outcome is returned, and nothing is changed again.
        """
        revert_id, preview, wanted = read_request(body)
        if not preview and (known := self._outcomes.read(revert_id)):
            return known
        with self._writing:
            plans = self._planned(wanted)
            found = [plan for plan in plans if plan.status != "done"]
            if preview or any(plan.status == "conflict" for plan in plans):
                return {"applied": False, "files": self._described(found)}
            return self._apply(revert_id, found)

    def _apply(self, revert_id: str, plans: Sequence[PlannedRevert]) -> dict[str, Any]:
        to_write = [plan for plan in plans if plan.is_to_write]
        answer = {"applied": True, "files": [self._written(plan) for plan in plans]}
        prepared = revert_id + PREPARED
        self._outcomes.write(prepared, answer)
        paths = [(_absolute(plan.wanted.path), True) for plan in to_write]
        with self._records.of_writing(f"revert.{revert_id}", "", paths, follow=False):
            if to_write:
                changes = [_change(plan, self._link(plan)) for plan in to_write]
                self._change_sets.apply_all(changes, self._outcomes.path(prepared))
            else:
                self._outcomes.rename(prepared, revert_id)
        self._drop_empty_folders([plan for plan in to_write if plan.target is None])
        self._delete_oldest()
        return answer

    def _written(self, plan: PlannedRevert) -> dict[str, Any]:
        """Return the stored outcome for one file: its state before the revert and afterwards. Both contents are
        stored."""
        after = plan.current
        if plan.is_to_write:
            after = None if plan.target is None else self._state_of(*plan.target)
        return {"path": plan.wanted.path, "status": plan.status, "reason": plan.reason, "states": [plan.current, after]}

    def _state_of(self, mode: int, content: bytes) -> State:
        if not self._snapshots.contents.store(digest := sha256(content).hexdigest(), content):
            raise Refusal(UNAVAILABLE, "There is no room to keep what the revert replaces. Nothing was changed.")
        return [mode, len(content), digest, True]

    def _planned(self, wanted: Sequence[WantedRevert]) -> list[PlannedRevert]:
        plans, room = [], CONTENT_BYTES
        for each in wanted:
            plan = self._plan(each)
            room -= len(plan.target[1]) if plan.target else 0
            if room < 0:
                raise Refusal(REFUSED, "The files of this revert are too large together. Take back some of them.")
            plans.append(plan)
        return plans

    def _plan(self, wanted: WantedRevert) -> PlannedRevert:
        try:
            current = self._current(wanted.path)
        except OSError:
            reason = "something else is at this path now"
            return PlannedRevert(wanted, "kept" if wanted.decision == "keep" else "conflict", None, reason=reason)
        if current and not current[3]:
            return PlannedRevert(wanted, "not_covered", current, reason="the file is too large now")
        chain = joined(wanted.chain)
        if any(state and not state[3] for change in chain for state in change):
            return PlannedRevert(wanted, "not_covered", current, reason="its content was too large to keep")
        if any(state and self._content(state) is None for change in chain for state in change):
            return PlannedRevert(wanted, "not_covered", current, reason="its content is no longer kept")
        return self._merged(wanted, chain, current)

    def _merged(self, wanted: WantedRevert, chain: Sequence[StateChange], now: State | None) -> PlannedRevert:
        target, is_merged, conflicts = self._sides(now), False, False
        for before, after in reversed(chain):
            wished = self._wished(wanted, before, after)
            merged = self._one_back(target, self._sides(after), wished)
            if merged is None:
                conflicts, target = True, wished
                continue
            is_merged = is_merged or merged[1]
            target = merged[0]
        if target == self._sides(now):
            return PlannedRevert(wanted, "done", now)
        if not conflicts:
            return PlannedRevert(wanted, "merged" if is_merged else "clean", now, target)
        if wanted.decision and wanted.seen == now:
            return PlannedRevert(wanted, "kept" if wanted.decision == "keep" else "taken_back", now, target)
        return PlannedRevert(wanted, "conflict", now, target, "others changed the same lines since")

    def _wished(self, wanted: WantedRevert, before: State | None, after: State | None) -> tuple[int, bytes] | None:
        """Return the mode and content that a file should get when one change is reverted.

        That is the state before the change or, if only some hunks are reverted, the state after the change without
        these hunks. Raises Refusal if single hunks cannot be reverted.
        """
        old, new = self._sides(before), self._sides(after)
        if wanted.hunks is None:
            return old
        if len(joined(wanted.chain)) != 1 or old is None or new is None:
            raise Refusal(REFUSED, f"Single hunks of this file cannot be taken back, only all of it: {wanted.path}")
        patch = text_patch(self._changes, [old[1], new[1]])
        content = None if patch is None else without_hunks(new[1], patch, wanted.hunks)
        if content is None:
            raise Refusal(REFUSED, f"The file has no such hunks: {wanted.path}")
        return new[0], content

    def _one_back(
        self, now: tuple[int, bytes] | None, after: tuple[int, bytes] | None, before: tuple[int, bytes] | None
    ) -> tuple[tuple[int, bytes] | None, bool] | None:
        """Undo a file's change from `before` to `after` in its current state `now`, each given as (mode, content).

        Returns the resulting state, and whether it was merged; None for a conflict.
        """
        if now in (after, before):
            return before, False
        if now is None or after is None or before is None:
            return None
        if len({stat.S_IFMT(each[0]) for each in (now, after, before)}) > 1:
            return None
        mode = before[0] if now[0] == after[0] else now[0]
        if now[0] not in (after[0], before[0]) and after[0] != before[0]:
            return None
        if now[1] in (after[1], before[1]):
            return (mode, before[1]), True
        if after[1] == before[1]:
            return (mode, now[1]), True
        if stat.S_ISLNK(now[0]) or any(b"\0" in each[1][:SNIFFED_BYTES] for each in (now, after, before)):
            return None
        content = self._merger.merge(now[1], after[1], before[1])
        return None if content is None else ((mode, content), True)

    def _current(self, path: str) -> State | None:
        """Return the current state of the file, and store its content. Raises OSError if the path leads to something
        other than a file or a link."""
        name = os.fsencode(path)
        with self._identity.as_tool_user():
            try:
                status = status_exactly(self._tree.root_fd, path)
            except FileNotFoundError:
                return None
            except OSError as error:
                if error.errno == errno.ENOTDIR:
                    raise OSError("A part of the path is a file.") from error
                raise
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
            raise OSError("Only files and links can be reverted.")
        entry = self._snapshots.entry_of(name)
        if entry is None:
            raise OSError("The file cannot be read.")
        return state_of(entry)

    def _sides(self, state: State | None) -> tuple[int, bytes] | None:
        if state is None:
            return None
        content = self._content(state)
        if content is None:
            raise Refusal(UNAVAILABLE, "A content is no longer kept. Nothing was changed.")
        return state[0], content

    def _content(self, state: State) -> bytes | None:
        return self._snapshots.contents.find(state[2])

    def _link(self, plan: PlannedRevert) -> bytes | None:
        """Return the target of the link that the revert replaces; None if the current file is not a link."""
        return self._content(plan.current) if plan.current and stat.S_ISLNK(plan.current[0]) else None

    def _described(self, plans: Sequence[PlannedRevert]) -> list[dict[str, Any]]:
        room, answer = ANSWER_BYTES, []
        for plan in plans:
            patch = self._patch(plan) if room > 0 else ""
            room -= len(patch)
            answer.append(
                {
                    "path": plan.wanted.path,
                    "status": plan.status,
                    "reason": plan.reason,
                    "states": [plan.current, _planned_state(plan)],
                    "patch": patch,
                }
            )
        return answer

    def _patch(self, plan: PlannedRevert) -> str:
        """Return the diff from the current file to the result of the revert.

        Empty if the diff is longer than `SHOWN_BYTES`, or the file is not a text or is not changed.
        """
        if plan.status not in ("clean", "merged", "conflict", "taken_back"):
            return ""
        now = self._sides(plan.current) if plan.current else None
        contents = [each[1] if each else b"" for each in (now, plan.target)]
        if contents[0] == contents[1] or any(b"\0" in content[:SNIFFED_BYTES] for content in contents):
            return ""
        labels = [quoted(f"a/{plan.wanted.path}"), quoted(f"b/{plan.wanted.path}")]
        patch = self._changes.text_diff(contents, labels)
        return "" if patch is None or len(patch) > SHOWN_BYTES else patch.decode("utf-8", "replace")

    def _drop_empty_folders(self, removed: Sequence[PlannedRevert]) -> None:
        self._change_sets.drop_empty_folders([_absolute(plan.wanted.path) for plan in removed])

    def _hashes(self) -> Iterator[str]:
        """Yield the hashes of the contents that are needed to undo reverts."""
        for name in self._outcomes.names():
            for file in self._outcomes.read(name).get("files", []):
                yield from (state[2] for state in file["states"] if state and state[3])

    def _delete_oldest(self) -> None:
        names = self._outcomes.names()
        for name in names[: len(names) // 2] if len(names) > KEPT_OUTCOMES else ():
            self._outcomes.delete(name)


def _planned_state(plan: PlannedRevert) -> State | None:
    """Return the state of the file after the planned revert; None if the revert does not write the file, or removes
    it."""
    if not plan.is_to_write or plan.target is None:
        return None
    mode, content = plan.target
    return [mode, len(content), sha256(content).hexdigest(), True]


def joined(chain: Sequence[StateChange]) -> list[list[State | None]]:
    """Join successive changes of a file if nobody else changed it in between, and drop changes without effect."""
    changes: list[list[State | None]] = []
    for before, after in chain:
        if changes and changes[-1][1] == before:
            changes[-1][1] = after
        else:
            changes.append([before, after])
    return [change for change in changes if change[0] != change[1]]


def _change(plan: PlannedRevert, link: bytes | None) -> RequestedChange:
    target, current = plan.target, plan.current
    expected = ABSENT if current is None else ANYTHING if link is not None else current[2]
    return RequestedChange(
        _absolute(plan.wanted.path),
        None if target is None else target[1],
        expected,
        None if target is None else stat.S_IMODE(target[0]),
        exact=True,
        follow=False,
        is_link=target is not None and stat.S_ISLNK(target[0]),
        link=None if link is None else os.fsdecode(link),
    )


def _absolute(path: str) -> str:
    return f"/workspace/{path}"


def read_request(body: bytes) -> tuple[str, bool, list[WantedRevert]]:
    """Return the id of a requested revert, whether it is a preview, and its files. Raises Refusal if it is invalid."""
    try:
        request = json.loads(body)
        files = [_wanted(each) for each in request["files"]]
        revert_id, preview = str(request["id"]), request["preview"] is True
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise Refusal(REFUSED, "The request to revert has a missing or invalid field.") from error
    if not revert_id.replace("_", "").isalnum() or len(revert_id) > 100:
        raise Refusal(REFUSED, "This is not the id of a revert.")
    if len(files) > MAX_FILES or len({each.path for each in files}) < len(files):
        raise Refusal(REFUSED, f"A revert has at most {MAX_FILES:,} files, each once.")
    return revert_id, preview, files


def _wanted(item: Mapping[str, Any]) -> WantedRevert:
    path, decision = item["path"], item["decision"]
    parts = path.split("/")
    if not path or {"", ".", ".."} & set(parts) or "\0" in path or decision not in DECISIONS:
        raise ValueError(path)
    chain = [[_state(state) for state in change] for change in item["chain"]]
    if any(len(change) != 2 for change in chain):
        raise ValueError(path)
    hunks = item["hunks"]
    return WantedRevert(
        path, chain, None if hunks is None else frozenset(map(int, hunks)), decision, _state(item["seen"])
    )


def _state(value: Any) -> State | None:
    if value is None:
        return None
    mode, size, digest, stored = value
    if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
        raise ValueError(digest)
    return [int(mode), int(size), digest, stored is True]
