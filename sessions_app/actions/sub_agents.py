"""Sub-agents: a call starts a child session, waits for it without holding a worker, and shows its progress.

The call belongs to the parent session; the sub-agent works in the child session. Code that changes both locks the
parent first. The child never writes to its parent: it enqueues a wake-up, and `follow_child` updates the call from the
child's state. `wake_parents` repeats lost wake-ups.
"""

import uuid
from contextlib import suppress
from typing import Any, Final

from django.db.models import OuterRef, QuerySet, Subquery

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, new_id
from sessions_app.actions.calls import HeldCall, close_call, close_held_call, park_call, stop_turn_of_child
from sessions_app.actions.opening import opening_calls, reading_calls
from sessions_app.actions.prompts import add_message, start_turn
from sessions_app.actions.sessions import add_child_session, tighten_child
from sessions_app.actions.sub_agent_report import first_report, report_of, result_for_model
from sessions_app.actions.turns import settle_turn
from sessions_app.configuration.templates import MAX_CALLS, mentioned_paths, parts_of
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.model_endpoints import default_models
from sessions_app.models import Session, ToolCall, Turn
from sessions_app.queueing import enqueue_child_end
from tools_app.suspension import AwaitChild
from tools_app.text import counted, first_line

MAX_RUNNING_SUB_AGENTS: Final = 10  # for one prompt of a person
BATCH: Final = 500
CHILD_DELETED: Final = "The session of the sub-agent was deleted, so there is no result."


class _Refused(Exception):
    """The sub-agent cannot start; the message is for the model."""


def start_child(held: HeldCall, wait: AwaitChild) -> bool:
    """Make the call wait, and start its sub-agent in a new session or in the session of an earlier call. If the
    sub-agent cannot start, the call ends with a text for the model. Returns False if the call was ended elsewhere or
    another worker has the lease."""
    with session_write(held.row.session_id, related=("project", "workspace", "created_by")) as write:
        turn = Turn.objects.select_related("started_by").get(pk=held.row.turn_id)
        try:
            _require_room(turn)
            started = (
                _continue_child(write, held, wait, turn)
                if wait.session_id
                else _start_new_child(write, held, wait, turn)
            )
        except _Refused as refused:
            return close_held_call(write, held, output=str(refused), title=_title(wait))
        if started:
            settle_turn(write, turn.pk)
        return started


def _require_room(turn: Turn) -> None:
    working = Turn.objects.filter(root_id=turn.root_id or turn.pk, state__in=Turn.OPEN).count()
    if working >= MAX_RUNNING_SUB_AGENTS:
        raise _Refused(
            f"This sub-agent was not started: {counted(working, 'sub-agent')} already run, which is the maximum. "
            "Call again when some of them have finished."
        )


def _start_new_child(write: SessionWrite, held: HeldCall, wait: AwaitChild, turn: Turn) -> bool:
    title = f"{first_line(wait.description, 150)} (@{wait.agent})"
    child = Session(id=new_id(after=write.session.pk), title=title, agent=wait.agent, created_by=turn.started_by)
    child.model, child.effort = _model_of(held), write.session.effort
    if not _park(write, held, wait, child):
        return False
    add_child_session(write.session, child)
    with session_write(child.pk, related=("workspace",)) as inner:
        _start_child_turn(inner, held, wait, turn)
    return True


def _continue_child(write: SessionWrite, held: HeldCall, wait: AwaitChild, turn: Turn) -> bool:
    with session_write(_id_of_child(write.session, wait), related=("workspace",)) as inner:
        child = inner.session
        _require_free(child)
        if not _park(write, held, wait, child):
            return False
        tighten_child(child, write.session)
        child.agent, child.model, child.effort = wait.agent, _model_of(held), write.session.effort
        child.save(update_fields=["agent", "model", "effort"])
        inner.session_changed()
        _start_child_turn(inner, held, wait, turn)
    return True


def _id_of_child(parent: Session, wait: AwaitChild) -> uuid.UUID:
    """Return the id of the sub-agent's session that the call continues. Raises _Refused if this is not a child session
    of `parent`."""
    with suppress(Missing):
        child_id = from_public(Session.PREFIX, wait.session_id or "")
        if Session.objects.filter(pk=child_id, parent=parent).exists():
            return child_id
    raise _Refused(
        "There is no sub-agent with this task_id in this session. Use the id from the result of an earlier `task` "
        "call, or leave it out to start a new sub-agent."
    )


def _require_free(child: Session) -> None:
    if child.archived:
        raise _Refused("The session of this sub-agent is archived. Leave out task_id to start a new one.")
    if Turn.objects.filter(session=child, state__in=Turn.OPEN).exists():
        raise _Refused(
            "This sub-agent is still running. Wait for the result of its current task, or leave out task_id to start a "
            "new one."
        )


def _model_of(held: HeldCall) -> str:
    """Return the model of the answer that called the sub-agent; "" if this is the session's default model, so that the
    sub-agent follows a later change of the default."""
    model = held.row.message.model
    return "" if model == default_models(held.session)[0] else model


def _title(wait: AwaitChild) -> str:
    return f"Asked @{wait.agent}: {first_line(wait.description, 200)}"


def _park(write: SessionWrite, held: HeldCall, wait: AwaitChild, child: Session) -> bool:
    return park_call(write, held, ToolCall.CHILD, title=_title(wait), metadata=first_report(child.public_id, wait))


def _start_child_turn(inner: SessionWrite, held: HeldCall, wait: AwaitChild, turn: Turn) -> None:
    """Start a turn in the sub-agent's session. Caller, root turn, billing and timeouts are copied from the calling
    turn. Files that the task names as `@path` are read first. If the task comes from a command, its shell commands are
    run first; if a model wrote the task, they are not run, because it may have copied them from a page or file."""
    root_id = turn.root_id or turn.pk
    task = Turn(
        started_by=turn.started_by, payer_id=turn.payer_id, patience=turn.patience, caller=held.row, root_id=root_id
    )
    filled = parts_of(wait.prompt) if wait.command else None
    task.opening = opening_calls(filled) if filled else reading_calls(mentioned_paths(wait.prompt)[:MAX_CALLS])
    start_turn(inner, task)
    add_message(inner, task, author=None, text=filled.text if filled else wait.prompt)


def follow_child(call_id: uuid.UUID) -> None:
    """Update a call that waits for a sub-agent: show its progress, or end the call with its result.

    Idempotent; does nothing for a call that does not wait for a sub-agent.
    """
    session_id = _waiting(pk=call_id).values_list("session_id", flat=True).first()
    if session_id is None:
        return
    with suppress(Missing), session_write(session_id) as write:
        call = _waiting(pk=call_id).first()
        if call is not None:
            _follow(write, call)


def follow_session(session_id: uuid.UUID) -> None:
    """Update the tool calls that wait for this session of a sub-agent: show its progress, or store its result."""
    calls = _waiting(child_turns__session=session_id, child_turns__state__in=Turn.OPEN)
    for call_id in calls.values_list("id", flat=True):
        follow_child(call_id)


def _waiting(**which: Any) -> QuerySet[ToolCall]:
    return ToolCall.objects.filter(state=ToolCall.State.WAITING, waits_for=ToolCall.CHILD, **which).order_by()


def _follow(write: SessionWrite, call: ToolCall) -> None:
    turn = Turn.objects.filter(caller=call).order_by("-id").first()
    if turn is None:
        close_call(write, call, ToolCall.State.ERROR, output=CHILD_DELETED)
        settle_turn(write, call.turn_id)
        return
    metadata = {**call.metadata, **report_of(turn)}
    if turn.state not in Turn.OPEN:
        done = turn.state == Turn.State.COMPLETED
        state = ToolCall.State.COMPLETED if done else ToolCall.State.ERROR
        close_call(write, call, state, output=result_for_model(turn), metadata=metadata)
        settle_turn(write, call.turn_id)
    elif metadata != call.metadata:
        _show(write, call, metadata)


def _show(write: SessionWrite, call: ToolCall, metadata: dict[str, Any]) -> None:
    moved = metadata["state"] != call.metadata["state"]
    call.metadata = metadata
    call.save(update_fields=["metadata"])
    write.emit("call.updated", views.call(call))
    if moved:
        settle_turn(write, call.turn_id)


def wake_parents() -> int:
    """Enqueue an update of each call whose stored state differs from its sub-agent's state because a wake-up was lost,
    and stop sub-agents whose calling call has ended. Returns the number of these calls and sub-agents."""
    newest = Turn.objects.filter(caller=OuterRef("pk")).order_by("-id").values("state")[:1]
    rows = _waiting().annotate(child_state=Subquery(newest)).values_list("id", "child_state", "metadata__state")
    stale = [call_id for call_id, actual, shown in rows.order_by("?")[:BATCH] if actual != shown]
    for call_id in stale:
        enqueue_child_end(call_id)
    unwanted = Turn.objects.filter(state__in=Turn.OPEN, caller__isnull=False).exclude(caller__state__in=ToolCall.OPEN)
    return len(stale) + sum(stop_turn_of_child(turn) for turn in unwanted[:BATCH])
