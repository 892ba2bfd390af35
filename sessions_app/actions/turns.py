"""The life cycle of a turn: start a step, store its answer, end the turn. Every write checks the turn's lease.

Two steps of one turn never overlap: a step starts by acquiring the turn's lease, and its writes are rejected once
another worker has the lease.
"""

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Final, Self

from django.conf import settings
from django.db.models import Q

from agentsite.base.errors import Missing
from agentsite.base.ids import new_id, to_public
from agentsite.base.prepared import PreparedQuery, insert_rows, update_rows
from sessions_app.actions import structured_output
from sessions_app.actions.turn_errors import too_many_steps, workers_died
from sessions_app.agent.answer import DraftPart, ModelAnswer
from sessions_app.agent.context import SentPrompt
from sessions_app.agent.definitions import MAX_STEPS
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write, turn_write
from sessions_app.models import Message, Part, Revert, Session, SystemPrompt, ToolCall, Turn
from sessions_app.models.base import move
from sessions_app.queries.due_turns import due_turns
from sessions_app.queueing import enqueue_archive, enqueue_call, enqueue_calls, enqueue_child_end, enqueue_turn
from sessions_app.spending.reservations import StepUsage, add_usage

LEASE: Final = timedelta(seconds=15)  # renewed every 3 s; the step of a dead worker is restarted within 20 s
STEP_LIMIT: Final = MAX_STEPS  # including sub-agents; hard limit above the agents' own limits
MAX_FAILED_ATTEMPTS: Final = 5  # failed attempts of one step, model failures included


class LeaseLost(Exception):
    """This worker has lost the turn's lease: another worker has it, or the turn was stopped. The worker must discard
    its results and write nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """A started step of a turn. `message_id` is the id of the answer's message. `session` is loaded with its project
    and workspace. `steps_of_tree` counts the finished steps of the root turn and its sub-agents."""

    turn: Turn
    session: Session
    token: str
    agent: str
    model: str
    message_id: uuid.UUID
    steps_of_tree: int = 0
    effort: str = ""

    def by(self, agent: str, model: str, effort: str = "") -> Self:
        """Return a copy of the step with another agent, model or reasoning effort."""
        return replace(self, agent=agent, model=model, effort=effort)

    @property
    def turn_id(self) -> uuid.UUID:
        return self.turn.id

    @property
    def session_id(self) -> uuid.UUID:
        return self.session.id

    @property
    def number(self) -> int:
        """Return the step's number in the turn, starting at 1."""
        return self.turn.step_count + 1

    @property
    def attempt(self) -> int:
        """Return the number of attempts of this step that have failed so far."""
        return self.turn.attempts


def begin_step(turn_id: uuid.UUID, *, token: str, model: str) -> Step | None:
    """Acquire the lease of a turn and mark the turn as running.

    Returns None if there is nothing to do (usually a second delivery of the task).

    The id of the answer is created while the session is locked and after all existing ids, so that the model has seen
    exactly the rows with smaller ids.
    """
    with suppress(Missing), turn_write(turn_id, related=("project", "workspace")) as write:
        turn = _due_turn(turn_id, write)
        if turn is None:
            return None
        begins = turn.state == Turn.State.QUEUED
        if not _acquire_turn(turn, token, write):
            return None
        if turn.is_streaming:
            interrupt_streaming(write, turn)
        if turn.attempts > MAX_FAILED_ATTEMPTS:
            end_turn(write, turn, Turn.State.FAILED, error=workers_died(MAX_FAILED_ATTEMPTS))
            return None
        if turn.steps_of_tree >= STEP_LIMIT:
            end_turn(write, turn, Turn.State.FAILED, error=too_many_steps(turn.steps_of_tree))
            return None
        if turn.output is not None:
            end_turn(write, turn, Turn.State.COMPLETED)
            return None
        if begins:
            write.emit("turn.updated", views.turn(turn))
            follow_turn(write, turn)
        session = write.session
        model = session.model or model
        return Step(turn, session, token, session.agent, model, turn.answer_id, turn.steps_of_tree)
    return None


def _due_turn(turn_id: uuid.UUID, write: SessionWrite) -> Any:
    """Return the turn if its next step may begin: it has no open call, its workspace is ready, no revert is being
    applied, and `not_before` has passed."""
    session = write.session
    reverts = session.revert is not None and session.revert["state"] == Revert.State.PENDING
    return due_turns.first(turn=turn_id, now=write.now) if session.workspace.seeded and not reverts else None


def _acquire_turn(turn: Any, token: str, write: SessionWrite) -> bool:
    """Acquire the turn's lease unless another worker has it. An expired lease that was not released counts as a failed
    attempt."""
    free = Q(lease_until__isnull=True) | Q(lease_until__lt=write.now)
    fields = {
        "lease_token": token, "lease_until": write.now + LEASE, "state": Turn.State.RUNNING, "moved_at": write.now,
        "answer_id": new_id(after=turn.newest), "attempts": turn.attempts + (turn.lease_token != ""),
    }  # fmt: skip
    if not update_rows(Turn, free & Q(pk=turn.pk), fields):
        return False
    for name, value in fields.items():
        setattr(turn, name, value)
    return True


def leased_turn(step: Step) -> Turn:
    """Return the step's turn if it is running under this step's lease. Call it under the session's lock. Raises
    LeaseLost."""
    turn = Turn.objects.filter(pk=step.turn_id, state=Turn.State.RUNNING, lease_token=step.token).first()
    if turn is None:
        raise LeaseLost
    return turn


def open_message(step: Step, parts: Sequence[DraftPart]) -> None:
    """Create the message of the step's answer, with the parts that are being streamed."""
    with session_write(step.session_id) as write:
        leased_turn(step)
        message, created = Message.objects.get_or_create(
            pk=step.message_id, defaults=message_fields(step) | {"state": Message.State.STREAMING}
        )
        if created:
            write.emit("message.updated", views.message(message))
        for row in _make_parts(message, parts):
            write.emit("part.updated", views.part(row))


def save_parts(step: Step, parts: Sequence[DraftPart]) -> None:
    """Store the text of the answer's parts received so far.

    No event is emitted, because clients have already received the text as deltas.
    """
    with session_write(step.session_id):
        leased_turn(step)
        for part in parts:
            Part.objects.filter(pk=part.id).update(text=part.text)


def finish_step(
    step: Step,
    answer: ModelAnswer,
    spent: StepUsage,
    *,
    opened: bool,
    prompt: SentPrompt | None = None,
    taken: int = 0,
) -> None:
    """Store the complete answer in one transaction: message, parts, tool calls. The calls run after the commit.

    `opened`: parts of the answer were shown while it was streamed (`open_message`). `prompt` has the system prompt and
    the tools that the model was sent. If the answer consists of calls from `Turn.opening`, `taken` is their number.
    Raises LeaseLost.
    """
    with session_write(step.session_id, related=("created_by",)) as write:
        turn = release_lease(step, write, **(_without_taken(step, taken) if taken else {}))
        if prompt is not None:
            SystemPrompt.keep(write.session, prompt)
        message = close_message(write, step, answer, spent, opened=opened, prompted=prompt is not None)
        calls = _make_calls(write, message, answer)
        add_usage(write.session, spent)
        write.session.context_tokens, write.session.context_limit = sum(spent.tokens.values()), spent.limit
        write.emit("turn.updated", views.turn(turn))
        write.session_changed()
        node = step.session.workspace.node
        if len(calls) > 1:
            write.after_commit(partial(enqueue_calls, message.id, node=node))
        elif calls:
            write.after_commit(partial(enqueue_call, calls[0].id, node=node))
        else:
            _end_or_continue(write, step)


def release_lease(step: Step, write: SessionWrite, **changes: Any) -> Turn:
    """Release the turn's lease and increment `step_count`. Raises LeaseLost if another worker has it."""
    fields = {
        "attempts": 0, "not_before": None, "lease_token": "", "lease_until": None, "moved_at": write.now,
        "step_count": step.number, **changes,
    }  # fmt: skip
    turn = step.turn
    if not move(turn, source=Turn.State.RUNNING, target=Turn.State.RUNNING, only=Q(lease_token=step.token), **fields):
        raise LeaseLost
    return turn


def _without_taken(step: Step, taken: int) -> dict[str, Any]:
    """Return the value for the turn's column `opening` without the first `taken` entries, whose calls were created. The
    column is read from the database, because prompts may have added entries meanwhile."""
    now: list[Any] = Turn.objects.values_list("opening", flat=True).get(pk=step.turn_id)
    return {"opening": now[taken:]}


def _end_or_continue(write: SessionWrite, step: Step) -> None:
    """End the turn, or continue with another step: for a prompt that arrived while the model was answering, for a
    requested compaction, or for a missing structured output."""
    newer = Message.objects.filter(turn_id=step.turn_id, role=Message.Role.USER, id__gt=step.message_id)
    wants_notes = Turn.objects.filter(pk=step.turn_id, compact=True)
    is_missing = is_output_missing(step.turn)
    if newer.exists() or wants_notes.exists() or (is_missing and structured_output.may_remind(step.turn)):
        write.after_commit(partial(enqueue_turn, step.turn_id))
    elif is_missing:
        end_turn(write, step.turn, Turn.State.FAILED, error=structured_output.NO_ANSWER)
    else:
        end_turn(write, step.turn, Turn.State.COMPLETED)


def is_output_missing(turn: Turn) -> bool:
    return turn.output_schema is not None and turn.output is None


def message_fields(step: Step) -> dict[str, Any]:
    """Return the fields of the answer's message that are the same whether the step succeeds or fails."""
    return {
        "session_id": step.session_id,
        "turn_id": step.turn_id,
        "role": Message.Role.ASSISTANT,
        "agent": step.agent,
        "model": step.model,
        "effort": step.effort,
    }


def _make_parts(message: Message, parts: Sequence[DraftPart]) -> list[Part]:
    rows = [
        Part(
            id=part.id, session_id=message.session_id, message=message, index=part.index, type=part.type,
            text=part.text, data={"call_id": to_public("call", part.call.id)} if part.call else part.data,
        )
        for part in parts
    ]  # fmt: skip
    insert_rows(rows)
    return rows


def close_message(
    write: SessionWrite, step: Step, answer: ModelAnswer, spent: StepUsage, *, opened: bool, prompted: bool = False
) -> Message:
    """Store the answer of the step as a complete message. With `prompted`, link the message to the session's system
    prompt, which was sent to the model."""
    closing = {
        "state": Message.State.COMPLETE, "finish": answer.finish, "tokens": spent.tokens, "cost": spent.cost,
        "unpriced_calls": spent.unpriced_calls, "completed_at": write.now,
        "system_prompt_id": write.session.system_prompt_id if prompted else None,
    }  # fmt: skip
    known: set[uuid.UUID] = set()
    if opened:
        message, _ = Message.objects.update_or_create(
            pk=step.message_id, defaults=closing, create_defaults=message_fields(step) | closing
        )
        known = set(Part.objects.filter(message=message).values_list("id", flat=True))
    else:
        message = Message(pk=step.message_id, **message_fields(step), **closing)
        insert_rows([message])
    rows = _make_parts(message, [part for part in answer.parts if part.id not in known])
    rows += [_update_part(message, part) for part in answer.parts if part.id in known]
    write.emit("message.updated", views.message(message))
    for row in sorted(rows, key=lambda row: row.index):
        write.emit("part.updated", views.part(row))
    return message


def _update_part(message: Message, draft: DraftPart) -> Part:
    Part.objects.filter(pk=draft.id).update(text=draft.text, type=draft.type, data=draft.data)
    return Part(
        id=draft.id, session_id=message.session_id, message=message, index=draft.index, type=draft.type,
        text=draft.text, data=draft.data,
    )  # fmt: skip


def _make_calls(write: SessionWrite, message: Message, answer: ModelAnswer) -> list[ToolCall]:
    drafts = [(part, part.call) for part in answer.parts if part.call]
    if not drafts:
        return []
    calls = [
        ToolCall(
            id=call.id, session_id=message.session_id, turn_id=message.turn_id, message=message, part_id=part.id,
            provider_id=call.provider_id, tool=call.name, raw_arguments=call.arguments, arguments=call.parsed(),
            metadata={"person": call.person} if call.person else {},
        )
        for part, call in drafts
    ]  # fmt: skip
    insert_rows(calls)
    for call in calls:
        write.emit("call.updated", views.call(call))
    return calls


def interrupt_streaming(write: SessionWrite, turn: Turn) -> None:
    """Mark the turn's unfinished answers as interrupted; they stay visible and are never sent to a model."""
    for message in Message.objects.filter(turn=turn, state=Message.State.STREAMING):
        message.state, message.completed_at = Message.State.INTERRUPTED, write.now
        message.save(update_fields=["state", "completed_at"])
        write.emit("message.updated", views.message(message))
        for part in Part.objects.filter(message=message):
            write.emit("part.updated", views.part(part))


def end_turn(write: SessionWrite, turn: Turn, state: str, *, error: dict[str, str] | None = None) -> bool:
    """Move an open turn to its final state. Returns False if it has already ended."""
    free: dict[str, Any] = {"lease_token": "", "lease_until": None, "waits_for": ""}
    if not move(turn, source=Turn.OPEN, target=state, error=error, ended_at=write.now, **free):
        return False
    interrupt_streaming(write, turn)
    write.emit("turn.updated", views.turn(turn))
    follow_turn(write, turn)
    if turn.caller_id is not None:
        write.after_commit(partial(enqueue_child_end, turn.caller_id))
    if settings.ARCHIVE_AFTER_TURNS:
        workspace = write.session.workspace
        write.after_commit(partial(enqueue_archive, workspace.id, node=workspace.node))
    return True


def follow_turn(write: SessionWrite, turn: Turn) -> None:
    """Set the session's status according to the state of its turn."""
    going = Session.Status.WAITING if turn.state == Turn.State.WAITING else Session.Status.RUNNING
    status = going if turn.state in Turn.OPEN else Session.Status.IDLE
    if write.session.status != status:
        write.session.status = status
        write.session_changed()


def settle_turn(write: SessionWrite, turn_id: uuid.UUID) -> None:
    """Update the turn's state after a call changed: it waits if a call waits for a person, and continues if no call is
    open."""
    open_calls = _open_calls.tuples(turn=turn_id)
    is_waiting = write.session.status == Session.Status.WAITING
    if is_waiting != any(_waits_for_person(*call) for call in open_calls):
        _move_turn(write, turn_id, Turn.State.RUNNING if is_waiting else Turn.State.WAITING)
    if not open_calls:
        write.after_commit(partial(enqueue_turn, turn_id))


_open_calls: Final[PreparedQuery[ToolCall]] = PreparedQuery(
    lambda turn: (
        ToolCall.objects.filter(turn=turn, state__in=ToolCall.OPEN)
        .order_by()
        .values_list("state", "waits_for", "metadata__state")
    )
)


def _waits_for_person(state: str, waits_for: str, child_state: str | None) -> bool:
    """Return whether the call waits for a person, directly or in its sub-agent's session."""
    if state != ToolCall.State.WAITING or waits_for == ToolCall.INNER:
        return False
    return waits_for != ToolCall.CHILD or child_state == Turn.State.WAITING


def _move_turn(write: SessionWrite, turn_id: uuid.UUID, target: str) -> None:
    """Move the turn between running and waiting; an ended turn stays unchanged."""
    turn = Turn.objects.get(pk=turn_id)
    if move(turn, source=(Turn.State.RUNNING, Turn.State.WAITING), target=target, moved_at=write.now):
        write.emit("turn.updated", views.turn(turn))
        follow_turn(write, turn)
