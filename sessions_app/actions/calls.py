"""The life cycle of a tool call: one worker at a time runs it, and its result is stored once.

If a worker dies, its lease expires and the next worker takes the call over. If the call must not run twice, that worker
ends it with the text `INTERRUPTED`, which tells the model that the call may have run partly.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db.models import Q, QuerySet

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing
from agentsite.base.prepared import PreparedQuery
from sessions_app.actions.attachments import mark_attachments_used
from sessions_app.actions.decisions import CallDecision, with_previous
from sessions_app.actions.open_questions import withdraw_questions
from sessions_app.actions.patches import store_patch
from sessions_app.actions.structured_output import store_structured_output
from sessions_app.actions.sub_agent_report import report_of
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import PermissionRequest, Question, Session, ToolCall, Turn
from sessions_app.models.base import move
from sessions_app.queueing import enqueue_call, enqueue_end_call
from sessions_app.revisions import current_revision, revision_of, with_person_revision, with_revision

LEASE: Final = timedelta(seconds=15)
STARTABLE: Final = (ToolCall.State.PENDING, ToolCall.State.RUNNING)
LEASED: Final = (ToolCall.State.RUNNING, ToolCall.State.WAITING)
"""States in which a call can have a lease. A waiting call has one while its tool asks people something."""
STOPPED_WITH_PARENT: Final = "Stopped: the session that started this was stopped."
PARENT_STOPPED: Final = {
    "code": ErrorCode.PARENT_STOPPED,
    "message": "This sub-agent was stopped because the session that started it was stopped.",
    "hint": "Everything it did is kept. Send a message here to let it continue.",
}
INTERRUPTED: Final = "interrupted: it may have run partly. Check the state of the files before you continue."


class RulesChanged(Exception):
    """Rules, agents or grants changed after a decision about a call, so the call has to be judged again."""


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call that this worker has loaded, with its session, project and workspace.

    Until `acquire_calls` the worker has no lease of the call. Parsing the call and deciding about its permissions
    changes nothing, so two workers may do both at once.
    """

    row: ToolCall
    token: str

    @property
    def session(self) -> Session:
        return self.row.session

    @property
    def person_revision(self) -> int:
        """Return the revision of the personal settings of the user who started the turn."""
        return int(self.row.__dict__["person_revision"])

    @property
    def was_started(self) -> bool:
        """Return whether another worker started the call and died."""
        return self.row.started_at is not None and self.row.lease_token != self.token


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call. `answer` is the turn's structured output, if the call provided it. `patch` has the changes
    of the call in the workspace, as the data of a patch part."""

    title: str
    output: str
    metadata: Mapping[str, Any]
    attachments: Sequence[Mapping[str, Any]] = ()
    answer: Mapping[str, Any] | None = None
    switch_agent: str | None = None
    patch: Mapping[str, Any] | None = None


def call_hash(call: ToolCall, workspace_id: uuid.UUID) -> str:
    """Return the hash that binds a permission to the call's tool, its exact arguments, and the workspace."""
    text = json.dumps([call.tool, call.raw_arguments, str(workspace_id)])
    return hashlib.sha256(text.encode()).hexdigest()


def _without_worker(now: Any) -> Q:
    """Return the filter for due calls that no worker runs: calls that have not started, and calls whose lease has
    expired."""
    nobody = Q(state=ToolCall.State.PENDING) | Q(state__in=LEASED, lease_until__lt=now)
    return nobody & (Q(not_before__isnull=True) | Q(not_before__lte=now))


def find_call(call_id: uuid.UUID, *, token: str, now: datetime) -> HeldCall | None:
    """Return an open call that no worker is running; None if the call is running, waits, or has ended."""
    return next(iter(_held(_runnable.all(call=call_id, now=now), token)), None)


def find_calls(message_id: uuid.UUID, *, token: str, now: datetime) -> list[HeldCall]:
    """Return the open calls of an answer that no worker is running, in order, with one shared `session` instance."""
    return _held(_runnable_of_answer.all(message=message_id, now=now), token)


def _held(rows: Sequence[Any], token: str) -> list[HeldCall]:
    for row in rows:
        row.session = rows[0].session
    if rows:
        session = rows[0].session
        session.__dict__["revision"] = rows[0].revision
        session.workspace.project = session.project
    return [HeldCall(row, token) for row in rows]


def _runnable_rows(now: Any, **which: Any) -> QuerySet[ToolCall]:
    rows = ToolCall.objects.select_related("session__project", "session__workspace", "message", "turn")
    return with_person_revision(with_revision(with_previous(rows.filter(_without_worker(now), **which))))


_runnable: Final[PreparedQuery[ToolCall]] = PreparedQuery(lambda call, now: _runnable_rows(now, pk=call).order_by()[:1])
_runnable_of_answer: Final[PreparedQuery[ToolCall]] = PreparedQuery(
    lambda message, now: _runnable_rows(now, message=message, outer__isnull=True).order_by("id")
)


@dataclass(frozen=True, slots=True)
class AdmittedCall:
    """A call that may run, because the rules or a person allow it. `decision` is the decision of the permission engine,
    `title` describes the call for people."""

    held: HeldCall
    decision: CallDecision | None
    title: str


def acquire_calls(admitted: Sequence[AdmittedCall]) -> list[HeldCall]:
    """Acquire the leases of allowed calls of one session in one transaction, and publish that they run.

    Returns the calls whose lease this worker now has; the others were stopped, or another worker was faster. Raises
    RulesChanged if the session's configuration is newer than a decision; nothing has changed then.
    """
    session = admitted[0].held.session
    with session_write(session.pk) as write:
        # after the lock, in a statement of its own: the one that waited for the lock saw the state before the wait
        is_judged = any(each.decision is not None for each in admitted)
        if is_judged and current_revision(session.pk) != revision_of(session):
            raise RulesChanged
        return [each.held for each in admitted if _acquire(write, each)]


def _acquire(write: SessionWrite, admitted: AdmittedCall) -> bool:
    held = admitted.held
    if not move(
        held.row, source=STARTABLE, target=ToolCall.State.RUNNING,
        only=_without_worker(write.now) & _not_moved(held), lease_token=held.token,
        lease_until=write.now + LEASE, title=admitted.title[:400], moved_at=write.now, **_columns(admitted.decision),
        started_at=held.row.started_at or write.now, attempts=held.row.attempts + held.was_started,
    ):  # fmt: skip
        return False
    _record(write, held, admitted.decision)
    return emit_update(write, held.row)


def _columns(decision: CallDecision | None) -> dict[str, Any]:
    return {} if decision is None else decision.columns


def _record(write: SessionWrite, held: HeldCall, decision: CallDecision | None) -> None:
    if decision is not None:
        decision.record(write, held.row)


def emit_update(write: SessionWrite, call: ToolCall) -> bool:
    """Emit the call's update. If the call is an inner call, also update its outer call. Always returns True."""
    write.emit("call.updated", views.call(call))
    if call.outer_id is not None:
        _follow_inner_calls(write, call.outer_id)
    return True


def complete_calls(completed: Sequence[tuple[HeldCall, CallResult]]) -> list[HeldCall]:
    """Store the results of calls of one turn in one transaction. Returns the calls whose lease this worker still had;
    the results of the others are discarded."""
    first = completed[0][0].row
    with session_write(first.session_id) as write:
        closed = [held for held, result in completed if _complete(write, held, result)]
        if closed:
            settle_turn(write, first.turn_id)
        return closed


def _complete(write: SessionWrite, held: HeldCall, result: CallResult) -> bool:
    files = mark_attachments_used(write, result.attachments) if result.attachments else []
    if not close_call(
        write, held.row, ToolCall.State.COMPLETED, only=_leased_by_us(held, write.now), title=result.title[:400],
        output=result.output, metadata=dict(result.metadata), attachments=files,
    ):  # fmt: skip
        return False
    if result.patch is not None:
        store_patch(write, held.row, result.patch)
    if result.answer is not None:
        store_structured_output(held.row, result.answer)
    if result.switch_agent:
        write.session.agent = result.switch_agent
        write.session_changed()
    return True


def refuse_call(
    held: HeldCall,
    message: str,
    *,
    decision: CallDecision | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> bool:
    """End the call with the error text `message` for the model, because of bad arguments, a denial, or a tool's own
    error. `metadata` is added to the metadata of the call. Returns False if this worker no longer has the call."""
    columns = _columns(decision)
    if metadata:
        columns["metadata"] = {**held.row.metadata, **metadata}
    with session_write(held.row.session_id) as write:
        if not close_held_call(write, held, output=message, **columns):
            return False
        _record(write, held, decision)
        return True


def close_held_call(write: SessionWrite, held: HeldCall, state: str = ToolCall.State.ERROR, **fields: Any) -> bool:
    """End a call that this worker runs. Returns False if it was ended elsewhere or another worker has the lease."""
    if not close_call(write, held.row, state, only=_leased_by_us(held, write.now), **fields):
        return False
    settle_turn(write, held.row.turn_id)
    return True


def _leased_by_us(held: HeldCall, now: datetime) -> Q:
    return (Q(state__in=LEASED, lease_token=held.token) | _without_worker(now)) & _not_moved(held)


def _not_moved(held: HeldCall) -> Q:
    """Return the filter for calls whose workspace has not moved to another node since `held` was loaded. A move changes
    the workspace's generation."""
    return Q(session__workspace__generation=held.session.workspace.generation)


def close_call(write: SessionWrite, call: ToolCall, state: str, *, only: Q | None = None, **fields: Any) -> bool:
    """Move an open call to its final state if it matches `only`, emit the event, and withdraw the call's open
    questions. The caller updates the turn."""
    asks = call.waits_for == ToolCall.QUESTION and call.lease_until is not None
    if not move(
        call, source=ToolCall.OPEN, target=state, only=only, waits_for="", lease_token="", lease_until=None,
        live_output="", ended_at=write.now, moved_at=write.now, **fields,
    ):  # fmt: skip
        return False
    if asks:
        withdraw_questions(write, Question.objects.filter(call=call))
    return emit_update(write, call)


def _follow_inner_calls(write: SessionWrite, outer_id: uuid.UUID) -> None:
    """Update an outer call's metadata after an inner call changed, and resume it when all inner calls have ended."""
    outer = ToolCall.objects.get(pk=outer_id)
    inner = list(ToolCall.objects.filter(outer=outer).only("tool", "title", "state").order_by("id"))
    outer.metadata = {**outer.metadata, "calls": inner_call_lines(inner)}
    outer.save(update_fields=["metadata"])
    if any(each.state in ToolCall.OPEN for each in inner) or not resume_call(write, outer):
        emit_update(write, outer)


def inner_call_lines(calls: Sequence[ToolCall]) -> list[dict[str, str]]:
    """Return the data from which the outer call's line for each inner call is shown: id, tool, title and state."""
    return [{"call_id": call.public_id, "tool": call.tool, "title": call.title, "state": call.state} for call in calls]


def park_call(write: SessionWrite, held: HeldCall, waits_for: str, **fields: Any) -> bool:
    """Make the call wait for a person, a sub-agent or inner calls, and release its worker. Returns False if the call
    was ended elsewhere or another worker has the lease."""
    return move(
        held.row, source=STARTABLE, target=ToolCall.State.WAITING, only=_leased_by_us(held, write.now),
        waits_for=waits_for, lease_token="", lease_until=None, moved_at=write.now, **fields,
    ) and emit_update(write, held.row)  # fmt: skip


def resume_call(write: SessionWrite, call: ToolCall) -> bool:
    """Move a waiting call back to pending, so that a worker can run it."""
    if not move(call, source=ToolCall.State.WAITING, target=ToolCall.State.PENDING, waits_for="", moved_at=write.now):
        return False
    node = write.session.workspace.node
    write.after_commit(lambda: enqueue_call(call.id, node=node))
    return emit_update(write, call)


def postpone_call(held: HeldCall, *, delay: float) -> bool:
    """Retry the call after `delay` seconds, because the sandbox could not be reached."""
    with session_write(held.row.session_id, related=("workspace",)) as write:
        fields = {
            "attempts": held.row.attempts + 1, "lease_token": "", "lease_until": None, "moved_at": write.now,
            "not_before": write.now + timedelta(seconds=delay),
        }  # fmt: skip
        if not move(
            held.row, source=STARTABLE, target=ToolCall.State.PENDING, only=_leased_by_us(held, write.now), **fields
        ):
            return False
        emit_update(write, held.row)
        node = write.session.workspace.node
        write.after_commit(partial(enqueue_call, held.row.id, node=node, delay=delay))
        return True


def fail_turn_of(held: HeldCall, *, error: dict[str, str]) -> bool:
    """End the call's turn and all its open calls with this error, because nothing can run in the workspace now. Returns
    False if the call has ended or another worker has the lease."""
    with session_write(held.row.session_id, related=("workspace",)) as write:
        if not ToolCall.objects.filter(_leased_by_us(held, write.now), pk=held.row.pk).exists():
            return False
        turn = Turn.objects.get(pk=held.row.turn_id)
        running = close_open_calls(write, turn, state=ToolCall.State.ERROR, output=f"Not run: {error['message']}")
        end_processes_after_commit(write, running)
        return end_turn(write, turn, Turn.State.FAILED, error=error)


def close_open_calls(write: SessionWrite, turn: Turn, *, state: str, output: str) -> list[ToolCall]:
    """End every open call of a turn, with their requests, questions and sub-agents. Returns the calls that a worker had
    started."""
    running = []
    for call in ToolCall.objects.filter(turn=turn, state__in=ToolCall.OPEN):
        if call.state == ToolCall.State.RUNNING:
            running.append(call)
        shown = call.live_output or call.output
        fields: dict[str, Any] = {"output": f"{shown}\n\n{output}" if shown else output}
        if call.waits_for == ToolCall.CHILD:
            fields["metadata"] = {**call.metadata, **_stop_child(call)}
        close_call(write, call, state, **fields)
    cancel_waiting(write, turn)
    return running


def _stop_child(call: ToolCall) -> dict[str, Any]:
    """Stop the sub-agent for which the call waits, and return the report of its last turn. Sessions are always locked
    from parent to child."""
    turn = Turn.objects.filter(caller=call).order_by("-id").first()
    if turn is None:
        return {"state": Turn.State.ABORTED.value, "waiting": []}
    if turn.state in Turn.OPEN:
        stop_turn_of_child(turn)
        turn.refresh_from_db()
    return report_of(turn)


def stop_turn_of_child(turn: Turn) -> bool:
    """End a sub-agent's turn whose calling turn has ended. Returns False if the turn had already ended."""
    with suppress(Missing), session_write(turn.session_id, related=("workspace",)) as write:
        end_processes_after_commit(
            write, close_open_calls(write, turn, state=ToolCall.State.ABORTED, output=STOPPED_WITH_PARENT)
        )
        return end_turn(write, turn, Turn.State.ABORTED, error=PARENT_STOPPED)
    return False


def cancel_waiting(write: SessionWrite, turn: Turn) -> None:
    """Close the turn's open permission requests and questions."""
    open_requests = PermissionRequest.objects.filter(turn=turn, state=PermissionRequest.State.OPEN)
    for request in open_requests.select_related("call"):
        if move(request, source="open", target=PermissionRequest.State.CANCELLED, settled_at=write.now):
            write.emit("permission.settled", views.permission_request(request, tool=request.call.tool))
    withdraw_questions(write, Question.objects.filter(turn=turn))


def end_processes_after_commit(write: SessionWrite, calls: Sequence[ToolCall]) -> None:
    """Enqueue the task that ends the processes of these calls, after the commit."""
    node = write.session.workspace.node
    for call in calls:
        write.after_commit(partial(enqueue_end_call, call.id, node=node))


def save_live_output(call_id: uuid.UUID, *, token: str, text: str) -> None:
    """Store the output that a running call has written so far. Clients have already received it as deltas."""
    ToolCall.objects.filter(pk=call_id, lease_token=token, state=ToolCall.State.RUNNING).update(live_output=text)


def save_progress(held: HeldCall, news: Mapping[str, Any]) -> None:
    """Store and publish a new title or metadata of a running call. Does nothing if the lease is lost."""
    with session_write(held.row.session_id) as write:
        rows = ToolCall.objects.filter(pk=held.row.pk, lease_token=held.token, state=ToolCall.State.RUNNING)
        if not rows.update(**news):
            return
        for name, value in news.items():
            setattr(held.row, name, value)
        emit_update(write, held.row)
