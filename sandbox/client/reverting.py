"""Convert changes and reverts between their value types and the runner's JSON."""

import json
import stat
from typing import Any, Final, get_args

from sandbox.client.answers import Fields, decode_body
from sandbox.errors import ProtocolError
from sandbox.files import (
    CallChanges,
    FileState,
    RecordedChange,
    RecordProblem,
    RevertedFile,
    RevertResult,
    RevertStatus,
    WantedRevert,
)

MAX_FILES: Final = 5_000
HASH_CHARACTERS: Final = 64
HEXADECIMAL: Final = frozenset("0123456789abcdef")


def to_changes(body: bytes) -> CallChanges:
    fields = Fields(decode_body(body))
    files = [_change(item) for item in _bounded(fields.items("files"))]
    return CallChanges(files, max(0, fields.integer("more")), fields.one_of("problem", get_args(RecordProblem)))  # type: ignore[arg-type]


def from_request(revert_id: str, files: list[WantedRevert], *, preview: bool) -> bytes:
    wanted = [
        {
            "path": each.path,
            "chain": [[_state_fields(before), _state_fields(after)] for before, after in each.chain],
            "hunks": None if each.hunks is None else list(each.hunks),
            "decision": each.decision,
            "seen": _state_fields(each.seen),
        }
        for each in files
    ]
    return json.dumps({"id": revert_id, "preview": preview, "files": wanted}).encode()


def to_revert_result(body: bytes) -> RevertResult:
    fields = Fields(decode_body(body))
    return RevertResult(fields.flag("applied"), [_reverted(Fields(item)) for item in _bounded(fields.items("files"))])


def _reverted(item: Fields) -> RevertedFile:
    states = item.items("states")
    if len(states) != 2:
        raise ProtocolError("The sandbox's runner sent an invalid answer about a revert.")
    return RevertedFile(
        path=item.text("path"),
        status=item.one_of("status", get_args(RevertStatus)),  # type: ignore[arg-type]
        reason=item.text("reason")[:500],
        before=to_state(states[0]),
        after=to_state(states[1]),
        patch=item.text("patch") if item.has("patch") else "",
    )


def _change(item: Any) -> RecordedChange:
    if not isinstance(item, list) or len(item) != 4 or not isinstance(item[3], bool):
        raise ProtocolError("The sandbox's runner sent an invalid answer about a call's changes.")
    path = Fields({"path": item[0]}).text("path")
    return RecordedChange(path, to_state(item[1]), to_state(item[2]), item[3])


def to_state(value: Any) -> FileState | None:
    """Return the state that a JSON value describes. Raises ProtocolError."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise ProtocolError("The sandbox's runner sent an invalid state of a file.")
    fields = Fields(dict(zip(("mode", "size", "sha256", "stored"), value, strict=True)))
    state = FileState(fields.integer("mode"), fields.integer("size"), fields.text("sha256"), fields.flag("stored"))
    is_kind = stat.S_ISREG(state.mode) or stat.S_ISLNK(state.mode)
    if (
        not is_kind
        or state.size < 0
        or len(state.sha256) != HASH_CHARACTERS
        or not HEXADECIMAL.issuperset(state.sha256)
    ):
        raise ProtocolError("The sandbox's runner sent an invalid state of a file.")
    return state


def states_of(change: RecordedChange) -> list[Any]:
    """Return a change in the form that the runner reads: path, state before, state after."""
    return [change.path, _state_fields(change.before), _state_fields(change.after)]


def _state_fields(state: FileState | None) -> list[Any] | None:
    return None if state is None else [state.mode, state.size, state.sha256, state.stored]


def _bounded(items: list[Any]) -> list[Any]:
    if len(items) > MAX_FILES:
        raise ProtocolError("The sandbox's runner sent more files than a revert has.")
    return items
