"""Reduce the context of a session: summarize its older part, and clear the output of old calls.

Nothing is deleted, and people still see everything. `workers.agent.history` chooses the messages that models are sent.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db.models.functions import Length

from agentsite.base.errors import Stale
from agentsite.base.ids import to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.actions.turns import (
    Step,
    close_message,
    end_turn,
    follow_turn,
    interrupt_streaming,
    is_output_missing,
    leased_turn,
    release_lease,
)
from sessions_app.agent.answer import ModelAnswer
from sessions_app.agent.built_in import COMPACTION
from sessions_app.agent.compaction import calls_to_prune
from sessions_app.agents import effective_agents
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Message, OnceKey, Part, Session, SystemPrompt, ToolCall, Turn
from sessions_app.queueing import enqueue_turn
from sessions_app.spending.reservations import StepUsage, add_usage

NEVER_PRUNED: Final = ("skill",)  # its output contains instructions that stay in force
TURNS_KEPT_WHOLE: Final = 2


@dataclass(frozen=True, slots=True)
class KeptTail:
    """The messages that a compaction keeps word for word: all messages from the id `first` on; none if `first` is None.

    `prompt` is the last prompt if its message is not kept. `tokens` is the size of the conversation before the
    compaction.
    """

    first: uuid.UUID | None
    prompt: str
    tokens: int


def compact_session(*, actor: User, session: Session) -> Turn:
    """Request a summary of the conversation now, or after the running step. Raises Stale if there are no messages or
    the agent `compaction` is disabled."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if COMPACTION.name not in effective_agents(session):
        raise Stale(
            "This conversation cannot be summarized: the agent 'compaction' is disabled.",
            hint="Ask an admin of the team to enable it.",
        )
    with session_write(session.id) as write:
        if write.session.archived:
            raise Stale("This session is archived.", hint="Unarchive the session first.")
        if not Message.objects.filter(session=session, role=Message.Role.ASSISTANT).exists():
            raise Stale("This session has no messages to summarize yet.", hint="Send a message first.")
        turn = Turn.objects.filter(session=session, state__in=Turn.OPEN).first()
        if turn is not None:
            turn.compact = True
            turn.save(update_fields=["compact"])
            return turn
        turn = Turn.objects.create(session=write.session, started_by=actor, payer=actor, compact=True)
        write.emit("turn.updated", views.turn(turn))
        follow_turn(write, turn)
        write.after_commit(partial(enqueue_turn, turn.pk))
        return turn


def request_compaction(step: Step) -> None:
    """Abandon the step because the conversation did not fit into the model's context. The next step compacts the
    conversation first."""
    with session_write(step.session_id) as write:
        interrupt_streaming(write, leased_turn(step))
        release_lease(step, write, step_count=step.turn.step_count, compact=True)
        write.after_commit(partial(enqueue_turn, step.turn_id))


def finish_compaction(step: Step, answer: ModelAnswer, spent: StepUsage, kept: KeptTail, *, opened: bool) -> None:
    """Store the summary of a compaction in one transaction, and continue the turn if its last prompt is not answered
    yet. A compaction does not count as a step of the agent.

    Raises LeaseLost.
    """
    data = {
        "kept_from": to_public("msg", kept.first) if kept.first else None, "prompt": kept.prompt, "tokens": kept.tokens,
    }  # fmt: skip
    for part in answer.parts:
        if part.type == Part.Type.TEXT:
            part.type, part.data = Part.Type.COMPACTION, data
    with session_write(step.session_id, related=("created_by",)) as write:
        turn = release_lease(step, write, step_count=step.turn.step_count, compact=False)
        close_message(write, step, answer, spent, opened=opened)
        add_usage(write.session, spent)
        change_context(write.session)
        SystemPrompt.forget_old(write.session)
        write.emit("turn.updated", views.turn(turn))
        _continue_or_end(write, turn)
        write.session_changed()


def cancel_compaction(step: Step) -> None:
    """Clear the turn's compaction request, because there is nothing to summarize, and continue or end the turn."""
    with session_write(step.session_id) as write:
        turn = release_lease(step, write, step_count=step.turn.step_count, compact=False)
        _continue_or_end(write, turn)


def prune_outputs(session: Session) -> list[uuid.UUID]:
    """Clear the output of the session's old calls if there is much of it; the calls themselves stay. Call it when a
    turn begins, because then the provider's prompt cache has to be rebuilt anyway."""
    turns = Turn.objects.filter(session=session).order_by("-id").values_list("id", flat=True)
    newest = list(turns[:TURNS_KEPT_WHOLE])
    rows = ToolCall.objects.filter(session=session, pruned=False, outer=None, turn_id__lt=newest[-1])
    sizes = rows.exclude(tool__in=NEVER_PRUNED).order_by("-id").values_list("id", Length("output"))
    chosen: Sequence[uuid.UUID] = calls_to_prune(list(sizes)) if len(newest) == TURNS_KEPT_WHOLE else ()
    if not chosen:
        return []
    with session_write(session.id, related=("created_by",)) as write:
        ToolCall.objects.filter(id__in=chosen).update(pruned=True)
        change_context(write.session)
        session.context_tokens, session.context_version = write.session.context_tokens, write.session.context_version
        write.emit("calls.pruned", views.pruned(chosen))
        write.session_changed()
    return list(chosen)


def change_context(session: Session) -> None:
    """Make models read the whole conversation of the session again: reset the token count of its old context, and the
    record of folder instructions that models were shown, because the new context may lack them."""
    OnceKey.objects.filter(session=session).delete()
    session.context_version += 1
    session.context_tokens = 0


def _continue_or_end(write: SessionWrite, turn: Turn) -> None:
    """Continue the turn if its last message is a prompt, its last answer requested calls, or structured output is
    missing. Otherwise end it. Summaries of compactions are ignored."""
    rows = Message.objects.filter(turn=turn, state=Message.State.COMPLETE).exclude(parts__type=Part.Type.COMPACTION)
    last = rows.order_by("-id").first()
    is_open = last is not None and (last.role == Message.Role.USER or last.calls.exists())
    if is_open or is_output_missing(turn):
        write.after_commit(partial(enqueue_turn, turn.pk))
    else:
        end_turn(write, turn, Turn.State.COMPLETED)
