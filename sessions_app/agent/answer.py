"""Assemble a model's answer from stream events into parts and tool calls. Pure."""

import json
import math
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sessions_app.llm.port import Finished, ModelEvent, ReasoningDelta, TextDelta, TokenUsage, ToolCallDelta
from tools_app.text import clean

NAME_LIMIT: Final = 200  # characters of a tool's name, and of a provider's id, that are kept
DEPTH_LIMIT: Final = 100  # levels of arguments that are kept as an object; serializers fail at 255
INTEGER_LIMIT: Final = 2**63  # what the channel layer can carry


@dataclass(slots=True)
class DraftCall:
    """A tool call that is still being received from the model. `provider_id` is the id by which the model refers to
    it."""

    id: uuid.UUID
    provider_id: str
    name: str
    arguments: str = ""
    person: str = ""
    """The public id of the person who typed the call; "" for calls of models."""

    def parsed(self) -> dict[str, Any]:
        """Return the call's arguments as an object that can be stored. If they are not an object, return an empty one;
        the tool chain then reports that to the model."""
        try:
            value = _storable(json.loads(self.arguments or "{}"))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}


def _storable(value: Any, depth: int = 0) -> Any:
    """Replace values that Python's JSON parser accepts, but databases or the channel layer refuse.

    These are NUL, lone surrogates, NaN, infinity and huge integers. Raises ValueError if the value is nested too
    deeply.
    """
    if depth > DEPTH_LIMIT:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item, depth + 1) for item in value]
    return value if _is_representable(value) else str(value)


def _is_representable(value: Any) -> bool:
    """Return whether databases and clients can represent a number of JSON; False for NaN, infinity and integers that
    are too large. Other values are accepted."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -INTEGER_LIMIT <= value < INTEGER_LIMIT


@dataclass(slots=True)
class DraftPart:
    id: uuid.UUID
    index: int
    type: str
    text: str = ""
    call: DraftCall | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class ModelAnswer:
    """A model's answer. `new_id` creates the ids of parts and calls. Parts are in the order in which they began."""

    new_id: Callable[[], uuid.UUID]
    parts: list[DraftPart] = field(default_factory=list)
    finish: str = ""
    usage: TokenUsage | None = None
    _calls: dict[int, DraftPart] = field(default_factory=dict)

    @classmethod
    def of_call(cls, tool: str, new_id: Callable[[], uuid.UUID]) -> "ModelAnswer":
        """Return an answer that the site itself makes, with one call of a tool without arguments."""
        answer = cls(new_id, finish="tool_calls")
        call = DraftCall(new_id(), f"call_{tool}_{new_id().hex[-12:]}", tool, "{}")
        answer.parts.append(DraftPart(new_id(), 0, "tool", call=call))
        return answer

    @classmethod
    def of_calls(
        cls, calls: Sequence[tuple[str, Mapping[str, Any], str]], new_id: Callable[[], uuid.UUID]
    ) -> "ModelAnswer":
        """Return an answer with the given tool calls, made by the site itself instead of a model. Each call is (tool,
        arguments, public id of the person who typed it or "")."""
        answer = cls(new_id, finish="tool_calls")
        for index, (tool, arguments, person) in enumerate(calls):
            call = DraftCall(new_id(), f"call_{tool}_{new_id().hex[-12:]}", tool, json.dumps(arguments), person=person)
            answer.parts.append(DraftPart(new_id(), index, "tool", call=call))
        return answer

    def add(self, event: ModelEvent) -> DraftPart | None:
        """Process one event of the model's stream, and return the part that it changed, or None."""
        match event:
            case TextDelta(text):
                return self._append("text", text)
            case ReasoningDelta(text):
                return self._append("reasoning", text)
            case ToolCallDelta():
                self._add_call(event)
            case Finished(reason, usage):
                self.finish, self.usage = reason, usage
        return None

    @property
    def streaming_parts(self) -> list[DraftPart]:
        return [part for part in self.parts if part.call is None]

    def drop_calls(self, *, but: Collection[str] = ()) -> bool:
        """Remove all tool calls from the answer, except calls of the tools in `but`. Returns False if the answer then
        has neither text nor calls."""
        self.parts = [part for part in self.parts if part.call is None or part.call.name in but]
        for index, part in enumerate(self.parts):
            part.index = index
        return any(part.call or part.text.strip() for part in self.parts)

    def _append(self, kind: str, text: str) -> DraftPart | None:
        if not text:
            return None
        if not self.parts or self.parts[-1].type != kind:
            self.parts.append(DraftPart(self.new_id(), len(self.parts), kind))
        self.parts[-1].text += clean(text)
        return self.parts[-1]

    def _add_call(self, delta: ToolCallDelta) -> None:
        part = self._calls.get(delta.index)
        if part is None or part.call is None:
            call = DraftCall(self.new_id(), self._free_id(delta.id), "")
            part = DraftPart(self.new_id(), len(self.parts), "tool", call=call)
            self._calls[delta.index] = part
            self.parts.append(part)
        if part.call is not None:
            part.call.name = part.call.name or clean(delta.name)[:NAME_LIMIT]
            part.call.arguments += clean(delta.arguments)

    def _free_id(self, wanted: str) -> str:
        """Return a unique id for a call, `wanted` if possible. Some providers repeat or omit ids, and results could not
        be matched to such calls."""
        taken = {part.call.provider_id for part in self.parts if part.call}
        usable = wanted and wanted not in taken and len(wanted) <= NAME_LIMIT and wanted == clean(wanted)
        return wanted if usable else f"call_{len(self.parts)}_{self.new_id().hex[-8:]}"
