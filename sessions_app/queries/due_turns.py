"""Find the turn whose next step may begin, and load the data for that step in the same statement."""

from typing import Any, Final

from django.db.models import Exists, F, Func, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from agentsite.base.prepared import PreparedQuery
from sessions_app.models import Message, ToolCall, Turn
from sessions_app.revisions import with_person_revision


def _due_turns(turn: Any, now: Any) -> QuerySet[Turn]:
    open_calls = ToolCall.objects.filter(turn=OuterRef("pk"), state__in=ToolCall.OPEN)
    streaming = Message.objects.filter(turn=OuterRef("pk"), state=Message.State.STREAMING)
    due = Q(not_before__isnull=True) | Q(not_before__lte=now)
    turns = Turn.objects.filter(due, ~Exists(open_calls), pk=turn, state__in=(Turn.State.QUEUED, Turn.State.RUNNING))
    newest = Message.objects.filter(session=OuterRef("session")).order_by("-id").values("id")[:1]
    facts = {"is_streaming": Exists(streaming), "newest": Subquery(newest), "steps_of_tree": _steps_of_tree()}
    return with_person_revision(turns.annotate(**facts)).order_by()[:1]


def _steps_of_tree() -> Subquery:
    """Return a subquery that counts the steps of the turn's root and of all its sub-agents' turns, because steps of
    sub-agents count for their caller."""
    root = Coalesce(OuterRef("root_id"), OuterRef("pk"))
    together = Turn.objects.filter(Q(pk=root) | Q(root_id=root)).order_by()
    return Subquery(together.annotate(steps=Func(F("step_count"), function="SUM")).values("steps"))


due_turns: Final[PreparedQuery[Turn]] = PreparedQuery(_due_turns)
"""The turn `turn` if it is open, has no open call, and its `not_before` has passed at the time `now`.

Sets `is_streaming` (an unfinished answer exists), `newest` (the id of the session's newest message) and `steps_of_tree`
(the steps of the root turn and all turns below it), and `person_revision`.
"""
