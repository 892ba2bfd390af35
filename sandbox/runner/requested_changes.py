"""Parse the changes of files in a request."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .errors import REFUSED, Refusal

MAX_CHANGES: Final = 500  # files in one change set


class RequestedChange(NamedTuple):
    """One file of a change set. `content` is None if the file is to be removed.

    `expected` has the same meaning as in `files.WriteCondition`. If `mode` is None, the file's mode is kept. If
    `follow` is False, the path itself is changed, even if it is a symbolic link: `is_link` makes it a link with the
    target `content`, and `link` is the target that it must have before.
    """

    path: str
    content: bytes | None
    expected: str
    mode: int | None
    exact: bool
    follow: bool = True
    is_link: bool = False
    link: str | None = None


def read_changes(header: Mapping[str, Any], body: bytes) -> list[RequestedChange]:
    """Return the changes that a request describes. Raises Refusal if it is malformed."""
    items = header.get("changes")
    if not isinstance(items, list) or not 0 < len(items) <= MAX_CHANGES:
        raise Refusal(REFUSED, f"A change set must have between 1 and {MAX_CHANGES} files.")
    wanted: list[RequestedChange] = []
    position = 0
    for item in items:
        size = item.get("size") if isinstance(item, dict) else -1
        end = position if size is None else position + size if _is_number(size) else -1
        if not position <= end <= len(body):
            raise Refusal(REFUSED, "A file of the change set has a missing or invalid field.")
        wanted.append(_wanted(item, None if size is None else body[position:end]))
        position = end
    if position != len(body):
        raise Refusal(REFUSED, "The change set's body is longer than its files.")
    return wanted


def _wanted(item: Mapping[str, Any], content: bytes | None) -> RequestedChange:
    path, expected, mode = item.get("path"), item.get("expected"), item.get("mode")
    if not isinstance(path, str) or not isinstance(expected, str) or not (mode is None or _is_number(mode)):
        raise Refusal(REFUSED, "A file of the change set has a missing or invalid field.")
    return RequestedChange(path, content, expected, mode, item.get("exact") is True)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
