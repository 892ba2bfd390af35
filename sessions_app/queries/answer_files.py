"""Find the turns whose file changes are undone or applied again when another answer to a prompt is chosen.

`Turn.files_taken_back` marks the turns whose changes are not in the files, because their answers were replaced together
with their files.
"""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from agentsite.base.ids import from_public, to_public
from sessions_app.models import Message, Session, Turn
from sessions_app.queries.patches import patches_of_turns


@dataclass(frozen=True, slots=True)
class AnswerTurns:
    """The turns whose changes are taken back, and the turns whose changes are brought back, when another answer is
    chosen."""

    taken_back: frozenset[uuid.UUID]
    brought: frozenset[uuid.UUID]

    def patches(self) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
        """Return two lists of patches: those to undo, and those to apply again, each in the order of the calls."""
        return patches_of_turns(self.taken_back), patches_of_turns(self.brought)


def turns_of_answer(session: Session, wanted: Turn) -> AnswerTurns:
    """Return the turns whose file changes are undone, and the turns whose file changes are applied again, so that the
    files are as they were after the hidden answer `wanted` and the turns that followed it.

    If the changes of `wanted` are still in the files, everything after them is undone. Otherwise everything since the
    first answer to this prompt is undone, except the changes that were in the files when `wanted` began, and the
    changes of `wanted` itself are applied again.
    """
    group = Turn.objects.filter(hidden_with=wanted)
    if not wanted.files_taken_back:
        last = _messages(group).order_by("-id")[0]
        return AnswerTurns(_in_files(session, since=last, without=_ids(group)), frozenset())
    kept = _ids(group) | {from_public(Turn.PREFIX, each) for each in wanted.files_with}
    brought = _ids(Turn.objects.filter(pk__in=kept, files_taken_back=True))
    return AnswerTurns(_in_files(session, since=_first_answer(wanted), without=kept), brought)


def turns_replaced(session: Session, old: Turn) -> frozenset[uuid.UUID]:
    """Return the ids of turns whose file changes are reverted if the prompt of `old` is answered again from the
    workspace files as they were when the prompt was sent."""
    newest = from_public(Turn.PREFIX, old.alternatives[-1])
    return _in_files(session, since=_messages(Turn.objects.filter(pk=old.pk))[0], without={newest})


def turns_begun_with(session: Session, old: Turn) -> list[str]:
    """Return the public ids of turns whose file changes are in the workspace now, beginning with the oldest answer to
    the prompt of `old`. A new answer that starts with the present files stores these ids in `Turn.files_with`."""
    found = _in_files(session, since=_first_answer(old), without=frozenset())
    return sorted(to_public(Turn.PREFIX, each) for each in found)


def _first_answer(turn: Turn) -> Message:
    """Return the first message of the oldest answer to the turn's prompt."""
    ids = turn.alternatives or [turn.public_id]
    answers = Turn.objects.filter(pk__in=[from_public(Turn.PREFIX, each) for each in ids])
    found: Message = _messages(answers)[0]
    return found


def _ids(turns: QuerySet[Turn, Any]) -> frozenset[uuid.UUID]:
    return frozenset(turns.values_list("pk", flat=True))


def _messages(turns: QuerySet[Turn, Any]) -> QuerySet[Message, Any]:
    return Message.objects.filter(turn__in=turns).order_by("id")


def _in_files(session: Session, *, since: Message, without: Collection[uuid.UUID]) -> frozenset[uuid.UUID]:
    """Return the ids of turns that have a message from `since` on and whose changes are in the files now, except the
    turns in `without`."""
    rows = Message.objects.filter(session=session, pk__gte=since.pk, turn__files_taken_back=False)
    return frozenset(rows.exclude(turn__in=without).values_list("turn", flat=True))
