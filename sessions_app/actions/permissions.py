"""Answers to permission requests: exactly once, by whoever may, and what follows from each."""

from datetime import datetime
from typing import Any, Final

from agentsite.errors import BadInput, Stale
from agentsite.tenancy.access import require
from agentsite.tenancy.roles import Act
from sessions_app.actions.calls import close_call, close_open_calls, end_in_sandbox, resume_call
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Grant, PermissionRequest, ToolCall, Turn
from sessions_app.policy import judge_stored
from sessions_app.states import move

REPLIES: Final = {"once": "once", "always": "always", "reject": "rejected"}
SCOPES: Final = ("session", "project")
REJECTED: Final = "The person rejected this call. It was not run."
UNANSWERED: Final = "Nobody answered the permission request in time, so this call was not run. Go on without it."


def reply_permission(
    *, actor: Any, request: PermissionRequest, reply: str, scope: str = "", message: str = ""
) -> PermissionRequest:
    """Settle an open request. Raises Stale when somebody was faster, BadInput for an answer that does not exist.

    once: the call runs. always: it runs, and its `always` patterns are granted in `scope` (session by default).
    reject: the turn stops; with a message the agent goes on with those words instead.
    """
    _check(reply, scope, message)
    require(actor, Act.ANSWER, team_id=request.session.project.team_id)
    with session_write(request.session_id) as write:
        fields = {"answered_by": actor, "message": message, "scope": (scope or "session") if reply == "always" else ""}
        row = _settle(write, request, REPLIES[reply], **fields)
        if reply == "reject":
            _reject(write, row)
        else:
            if reply == "always":
                _grant(write, row, actor)
            resume_call(write, row.call)
            settle_turn(write, row.turn_id)
    if reply == "always":
        settle_granted(row, actor=actor)
    return row


def _check(reply: str, scope: str, message: str) -> None:
    if reply not in REPLIES:
        raise BadInput("A permission request is answered with once, always or reject.", fields={"reply": "unknown"})
    if reply == "always" and scope and scope not in SCOPES:
        raise BadInput("'always' is granted for the session or for the project.", fields={"scope": "unknown"})
    if len(message) > 4000:
        raise BadInput("Words for the agent may have 4,000 characters at most.", fields={"message": "too long"})


def _settle(write: SessionWrite, request: PermissionRequest, state: str, **fields: Any) -> PermissionRequest:
    row: PermissionRequest = PermissionRequest.objects.select_related("call", "turn", "session").get(pk=request.pk)
    if not move(row, source=PermissionRequest.State.OPEN, target=state, settled_at=write.now, **fields):
        raise Stale(f"This request was already settled ({row.state}).", code="already_settled")
    write.emit("permission.settled", views.permission_request(row, tool=row.call.tool))
    return row


def _reject(write: SessionWrite, row: PermissionRequest) -> None:
    if row.message:
        close_call(write, row.call, ToolCall.State.ERROR, output=f"{REJECTED} They say: {row.message}")
        settle_turn(write, row.turn_id)
        return
    close_call(write, row.call, ToolCall.State.ERROR, output=REJECTED)
    running = close_open_calls(
        write, row.turn, state=ToolCall.State.ABORTED, output="Stopped: another call of this turn was rejected."
    )
    end_in_sandbox(write, running)
    error = {
        "code": "rejected",
        "message": "You rejected a call, so the turn stopped.",
        "hint": "Say what to do instead.",
    }
    end_turn(write, Turn.objects.get(pk=row.turn_id), Turn.State.ABORTED, error=error)


def _grant(write: SessionWrite, row: PermissionRequest, actor: Any) -> None:
    session = write.session if row.scope == "session" else None
    Grant.objects.bulk_create(
        [
            Grant(
                team_id=write.session.project.team_id, project_id=write.session.project_id, session=session,
                scope=row.scope, permission=need["permission"], pattern=pattern, granted_by=actor, from_request=row,
            )
            for need in row.needs
            for pattern in need["always"]
        ]
    )  # fmt: skip


def settle_granted(granted: PermissionRequest, *, actor: Any) -> int:
    """After a grant: let every other waiting request through that is now fully allowed; how many."""
    waiting = PermissionRequest.objects.filter(state=PermissionRequest.State.OPEN)
    if granted.scope == "session":
        waiting = waiting.filter(session_id=granted.session_id)
    else:
        waiting = waiting.filter(session__project_id=granted.session.project_id)
    return sum(_settle_if_allowed(request, actor=actor) for request in waiting.select_related("session"))


def _settle_if_allowed(request: PermissionRequest, *, actor: Any) -> bool:
    with session_write(request.session_id) as write:
        if judge_stored(write.session, request.needs).action != "allow":
            return False
        try:
            row = _settle(write, request, PermissionRequest.State.ALWAYS, answered_by=actor)
        except Stale:
            return False
        resume_call(write, row.call)
        settle_turn(write, row.turn_id)
        return True


def expire_requests(now: datetime) -> int:
    """Deny what nobody answered in time, with a reason; the agents go on. Returns how many."""
    overdue = list(PermissionRequest.objects.filter(state=PermissionRequest.State.OPEN, expires_at__lt=now)[:100])
    for request in overdue:
        _expire(request)
    return len(overdue)


def _expire(request: PermissionRequest) -> None:
    with session_write(request.session_id) as write:
        try:
            row = _settle(write, request, PermissionRequest.State.REJECTED, message=UNANSWERED)
        except Stale:
            return
        close_call(write, row.call, ToolCall.State.ERROR, output=UNANSWERED)
        settle_turn(write, row.turn_id)


def revoke_grant(*, actor: Any, grant: Grant) -> None:
    """The next call asks again. Whoever may answer requests may take an answer back."""
    require(actor, Act.ANSWER, team_id=grant.team_id)
    grant.delete()
