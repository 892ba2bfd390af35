"""What tests and benchmarks tell the server to answer.

A request is matched to a script by, in this order: the header `x-demo-script: KEY`, a model named `script/KEY`,
or the words `[script:KEY]` in a user message (the last one wins; requests for a title are left alone).
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
    """A script that cannot be followed; the message says why."""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """`arguments`: a mapping, or a string that is sent as it is (for broken JSON)."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """The answer to one request.

    `chunk_size`: characters per chunk (0: whole); `chunk_delay`: seconds before each chunk.
    `hold`: wait, after `hold_after` chunks, until a release of this name is posted (0: before the first byte).
    `fault`: what goes wrong. status: answer with `status`, `body` and `retry_after`. garbage, html, empty: instead of
    a stream. cut: the connection is lost after `fault_after` chunks. no_finish: the stream ends properly there, but
    without finish reason. half_call: as cut, in the middle of the last call's arguments. error_event: an error
    object (`status`, `body`) after `fault_after` chunks.
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
    """`by` request: each request takes the next step, whatever it says; good for faults and retries.
    `by` conversation: the step is the number of assistant messages after the prompt that named the script, so a
    request that is repeated after a crash gets the same answer. `loop`: begin again after the last step."""

    key: str
    steps: tuple[Step, ...]
    by: Literal["request", "conversation"] = "request"
    loop: bool = False
    taken: int = 0

    def take(self, body: Mapping[str, Any]) -> tuple[int, Step]:
        number = self.taken if self.by == "request" else _answers_so_far(body, self.key)
        self.taken += 1
        if self.loop:
            number %= len(self.steps)
        if number >= len(self.steps):
            raise ScriptError(f"script '{self.key}' has {len(self.steps)} steps; there is no step {number + 1}")
        return number, self.steps[number]


class ScriptBook:
    def __init__(self) -> None:
        self._scripts: dict[str, Script] = {}

    def put(self, data: Mapping[str, Any]) -> Script:
        script = read_script(data)
        self._scripts[script.key] = script
        return script

    def remove(self, key: str) -> None:
        self._scripts.pop(key, None)

    def load(self, folder: Path) -> None:
        """Every `*.json` of the folder; the file's name is the key unless the file says otherwise."""
        for path in sorted(folder.glob("*.json")):
            self.put({"key": path.stem, **json.loads(path.read_text())})

    def find(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Script | None:
        """The script that this request asks for; raises ScriptError when there is none of that name."""
        key = script_key(body, headers)
        if key and key not in self._scripts:
            raise ScriptError(f"there is no script '{key}'")
        return self._scripts[key] if key else None


def script_key(body: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    model = str(body.get("model", ""))
    if named := headers.get(HEADER):
        return named
    if model.startswith(MODEL_PREFIX):
        return model.removeprefix(MODEL_PREFIX)
    if is_title_request(body):
        return ""
    return next((key for message in reversed(body.get("messages") or []) if (key := _marker(message))), "")


def read_script(data: Mapping[str, Any]) -> Script:
    try:
        steps = tuple(_read_step(step) for step in data["steps"])
        script = Script(str(data["key"]), steps, data.get("by", "request"), bool(data.get("loop", False)))
    except (KeyError, TypeError, AttributeError) as error:
        raise ScriptError(f"not a script: {error!r}") from error
    if not steps or script.by not in ("request", "conversation"):
        raise ScriptError("a script needs steps, and `by` is 'request' or 'conversation'")
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
