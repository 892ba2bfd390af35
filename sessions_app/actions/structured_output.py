"""Turns whose answer must fit a JSON Schema: it is kept when it is given, and asked for again when it is missing."""

from collections.abc import Mapping
from typing import Any, Final

from sessions_app.models import Message, ToolCall, Turn

MOST_REMINDERS: Final = 2
NO_ANSWER: Final = {
    "code": "no_structured_output",
    "message": "The model ended without giving its answer in the form that was asked for.",
    "hint": "What it said is kept. Send the prompt again, with a simpler schema or with another model.",
}


def keep_answer(call: ToolCall, answer: Mapping[str, Any]) -> None:
    """The turn ends with it, unless a person has said more since the call was made."""
    newer = Message.objects.filter(turn_id=call.turn_id, role=Message.Role.USER, id__gt=call.message_id)
    if not newer.exists():
        Turn.objects.filter(pk=call.turn_id).update(output=dict(answer))


def is_missing(turn: Turn) -> bool:
    return turn.output_schema is not None and turn.output is None


def may_remind(turn: Turn) -> bool:
    """Whether the model may be asked once more, after it said something and called nothing."""
    said = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    return said.filter(calls__isnull=True).count() <= MOST_REMINDERS
