"""Convert the runner's answers to the value types of `sandbox.ports`, and keep the end of an output that arrives in
chunks. Invalid answers raise ProtocolError."""

import json
import os
import stat
from collections.abc import Mapping
from typing import Any, Final, Literal, cast, get_args

from sandbox import errors
from sandbox.files import CallChanges, FileState, RecordedChange, RecordProblem
from sandbox.limits import Gauge, LimitHit, LimitKind, RefusalCause, RefusedConnection, RefusedPermission, SandboxUsage
from sandbox.ports import (
    BackgroundCall,
    BackgroundOutput,
    Commit,
    CutReason,
    DiffStatus,
    FileContent,
    FileDiff,
    FileKind,
    FileStat,
    FoldedFolder,
    FolderKind,
    Found,
    GrepMatch,
    GrepResult,
    RealPath,
    ReviewedFile,
    ReviewList,
    ReviewStatus,
    RunEnd,
    RunnerInfo,
    RunResult,
)

ERRORS_BY_CODE: Final[Mapping[str, type[errors.SandboxError]]] = {
    kind.code: kind
    for kind in (
        errors.SandboxUnavailable,
        errors.SandboxRefused,
        errors.PathOutside,
        errors.NotFound,
        errors.WrongKind,
        errors.Conflict,
        errors.NotPermitted,
        errors.LimitReached,
    )
}
MAX_MESSAGE_CHARS: Final = 2_000
MAX_FILES: Final = 5_000  # of one revert
HASH_CHARACTERS: Final = 64
HEXADECIMAL: Final = frozenset("0123456789abcdef")
MAX_INTEGER: Final = (1 << 63) - 1  # a database column holds 64 bits


class Fields:
    """A JSON object whose members are read with a required type.

    A missing member or a wrong type raises ProtocolError.
    """

    def __init__(self, value: object) -> None:
        if not isinstance(value, dict):
            raise errors.ProtocolError("The sandbox's runner sent an answer that is not a JSON object.")
        self._members = value

    def text(self, name: str) -> str:
        """Return a string member.

        Bytes that are not valid UTF-8 may occur in it, escaped as by `os.fsdecode`. Other lone surrogates are refused.
        """
        value = cast(str, self._member(name, str))
        if not can_be_bytes(value):
            raise errors.ProtocolError(f"The sandbox's runner sent an answer without a valid '{name}'.")
        return value

    def integer(self, name: str) -> int:
        """Return an integer member that fits into 64 bits, so that it can be stored."""
        value = cast(int, self._member(name, int))
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise errors.ProtocolError(f"The sandbox's runner sent an answer without a valid '{name}'.")
        return value

    def number(self, name: str) -> float:
        """Return the member `name`, a number. Raises ProtocolError if it is infinite or too large to be compared,
        stored and sent as JSON."""
        value = self._member(name, (int, float))
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise errors.ProtocolError(f"The sandbox's runner sent an answer without a valid '{name}'.")
        return float(value)

    def flag(self, name: str) -> bool:
        return cast(bool, self._member(name, bool))

    def items(self, name: str) -> list[Any]:
        return cast(list[Any], self._member(name, list))

    def fields(self, name: str) -> "Fields":
        return Fields(self._member(name, dict))

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        value = self.text(name)
        if value not in allowed:
            raise errors.ProtocolError(f"The sandbox's runner sent an unknown value of '{name}'.")
        return value

    def has(self, name: str) -> bool:
        return name in self._members

    def _member(self, name: str, kind: type | tuple[type, ...]) -> Any:
        value = self._members.get(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise errors.ProtocolError(f"The sandbox's runner sent an answer without a valid '{name}'.")
        return value


def can_be_bytes(text: str) -> bool:
    """Return whether the text can be encoded to bytes with `os.fsencode`."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def raise_error(answer: Fields) -> None:
    """Raise the exception that the answer describes. Do nothing if the answer is not an error."""
    if answer.has("error"):
        kind = ERRORS_BY_CODE.get(answer.text("error"), errors.ProtocolError)
        raise kind(_message(answer, "message"))


def decode_body(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise errors.ProtocolError("The sandbox's runner sent a body that is not JSON.") from error


def decode_list(body: bytes) -> list[Fields]:
    value = decode_body(body)
    if not isinstance(value, list):
        raise errors.ProtocolError("The sandbox's runner sent a body that is not a JSON list.")
    return [Fields(item) for item in value]


def to_info(answer: Fields) -> RunnerInfo:
    return RunnerInfo(answer.integer("protocol"), answer.text("boot_id"), _texts(answer, "live_calls"))


def to_stat(answer: Fields) -> FileStat:
    path, real_path, inside = answer.text("path"), RealPath(answer.text("real_path")), answer.flag("inside")
    if not answer.flag("exists"):
        return FileStat(path, real_path, inside, exists=False)
    return FileStat(
        path,
        real_path,
        inside,
        exists=True,
        kind=cast(FileKind, answer.one_of("kind", get_args(FileKind))),
        size=answer.integer("size"),
        mode=answer.integer("mode"),
        modified_ns=answer.integer("modified_ns"),
    )


def to_content(answer: Fields, body: bytes) -> FileContent:
    return FileContent(answer.text("path"), body, answer.integer("size"), answer.text("sha256"))


def to_found(answer: Fields) -> Found:
    return Found(_texts(answer, "paths"), answer.flag("capped"))


def to_grep(answer: Fields) -> GrepResult:
    matches = (Fields(item) for item in answer.items("matches"))
    return GrepResult(
        tuple(GrepMatch(match.text("path"), match.integer("line"), match.text("text")) for match in matches),
        answer.flag("capped"),
    )


def to_diff(answer: Fields) -> FileDiff:
    return FileDiff(
        answer.text("path"),
        cast(DiffStatus, answer.one_of("status", get_args(DiffStatus))),
        answer.integer("additions"),
        answer.integer("deletions"),
        answer.text("patch"),
        answer.flag("binary"),
    )


def to_review(answer: Fields) -> ReviewList:
    files = tuple(_to_reviewed(Fields(item)) for item in answer.items("files"))
    folded = (Fields(item) for item in answer.items("folded"))
    return ReviewList(
        files,
        tuple(
            FoldedFolder(
                item.text("path"),
                cast(FolderKind, item.one_of("kind", get_args(FolderKind))),
                item.integer("files"),
            )
            for item in folded
        ),
        answer.integer("more_files"),
    )


def to_commit(fields: Fields) -> Commit:
    return Commit(fields.text("commit"), fields.text("subject"), fields.text("author"), fields.integer("at"))


def _to_reviewed(answer: Fields) -> ReviewedFile:
    return ReviewedFile(
        path=answer.text("path"),
        old_path=answer.text("old_path"),
        status=cast(ReviewStatus, answer.one_of("status", get_args(ReviewStatus))),
        old_mode=answer.text("old_mode"),
        new_mode=answer.text("new_mode"),
        old_size=answer.integer("old_size"),
        new_size=answer.integer("new_size"),
        version=answer.text("version"),
        generated=answer.flag("generated"),
        binary=answer.flag("binary"),
        counted=answer.flag("counted"),
        additions=answer.integer("additions"),
        deletions=answer.integer("deletions"),
        cut=cast(CutReason, answer.one_of("cut", get_args(CutReason))),
        patch=answer.text("patch"),
    )


def to_result(call_id: str, answer: Fields, output: bytes) -> RunResult:
    dropped = answer.integer("dropped")
    if len(output) != answer.integer("total") - dropped:
        raise errors.ProtocolError("The sandbox's runner sent less output than it announced.")
    return RunResult(
        call_id,
        cast(RunEnd, answer.one_of("end", get_args(RunEnd))),
        answer.integer("exit_code"),
        output,
        dropped,
        answer.number("started_at"),
        answer.number("duration"),
        _limits(answer),
        _refused(answer),
    )


def _refused(answer: Fields) -> tuple[RefusedConnection, ...]:
    """Return the refused connections; none from a runner of an older image."""
    items = answer.items("refused") if answer.has("refused") else ()
    return tuple(to_refused(Fields(item)) for item in items)


def to_refused(answer: Fields) -> RefusedConnection:
    cause = cast(RefusalCause, answer.one_of("cause", get_args(RefusalCause))) if answer.has("cause") else "rules"
    permission = answer.one_of("permission", get_args(RefusedPermission)) if answer.has("permission") else "egress"
    return RefusedConnection(
        _message(answer, "name"),
        _message(answer, "reason"),
        answer.flag("may_ask"),
        cause,
        cast(RefusedPermission, permission),
    )


def to_limit(answer: Fields) -> LimitHit:
    kind = cast(LimitKind, answer.one_of("kind", get_args(LimitKind)))
    return LimitHit(kind, _message(answer, "message"), answer.number("moment"), answer.text("call_id"))


def to_background(answer: Fields) -> BackgroundCall:
    return BackgroundCall(
        answer.text("call_id"),
        answer.text("command"),
        answer.text("owner"),
        answer.number("started_at"),
        answer.number("seconds_left"),
        answer.integer("total"),
        cast(RunEnd | Literal[""], answer.one_of("end", ("", *get_args(RunEnd)))),
        answer.integer("exit_code"),
        answer.number("duration"),
        _limits(answer),
    )


def to_background_output(answer: Fields, body: bytes) -> BackgroundOutput:
    return BackgroundOutput(to_background(answer.fields("call")), answer.integer("start"), body)


def to_changes(body: bytes) -> CallChanges:
    fields = Fields(decode_body(body))
    files = [_change(item) for item in bounded(fields.items("files"))]
    return CallChanges(files, max(0, fields.integer("more")), fields.one_of("problem", get_args(RecordProblem)))  # type: ignore[arg-type]


def _change(item: Any) -> RecordedChange:
    if not isinstance(item, list) or len(item) != 4 or not isinstance(item[3], bool):
        raise errors.ProtocolError("The sandbox's runner sent an invalid answer about a call's changes.")
    path = Fields({"path": item[0]}).text("path")
    return RecordedChange(path, to_state(item[1]), to_state(item[2]), item[3])


def to_state(value: Any) -> FileState | None:
    """Convert a file state in the runner's JSON, [mode, size, sha256, stored] or null, to a FileState or None. Raises
    ProtocolError."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise errors.ProtocolError("The sandbox's runner sent an invalid state of a file.")
    fields = Fields(dict(zip(("mode", "size", "sha256", "stored"), value, strict=True)))
    state = FileState(fields.integer("mode"), fields.integer("size"), fields.text("sha256"), fields.flag("stored"))
    is_kind = stat.S_ISREG(state.mode) or stat.S_ISLNK(state.mode)
    if (
        not is_kind
        or state.size < 0
        or len(state.sha256) != HASH_CHARACTERS
        or not HEXADECIMAL.issuperset(state.sha256)
    ):
        raise errors.ProtocolError("The sandbox's runner sent an invalid state of a file.")
    return state


def bounded(items: list[Any]) -> list[Any]:
    if len(items) > MAX_FILES:
        raise errors.ProtocolError("The sandbox's runner sent more files than a revert has.")
    return items


def to_usage(answer: Fields) -> SandboxUsage:
    return SandboxUsage(
        memory=_gauge(answer, "memory"),
        pids=_gauge(answer, "pids"),
        disk=_gauge(answer, "disk"),
        inodes=_gauge(answer, "inodes"),
        tmp=_gauge(answer, "tmp"),
        cpu_seconds=answer.number("cpu_seconds"),
        cpus=answer.number("cpus"),
        at=answer.number("at"),
    )


def _gauge(answer: Fields, name: str) -> Gauge:
    gauge = answer.fields(name)
    return Gauge(gauge.integer("used"), gauge.integer("limit"))


def _limits(answer: Fields) -> tuple[LimitHit, ...]:
    items = answer.items("limits") if answer.has("limits") else []
    return tuple(to_limit(Fields(item)) for item in items)


def _message(answer: Fields, name: str) -> str:
    """Return a text of the runner, shortened and cleaned so that it can be stored and shown."""
    return answer.text(name)[:MAX_MESSAGE_CHARS].encode("utf-8", "replace").decode().replace("\0", "?")


def _texts(answer: Fields, name: str) -> tuple[str, ...]:
    items = answer.items(name)
    if not all(isinstance(item, str) and can_be_bytes(item) for item in items):
        raise errors.ProtocolError(f"The sandbox's runner sent an answer without a valid '{name}'.")
    return tuple(items)


class Tail:
    """The last bytes of an output, assembled from chunks that carry their position."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept = bytearray()
        self._end = 0

    def add(self, position: int, chunk: bytes) -> None:
        if position < self._end:
            raise errors.ProtocolError("The sandbox's runner sent the same output twice.")
        if position > self._end:
            self._kept.clear()
        self._kept += chunk
        self._end = position + len(chunk)
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit or None]

    def last(self, size: int) -> bytes:
        return bytes(self._kept[-size:]) if size > 0 else b""
