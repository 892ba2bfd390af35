"""Repeated calls: the model makes the very same call a third time although it has read the result twice.

Rules for the permission `doom_loop` decide what happens then; the presets ask. Calls count when they stand in a row of
earlier messages of the turn, so that all of them had ended before this one was made. Whoever allows it once allows two
more like it: the next that is asked about is the third after the one that was allowed.
"""

from typing import Any, Final

from django.db.models import Exists, OuterRef, Subquery

from sessions_app.models import PermissionRequest, ToolCall
from tools_app.spec import PermissionNeed

PERMISSION: Final = "doom_loop"
REPEATS: Final = 3


def with_previous(rows: Any) -> Any:
    """Tool calls that know as `previous_is_same` whether the last one of an earlier message is the same, so that
    looking further is needed for few."""
    earlier = ToolCall.objects.filter(turn=OuterRef("turn"), message_id__lt=OuterRef("message_id")).order_by("-id")
    same = ToolCall.objects.filter(
        pk=OuterRef("previous_id"), tool=OuterRef("tool"), raw_arguments=OuterRef("raw_arguments")
    )
    return rows.annotate(previous_id=Subquery(earlier.values("id")[:1])).annotate(previous_is_same=Exists(same))


def repetition_needs(call: Any) -> tuple[PermissionNeed, ...]:
    """What a call from `with_previous` needs because it is repeated: nothing, or one thing."""
    if not call.previous_is_same or not _is_third(call):
        return ()
    return (PermissionNeed(PERMISSION, (call.tool,), (call.tool,), {"times": REPEATS}),)


def _is_third(call: ToolCall) -> bool:
    rows = ToolCall.objects.filter(turn_id=call.turn_id, message_id__lt=call.message_id).order_by("-id")
    before = list(rows.only("tool", "raw_arguments")[: REPEATS - 1])
    if len(before) < REPEATS - 1:
        return False
    return all(_same(call, earlier) for earlier in before) and not _was_allowed(before)


def _same(call: ToolCall, other: ToolCall) -> bool:
    return (call.tool, call.raw_arguments) == (other.tool, other.raw_arguments)


def _was_allowed(calls: list[ToolCall]) -> bool:
    """A person has seen the repetition and let it go on."""
    yes = (PermissionRequest.State.ONCE, PermissionRequest.State.ALWAYS)
    answered = PermissionRequest.objects.filter(call__in=calls, state__in=yes).values_list("needs", flat=True)
    return any(need["permission"] == PERMISSION for needs in answered for need in needs)
