"""Repeated calls: the model makes the very same call a third time although it has read the result twice.

Rules for the permission `doom_loop` decide what happens then; the presets ask. A call is repeated when the two answers
of the model before its own, in the same turn, made it too: same tool, same arguments to the letter. All of those had
ended before this one was made. Whoever allows it once allows two more like it: the next that is asked about is the
third after the one that was allowed.
"""

from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from sessions_app.models import Message, PermissionRequest, ToolCall
from tools_app.spec import PermissionNeed

PERMISSION: Final = "doom_loop"
REPEATS: Final = 3


def with_previous(rows: Any) -> Any:
    """Tool calls that know as `was_made_before` whether the model's answer before theirs made the same call, so that
    for most of them nothing needs to be asked."""
    before = _answers_before(session=OuterRef(OuterRef("session")), message=OuterRef(OuterRef("message_id")))
    same = ToolCall.objects.filter(
        message=Subquery(before[:1]), tool=OuterRef("tool"), raw_arguments=OuterRef("raw_arguments")
    )
    return rows.annotate(was_made_before=Exists(same))


def _answers_before(*, session: Any, message: Any) -> QuerySet[Any, Any]:
    """Ids of the session's finished answers before a message, newest first: an index gives the first few at once."""
    answers = Message.objects.filter(role=Message.Role.ASSISTANT, state=Message.State.COMPLETE)
    return answers.filter(session=session, id__lt=message).order_by("-id").values("id")


def repetition_needs(call: Any) -> tuple[PermissionNeed, ...]:
    """What a call from `with_previous` needs because it is repeated: nothing, or one thing. A call that another made
    for itself is repeated with that one, which is asked about."""
    if call.outer_id is not None or not call.was_made_before:
        return ()
    before = _answers_before(session=call.session_id, message=call.message_id)
    made = {"turn": call.turn_id, "tool": call.tool, "raw_arguments": call.raw_arguments}
    earlier = list(ToolCall.objects.filter(message__in=before[: REPEATS - 1], **made).values_list("id", "message_id"))
    if len({message for _, message in earlier}) < REPEATS - 1 or _was_allowed([call_id for call_id, _ in earlier]):
        return ()
    return (PermissionNeed(PERMISSION, (call.tool,), (call.tool,), {"times": REPEATS}),)


def _was_allowed(call_ids: list[Any]) -> bool:
    """A person has seen the repetition and let it go on."""
    yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
    answered = PermissionRequest.objects.filter(call__in=call_ids, state__in=yes).values_list("needs", flat=True)
    return any(need["permission"] == PERMISSION for needs in answered for need in needs)
