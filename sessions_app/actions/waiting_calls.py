"""Make a call wait for a person for a limited time, and close the permission request for which it waited."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from sessions_app.actions.approvers import SCOPES
from sessions_app.actions.calls import HeldCall, call_hash, close_held_call, park_call
from sessions_app.actions.decisions import CallDecision
from sessions_app.actions.turns import settle_turn
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import PermissionRequest, Question, ToolCall, Turn
from sessions_app.models.base import move
from sessions_app.policy import session_policies
from sessions_app.webhooks.models import Webhook
from tools_app.gate import need_as_dict
from tools_app.policies.current import Policies

REFUSED_WITHOUT_PERSON: Final = (
    "This call needs a person's permission, and this turn does not wait for answers. It was not run. "
    "Continue without it, and state what could not be done."
)
UNANSWERED_WITHOUT_PERSON: Final = (
    "Nobody can answer: this turn does not wait for answers. Continue without an answer, and state what you assumed."
)


def ask_permission(
    held: HeldCall,
    *,
    title: str,
    decided: CallDecision,
    policies: Policies,
    ran: Mapping[str, Any] | None = None,
) -> bool:
    """Make the call wait behind one permission request that lists every permission that it needs, and release the
    worker. Returns False if the call does not wait.

    If the turn is set not to wait for people, the call is refused at once and no request is created. A call that has
    run already has its result columns in `ran`, and is not refused.
    """
    with session_write(held.row.session_id) as write:
        call = held.row
        turn = turn_of(call)
        ends = end_of_waiting(write.now, turn, policies)
        if ends is None:
            return ran is None and _refuse(write, held, title, replace(decided, reason="unattended"))
        columns = {**decided.columns, **({"title": title[:400]} if ran is None else ran)}
        if not park_call(write, held, "permission", **columns):
            return False
        request = PermissionRequest.objects.create(
            session=write.session, turn_id=call.turn_id, call=call, title=title[:400], expires_at=ends,
            needs=[need_as_dict(need) for need in decided.verdict.asked],
            reasons=[judged.as_dict() for judged in decided.verdict.decisions if judged.decision.action == "ask"],
            call_hash=call_hash(call, write.session.workspace_id), started_by_id=turn.started_by_id,
            approvers=policies.approvers, scopes=[each for each in SCOPES if policies.granter(each) != "nobody"],
        )  # fmt: skip
        write.emit("permission.asked", views.permission_request(request, tool=call.tool))
        settle_turn(write, call.turn_id)
        decided.record(write, call)
        return True


def _refuse(write: SessionWrite, held: HeldCall, title: str, decided: CallDecision) -> bool:
    if not close_held_call(write, held, output=REFUSED_WITHOUT_PERSON, title=title[:400], **decided.columns):
        return False
    decided.record(write, held.row)
    return True


def ask_questions(held: HeldCall, questions: list[dict[str, Any]]) -> bool:
    """Make the call wait until somebody answers its questions. If the turn is set not to wait for people, the call ends
    with a text which says that nobody can answer."""
    policies = session_policies(held.session)
    with session_write(held.row.session_id) as write:
        call = held.row
        ends = end_of_waiting(write.now, turn_of(call), policies)
        if ends is None:
            return close_held_call(write, held, output=UNANSWERED_WITHOUT_PERSON)
        if not park_call(write, held, ToolCall.QUESTION):
            return False
        row = Question.objects.create(
            session=write.session, turn_id=call.turn_id, call=call, questions=questions, expires_at=ends
        )
        write.emit("question.asked", views.question(row))
        settle_turn(write, call.turn_id)
        return True


def turn_of(call: ToolCall) -> Turn:
    return Turn.objects.only("started_by_id", "patience").get(pk=call.turn_id)


def end_of_waiting(now: datetime, turn: Turn, policies: Policies) -> datetime | None:
    """Return the time at which a call stops waiting for a person: by the policies' limit or the turn's own, whichever
    is first; None if the turn does not wait for people."""
    if turn.patience == 0:
        return None
    limit = timedelta(hours=policies.wait_hours)
    return now + (limit if turn.patience is None else min(limit, timedelta(seconds=turn.patience)))


def load_request(write: SessionWrite, request: PermissionRequest) -> PermissionRequest:
    """Reload the permission request with its call, turn and session. The caller holds the session's lock, so no other
    process changes the request. The same query reads whether the team has webhooks. Reads `write.session.project`."""
    webhooks = Webhook.objects.filter(team=write.session.project.team_id, enabled=True)
    rows = PermissionRequest.objects.select_related("call", "turn").annotate(is_told=Exists(webhooks))
    row = rows.get(pk=request.pk)
    row.session, write.no_webhooks = write.session, not row.is_told
    return row


def settle_request(write: SessionWrite, row: PermissionRequest, state: str, **fields: Any) -> None:
    """Close an open permission request and emit the event. Raises Stale if it is already closed."""
    if not move(row, source=PermissionRequest.State.OPEN, target=state, settled_at=write.now, **fields):
        raise Stale(f"This request is already closed ({row.state}).", code=ErrorCode.ALREADY_SETTLED)
    write.emit("permission.settled", views.permission_request(row, tool=row.call.tool))
