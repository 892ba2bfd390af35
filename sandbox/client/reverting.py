"""Convert reverts of files between their value types and the runner's JSON."""

import json
from typing import Any, get_args

from sandbox.client.answers import Fields, bounded, decode_body, to_state
from sandbox.errors import ProtocolError
from sandbox.files import (
    FileState,
    RecordedChange,
    RevertedFile,
    RevertResult,
    RevertStatus,
    WantedRevert,
)


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
    return RevertResult(fields.flag("applied"), [_reverted(Fields(item)) for item in bounded(fields.items("files"))])


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


def states_of(change: RecordedChange) -> list[Any]:
    """Return a recorded change as the JSON array that the runner reads: path, state before, state after."""
    return [change.path, _state_fields(change.before), _state_fields(change.after)]


def _state_fields(state: FileState | None) -> list[Any] | None:
    return None if state is None else [state.mode, state.size, state.sha256, state.stored]
