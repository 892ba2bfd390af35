"""The console of a page: messages, errors and failed requests, within bounds. Pure."""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, Final

MAX_LINES: Final = 200  # the newest are kept
MAX_CHARACTERS: Final = 500  # of a line
ERROR: Final = "error"
_KINDS: Final = {"warning": "warning", "assert": ERROR, "error": ERROR}
_BREAKS: Final = re.compile(r"\s*[\r\n]+\s*")


class ConsoleLog:
    """The newest lines of a page's console, since the page was opened."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=MAX_LINES)
        self.total = 0
        self.errors = 0

    def add(self, kind: str, text: str, place: str = "") -> None:
        """Add a line to the console. `place` is the address and line that it comes from."""
        text = _BREAKS.sub(" | ", text.strip()[: 4 * MAX_CHARACTERS])
        shown = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}..."
        self._lines.append(f"[{kind}] {shown}{f' ({place[:MAX_CHARACTERS]})' if place else ''}")
        self.total += 1
        self.errors += kind == ERROR

    def lines(self) -> list[str]:
        left_out = self.total - len(self._lines)
        return [*([f"({left_out:,} earlier lines are not kept.)"] if left_out else []), *self._lines]

    def clear(self) -> None:
        self._lines.clear()
        self.total = self.errors = 0


def add_call(log: ConsoleLog, event: Mapping[str, Any]) -> None:
    """Add the text of a call of `console.log`, `console.error` or a similar function to the log, with its position in
    the script."""
    kind = str(event.get("type", "log"))
    words = " ".join(_value(each) for each in _objects(event.get("args")))
    frames = _objects(_object(event.get("stackTrace")).get("callFrames"))
    log.add(_KINDS.get(kind, kind), words, _place(frames[0]) if frames else "")


def add_exception(log: ConsoleLog, event: Mapping[str, Any]) -> None:
    """Add an uncaught error of the page to the console log."""
    details = _object(event.get("exceptionDetails"))
    words = _value(_object(details.get("exception"))) or str(details.get("text", ""))
    log.add(ERROR, f"Uncaught {words}", _place(details))


def add_entry(log: ConsoleLog, event: Mapping[str, Any]) -> None:
    """Add a message from the browser itself, such as a policy violation, to the console log. Failed requests are
    skipped, because they have events of their own."""
    entry = _object(event.get("entry"))
    if entry.get("source") != "network":
        level = str(entry.get("level", "info"))
        log.add(_KINDS.get(level, level), str(entry.get("text", "")), _place(entry))


def _place(fields: Mapping[str, Any]) -> str:
    address, line = str(fields.get("url") or ""), fields.get("lineNumber")
    return f"{address}:{line + 1}" if address and isinstance(line, int) else address


def _value(remote: Mapping[str, Any]) -> str:
    """Return a value of the page as text: strings unchanged, objects as the browser describes them."""
    if "value" in remote:
        value = remote["value"]
        return value if isinstance(value, str) else str({True: "true", False: "false", None: "null"}.get(value, value))
    preview = _object(remote.get("preview"))
    if remote.get("subtype") == "error":
        return str(remote.get("description", ""))
    if properties := _objects(preview.get("properties")):
        shown = ", ".join(f"{each.get('name')}: {each.get('value', '')}" for each in properties)
        return f"[{shown}]" if preview.get("subtype") == "array" else f"{{{shown}}}"
    return str(remote.get("description") or remote.get("unserializableValue") or remote.get("type") or "")


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
