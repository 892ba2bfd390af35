"""The context of a session: notes are made of its older part, and the output of old calls is cleared.

Nothing is deleted: people see everything. What models are sent is decided when it is loaded (`workers.agent.history`).
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from django.db.models.functions import Length

from agentsite.base.errors import Stale
from agentsite.base.ids import to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.roles import Act
from sessions_app.actions import structured_output
from sessions_app.actions.turns import (
    Spent,
    Step,
    add_up,
    close_message,
    end_turn,
    follow_turn,
    give_back,
    held_turn,
    interrupt_streaming,
)
from sessions_app.agent.answer import Answer
from sessions_app.agent.built_in import COMPACTION
from sessions_app.agent.compaction import calls_to_prune
from sessions_app.agents import effective_agents
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, OnceKey, Part, Session, ToolCall, Turn
from sessions_app.queueing import enqueue_turn

NEVER_PRUNED: Final = ("skill",)  # instructions that still hold
TURNS_KEPT_WHOLE: Final = 2


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left word for word: everything from this message on; `prompt` is the last one, when it is not in it.
    `tokens` is how large the conversation was."""

    first: uuid.UUID | None
    prompt: str
    tokens: int


def compact_session(*, actor: Any, session: Session) -> Turn:
    """Have notes made of the conversation now, or after the step that runs. Raises Stale when there is nothing yet, or
    nobody who would make them."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if COMPACTION.name not in effective_agents(session):
        raise Stale("Nobody makes notes here: the agent 'compaction' is disabled.", hint="Ask an admin of the team.")
    with session_write(session.id) as write:
        if write.session.archived:
            raise Stale("This session is archived.", hint="Take it out of the archive first.")
        if not Message.objects.filter(session=session, role=Message.Role.ASSISTANT).exists():
            raise Stale("There is nothing to make notes of yet.", hint="Send a message first.")
        turn: Turn | None = Turn.objects.filter(session=session, state__in=Turn.OPEN).first()
        if turn is not None:
            turn.compact = True
            turn.save(update_fields=["compact"])
            return turn
        turn = Turn.objects.create(session=write.session, started_by=actor, payer=actor, compact=True)
        write.emit("turn.updated", views.turn(turn))
        follow_turn(write, turn)
        write.after_commit(partial(enqueue_turn, turn.pk))
        return turn


def ask_for_notes(step: Step) -> None:
    """The conversation did not fit: the step is given up, and the next one makes notes first."""
    with session_write(step.session_id) as write:
        interrupt_streaming(write, held_turn(step))
        give_back(step, write, step_count=step.turn.step_count, compact=True)
        write.after_commit(partial(enqueue_turn, step.turn_id))


def finish_notes(step: Step, answer: Answer, spent: Spent, kept: Kept, *, opened: bool) -> None:
    """Keep the notes, in one transaction, and go on with the work if there is any. It is no step of the agent's.

    Raises LeaseLost.
    """
    data = {
        "kept_from": to_public("msg", kept.first) if kept.first else None, "prompt": kept.prompt, "tokens": kept.tokens,
    }  # fmt: skip
    for part in answer.parts:
        if part.type == Part.Type.TEXT:
            part.type, part.data = Part.Type.COMPACTION, data
    with session_write(step.session_id, related=("created_by",)) as write:
        turn = give_back(step, write, step_count=step.turn.step_count, compact=False)
        close_message(write, step, answer, spent, opened=opened)
        add_up(write.session, spent)
        _change_context(write.session)
        write.emit("turn.updated", views.turn(turn))
        _go_on(write, turn)
        write.session_changed()


def drop_wish_for_notes(step: Step) -> None:
    """There is nothing to make notes of."""
    with session_write(step.session_id) as write:
        turn = give_back(step, write, step_count=step.turn.step_count, compact=False)
        _go_on(write, turn)


def prune_outputs(session: Session) -> list[uuid.UUID]:
    """Clear the output of old calls when there is much of it; the calls, and that they were made, stay. Call it when
    a turn begins: whatever is sent to models from then on is new to their caches anyway."""
    turns = Turn.objects.filter(session=session).order_by("-id").values_list("id", flat=True)
    newest = list(turns[:TURNS_KEPT_WHOLE])
    rows = ToolCall.objects.filter(session=session, pruned=False, outer=None, turn_id__lt=newest[-1])
    sizes = rows.exclude(tool__in=NEVER_PRUNED).order_by("-id").values_list("id", Length("output"))
    chosen: Sequence[uuid.UUID] = calls_to_prune(list(sizes)) if len(newest) == TURNS_KEPT_WHOLE else ()
    if not chosen:
        return []
    with session_write(session.id, related=("created_by",)) as write:
        ToolCall.objects.filter(id__in=chosen).update(pruned=True)
        _change_context(write.session)
        session.context_tokens, session.context_version = write.session.context_tokens, write.session.context_version
        write.emit("calls.pruned", views.pruned(chosen))
        write.session_changed()
    return list(chosen)


def _change_context(session: Session) -> None:
    """What was counted was the conversation as it stood before. What was said once (a folder's instructions) may not be
    in it any more, and is said again."""
    OnceKey.objects.filter(session=session).delete()
    session.context_version += 1
    session.context_tokens = 0


def _go_on(write: SessionWrite, turn: Turn) -> None:
    """The turn ends when its last answer stands, or nothing was asked in it."""
    rows = Message.objects.filter(turn=turn, state=Message.State.COMPLETE).exclude(parts__type=Part.Type.COMPACTION)
    last = rows.order_by("-id").first()
    is_open = last is not None and (last.role == Message.Role.USER or last.calls.exists())
    if is_open or structured_output.is_missing(turn):
        write.after_commit(partial(enqueue_turn, turn.pk))
    else:
        end_turn(write, turn, Turn.State.COMPLETED)
