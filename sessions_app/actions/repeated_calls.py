"""Detect repeated calls: the model makes the same call a third time although it has read the result twice.

Rules for the permission `doom_loop` decide what happens then; the presets ask. A call is repeated if the two previous
answers of the model in the same turn made it too, with the same tool and exactly the same arguments. All of those had
ended before this one was created. Allowing it once also allows the next two: the third repetition after it needs
permission again.
"""

from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from sessions_app.models import Message, PermissionRequest, ToolCall
from tools_app.spec import PermissionNeed

PERMISSION: Final = "doom_loop"
REPEATS: Final = 3


def with_previous(rows: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
    """Annotate tool calls with `was_made_before`: whether the model's previous answer made the same call. For most
    calls this avoids a further query."""
    before = _answers_before(session=OuterRef(OuterRef("session")), message=OuterRef(OuterRef("message_id")))
    same = ToolCall.objects.filter(
        message=Subquery(before[:1]), tool=OuterRef("tool"), raw_arguments=OuterRef("raw_arguments")
    )
    return rows.annotate(was_made_before=Exists(same))


def _answers_before(*, session: Any, message: Any) -> QuerySet[Any, Any]:
    """Return the ids of the session's finished answers before a message, newest first. An index makes reading the first
    few cheap."""
    answers = Message.objects.filter(role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    return answers.filter(session=session, id__lt=message).order_by("-id").values("id")


def repetition_needs(call: Any) -> tuple[PermissionNeed, ...]:
    """Return the `doom_loop` need of a repeated call from `with_previous`, or nothing. An inner call counts as repeated
    if its outer call is; only the outer call needs permission."""
    if call.outer_id is not None or not call.was_made_before:
        return ()
    before = _answers_before(session=call.session_id, message=call.message_id)
    made = {"turn": call.turn_id, "tool": call.tool, "raw_arguments": call.raw_arguments}
    earlier = list(ToolCall.objects.filter(message__in=before[: REPEATS - 1], **made).values_list("id", "message_id"))
    if len({message for _, message in earlier}) < REPEATS - 1 or _was_allowed([call_id for call_id, _ in earlier]):
        return ()
    return (PermissionNeed(PERMISSION, (call.tool,), (call.tool,), {"times": REPEATS}),)


def _was_allowed(call_ids: list[Any]) -> bool:
    """Return whether a person has already allowed one of these repeated calls."""
    yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
    answered = PermissionRequest.objects.filter(call__in=call_ids, state__in=yes).values_list("needs", flat=True)
    return any(need["permission"] == PERMISSION for needs in answered for need in needs)
