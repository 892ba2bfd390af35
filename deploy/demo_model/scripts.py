"""Scripts: the answers that tests and benchmarks post to the server in advance.

A request names its script in one of three ways. The first that is present is used: the header `x-demo-script: KEY`, the
model `script/KEY`, or the marker `[script:KEY]` in a user message (the last marker is used; markers are ignored in
title requests).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, get_args

from deploy.demo_model.conversation import is_title_request, text_of
from deploy.demo_model.wire import Call, Reply

HEADER: Final = "x-demo-script"
MODEL_PREFIX: Final = "script/"
MARKER: Final = re.compile(r"\[script:([\w.-]+)\]")

FaultKind = Literal["", "status", "garbage", "html", "empty", "cut", "no_finish", "half_call", "error_event"]


class ScriptError(Exception):
    """A script is invalid, missing or has no step left; the message says which."""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call of a step. `arguments`: a mapping, or a string that is sent unchanged (for invalid JSON)."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """The answer to one request: its text, reasoning and tool calls.

    `finish` and `usage`: sent instead of the usual finish reason and the estimated usage.
    `chunk_size`: characters per chunk; 0 sends the text in one chunk. `chunk_delay`: seconds before each chunk.
    `hold`: a name. After `hold_after` chunks (0: before the first byte) the stream waits until a client posts this name
    to `/control/releases`.
    `fault`: the error to simulate; empty for none.
    - status: answer with the HTTP `status`, `body` and `retry_after`.
    - garbage, html, empty: send invalid data, an HTML page or nothing instead of a stream.
    - cut: close the connection after `fault_after` chunks.
    - no_finish: end the response properly after `fault_after` chunks, without a finish reason.
    - half_call: close the connection in the middle of the last call's arguments.
    - error_event: send an error object (`body`, or a default) after `fault_after` chunks.
    """

    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish: str = ""
    usage: Mapping[str, Any] | None = None
    chunk_size: int = 0
    chunk_delay: float = 0.0
    hold: str = ""
    hold_after: int = 0
    fault: FaultKind = ""
    fault_after: int = 1
    status: int = 500
    body: str = ""
    retry_after: str = ""

    def reply(self) -> Reply:
        calls = (Call(c.name, _json_text(c.arguments), c.id) for c in self.tool_calls)
        return Reply(self.text, self.reasoning, tuple(calls), self.finish, self.usage)


@dataclass(slots=True)
class Script:
    """A named list of steps.

    `by` "request": each request gets the next step, which suits tests of faults and retries. `by` "conversation": the
    index of the step is the number of assistant messages after the prompt that named the script, so a request that is
    repeated after a crash gets the same answer. `loop`: start again after the last step. `taken`: number of requests.
    """

    key: str
    steps: tuple[Step, ...]
    by: Literal["request", "conversation"] = "request"
    loop: bool = False
    taken: int = 0

    def take_step(self, body: Mapping[str, Any]) -> tuple[int, Step]:
        """Return the index and the step that answers this request. Raises ScriptError if no step is left."""
        number = self.taken if self.by == "request" else _answers_so_far(body, self.key)
        self.taken += 1
        if self.loop:
            number %= len(self.steps)
        if number >= len(self.steps):
            raise ScriptError(f"script '{self.key}' has {len(self.steps)} steps, so there is no step {number + 1}")
        return number, self.steps[number]


class ScriptBook:
    """The scripts of one demo model server, by their keys. A script contains the prepared replies of the model."""

    def __init__(self) -> None:
        self._scripts: dict[str, Script] = {}

    def put(self, data: Mapping[str, Any]) -> Script:
        """Add a script or replace the one with the same key. Raises ScriptError if `data` is not a valid script."""
        script = read_script(data)
        self._scripts[script.key] = script
        return script

    def remove(self, key: str) -> None:
        self._scripts.pop(key, None)

    def load(self, folder: Path) -> None:
        """Add every `*.json` file of a folder; the file's name is the key unless the file contains another `key`."""
        for path in sorted(folder.glob("*.json")):
            self.put({"key": path.stem, **json.loads(path.read_text())})

    def find(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Script | None:
        """Return the script that a request names; None if it names none. Raises ScriptError for an unknown name."""
        key = script_key(body, headers)
        if key and key not in self._scripts:
            raise ScriptError(f"there is no script '{key}'")
        return self._scripts[key] if key else None


def script_key(body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Return the key of the script that a request names; empty if it names none."""
    model = str(body.get("model", ""))
    if named := headers.get(HEADER):
        return named
    if model.startswith(MODEL_PREFIX):
        return model.removeprefix(MODEL_PREFIX)
    if is_title_request(body):
        return ""
    return next((key for message in reversed(body.get("messages") or []) if (key := _marker(message))), "")


def read_script(data: Mapping[str, Any]) -> Script:
    """Parse a script from JSON data. Raises ScriptError if it is not valid."""
    try:
        steps = tuple(_read_step(step) for step in data["steps"])
        script = Script(str(data["key"]), steps, data.get("by", "request"), bool(data.get("loop", False)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ScriptError(f"this is not a valid script: {error!r}") from error
    if not steps or script.by not in ("request", "conversation"):
        raise ScriptError("a script needs at least one step, and `by` must be 'request' or 'conversation'")
    return script


def _read_step(data: Mapping[str, Any]) -> Step:
    if unknown := set(data) - {one.name for one in fields(Step)}:
        raise ScriptError(f"a step has no field {', '.join(sorted(unknown))}")
    if data.get("fault", "") not in get_args(FaultKind):
        raise ScriptError(f"there is no fault '{data['fault']}'")
    calls = tuple(ScriptedCall(**one) for one in data.get("tool_calls") or ())
    return Step(**{**data, "tool_calls": calls})


def _marker(message: Mapping[str, Any]) -> str:
    found = MARKER.findall(text_of(message)) if message.get("role") == "user" else []
    return found[-1] if found else ""


def _answers_so_far(body: Mapping[str, Any], key: str) -> int:
    messages = body.get("messages") or []
    start = max((n for n, message in enumerate(messages) if _marker(message) == key), default=0)
    return sum(message.get("role") == "assistant" for message in messages[start:])


def _json_text(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
