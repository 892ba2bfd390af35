"""Turns with structured output: store the answer, and remind the model when it is missing."""

from collections.abc import Mapping
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from sessions_app.models import Message, ToolCall, Turn

MAX_REMINDERS: Final = 2
NO_ANSWER: Final = {
    "code": ErrorCode.NO_STRUCTURED_OUTPUT,
    "message": "The model finished without an answer that matches the requested JSON Schema.",
    "hint": "Its text is kept. Send the prompt again with a simpler schema or another model.",
}


def store_structured_output(call: ToolCall, answer: Mapping[str, Any]) -> None:
    """Store the structured output on the call's turn. The turn then ends.

    Does nothing if a newer prompt has arrived.
    """
    newer = Message.objects.filter(turn_id=call.turn_id, role=Message.Role.USER, id__gt=call.message_id)
    if not newer.exists():
        Turn.objects.filter(pk=call.turn_id).update(output=dict(answer))


def may_remind(turn: Turn) -> bool:
    """Return whether the turn has not used up its reminders to the model to give the structured output."""
    answers = Message.objects.filter(turn=turn, role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    return answers.filter(calls__isnull=True).count() <= MAX_REMINDERS
