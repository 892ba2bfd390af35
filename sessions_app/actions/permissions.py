"""Answers to permission requests: exactly once, by whoever may, and what follows from each."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import (
    SCOPES,
    WHO_ANSWERS,
    Answerer,
    answerer,
    narrower_scope,
    stricter,
    unmet,
    weaker_reply,
)
from sessions_app.actions.calls import close_call, close_open_calls, end_in_sandbox, resume_call
from sessions_app.actions.decisions import bounded
from sessions_app.actions.grants import add_grants, require_giver, settle_others
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.actions.waiting_calls import load_request, settle_request
from sessions_app.audience import readers_of, require_seen
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import PermissionRequest, ToolCall, Turn
from sessions_app.policy import session_policies
from tools_app.policies.current import Policies

REPLIES: Final = {"once": "once", "always": "always", "reject": "rejected"}
LONGEST_WORDS: Final = 4000
REJECTED: Final = "The person rejected this call. It was not run."
UNANSWERED: Final = "Nobody answered the permission request in time, so this call was not run. Go on without it."
OTHER_REJECTED: Final = "Stopped: another call of this turn was rejected."
TURN_REJECTED: Final = {
    "code": "rejected",
    "message": "You rejected a call, so the turn stopped.",
    "hint": "Say what to do instead.",
}


@dataclass(frozen=True, slots=True)
class _Answer:
    """What somebody says to a request, and under which rules they say it."""

    actor: Any
    reply: str
    scope: str
    message: str
    person: Answerer
    approvers: str
    policies: Policies


def reply_permission(
    *, actor: Any, request: PermissionRequest, reply: str, scope: str = "", message: str = ""
) -> PermissionRequest:
    """Answer an open request; the request as it then is.

    once: the call runs. always: it runs, and its `always` patterns are granted in `scope` (session by default).
    reject: the turn stops; with a message the agent goes on with those words instead.
    Where two people must say yes, the first yes leaves the request open; together they count as the weaker reply and
    the narrower scope. A first yes of somebody who may no longer answer is none. One reject is enough.

    Rights and policies count as they are now; of the request's approvers and those of the policies, the stricter.
    Raises Stale when somebody was faster or has said yes before, NotAllowed for who may not give this answer, BadInput
    for an answer that does not exist.
    """
    _check(reply, scope, message)
    scope = (scope or "session") if reply == "always" else ""
    with session_write(request.session_id, related=("project", "workspace")) as write:
        row = load_request(write, request)
        answer = _rights(write, row, actor, reply=reply, scope=scope, message=message)
        if row.state != PermissionRequest.State.OPEN:
            raise Stale(f"This request was already settled ({row.state}).", code="already_settled")
        _take_answer(write, row, answer)
    if row.state == PermissionRequest.State.ALWAYS:  # each of them is a transaction of its own, also where this is not
        transaction.on_commit(lambda: settle_others(row, actor=actor, person=answer.person))
    return row


def _check(reply: str, scope: str, message: str) -> None:
    if reply not in REPLIES:
        raise BadInput("A permission request is answered with once, always or reject.", fields={"reply": "unknown"})
    if reply == "always" and scope and scope not in SCOPES:
        raise BadInput("'always' is given for the session, the project or the team.", fields={"scope": "unknown"})
    if len(message) > LONGEST_WORDS:
        raise BadInput(
            f"Words for the agent may have {LONGEST_WORDS:,} characters at most.", fields={"message": "too long"}
        )


def _rights(write: SessionWrite, row: PermissionRequest, actor: Any, **said: str) -> _Answer:
    membership = require(actor, Act.VIEW, team_id=write.session.project.team_id)
    require_seen(actor, write.session)
    if said["scope"] == "team" and actor.reach.project_id is not None:
        raise NotAllowed("This token is for one project, not for all of the team.", hint="Allow it for the project.")
    policies = session_policies(write.session)
    approvers = stricter(row.approvers, policies.approvers)
    person = answerer(membership, started=row.started_by_id == actor.id)
    if wanted := unmet(person, approvers, {row.approvers, *policies.all_approvers}):
        raise NotAllowed(
            f"Only {WHO_ANSWERS[wanted]} may answer this request.",
            hint="Ask one of them; the request waits until it expires.",
        )
    if said["reply"] == "always":
        require_giver(person, said["scope"], policies)
    return _Answer(actor, **said, person=person, approvers=approvers, policies=policies)


def _take_answer(write: SessionWrite, row: PermissionRequest, answer: _Answer) -> None:
    if answer.reply == "reject":
        _reject(write, row, answer)
    elif answer.approvers != "two_people":
        _allow(write, row, answer, reply=answer.reply, scope=answer.scope, approvals=row.approvals)
    elif not (standing := _standing_approvals(write, row, answer)):
        _keep_first_yes(write, row, answer)
    else:
        _add_second_yes(write, row, answer, standing)


def _standing_approvals(write: SessionWrite, row: PermissionRequest, answer: _Answer) -> list[dict[str, Any]]:
    """The yeses of those who may still answer: who has left the team since, or may no longer approve, is none of the
    two people."""
    people = [from_public(User.PREFIX, given["person"]["id"]) for given in row.approvals]
    readers = readers_of(write.session).filter(pk__in=people)
    memberships = Membership.objects.filter(team_id=write.session.project.team_id, user__in=readers)
    others = {row.approvers, *answer.policies.all_approvers}
    still = {
        to_public(User.PREFIX, each.user_id)
        for each in memberships
        if not unmet(answerer(each, started=each.user_id == row.started_by_id), answer.approvers, others)
    }
    return [given for given in row.approvals if given["person"]["id"] in still]


def _keep_first_yes(write: SessionWrite, row: PermissionRequest, answer: _Answer) -> None:
    row.approvers, row.approvals = answer.approvers, [_approval(answer, write.now)]
    row.save(update_fields=["approvers", "approvals"])
    write.emit("permission.updated", views.permission_request(row, tool=row.call.tool))
    _record(write, row, "request.approved", actor=answer.actor, reply=answer.reply, scope=answer.scope)


def _add_second_yes(
    write: SessionWrite, row: PermissionRequest, answer: _Answer, standing: list[dict[str, Any]]
) -> None:
    if any(given["person"]["id"] == answer.actor.public_id for given in standing):
        raise Stale(
            "You have said yes to this request already.",
            code="already_approved",
            hint="Another person must say yes too.",
        )
    approvals = [*standing, _approval(answer, write.now)]
    reply, scope = weaker_reply(approvals), narrower_scope(approvals)
    if reply == "always":
        require_giver(answer.person, scope, answer.policies)
    _allow(write, row, answer, reply=reply, scope=scope, approvals=approvals)


def _approval(answer: _Answer, now: datetime) -> dict[str, Any]:
    actor = answer.actor
    who = {"id": actor.public_id, "email": actor.email, "name": actor.name}
    return {"person": who, "reply": answer.reply, "scope": answer.scope, "at": now.isoformat()}


def _allow(
    write: SessionWrite, row: PermissionRequest, answer: _Answer, *, reply: str, scope: str, approvals: list[Any]
) -> None:
    _settle(write, row, answer, reply, scope=scope, approvals=approvals)
    if reply == "always":
        add_grants(write, row, actor=answer.actor)
    resume_call(write, row.call)
    settle_turn(write, row.turn_id)


def _reject(write: SessionWrite, row: PermissionRequest, answer: _Answer) -> None:
    _settle(write, row, answer, "rejected", scope="", approvals=row.approvals)
    if row.message:
        close_call(write, row.call, ToolCall.State.ERROR, output=f"{REJECTED} They say: {row.message}")
        settle_turn(write, row.turn_id)
        return
    close_call(write, row.call, ToolCall.State.ERROR, output=REJECTED)
    end_in_sandbox(write, close_open_calls(write, row.turn, state=ToolCall.State.ABORTED, output=OTHER_REJECTED))
    end_turn(write, Turn.objects.get(pk=row.turn_id), Turn.State.ABORTED, error=TURN_REJECTED)


def _settle(
    write: SessionWrite, row: PermissionRequest, answer: _Answer, state: str, *, scope: str, approvals: list[Any]
) -> None:
    asked = row.approvers
    settle_request(
        write, row, state, answered_by=answer.actor, message=answer.message, scope=scope,
        approvers=answer.approvers, approvals=approvals,
    )  # fmt: skip
    more: dict[str, Any] = {"reply": state, "scope": scope, "words": bool(answer.message)}
    if asked != answer.approvers:
        more["asked_under"] = asked
    if approvals:
        more["first"] = approvals[0]["person"]["id"]
    _record(write, row, "request.answered", actor=answer.actor, **more)


def _record(write: SessionWrite, row: PermissionRequest, action: str, *, actor: Any, **more: Any) -> None:
    data: Mapping[str, Any] = {
        "session": to_public("ses", row.session_id),
        "call": to_public("call", row.call_id),
        "tool": bounded(row.call.tool),
        "approvers": row.approvers,
        **more,
    }
    write.audit(action, team_id=write.session.project.team_id, actor=actor, subject=row.public_id, data=data)


def expire_requests(now: datetime) -> int:
    """Deny what nobody answered in time, with a reason; the agents go on. Returns how many."""
    overdue = list(PermissionRequest.objects.filter(state=PermissionRequest.State.OPEN, expires_at__lt=now)[:100])
    for request in overdue:
        with suppress(Stale, Missing, PermissionRequest.DoesNotExist):  # answered or deleted meanwhile
            _expire(request)
    return len(overdue)


def _expire(request: PermissionRequest) -> None:
    with session_write(request.session_id, related=("project", "workspace")) as write:
        row = load_request(write, request)
        settle_request(write, row, PermissionRequest.State.REJECTED, message=UNANSWERED)
        close_call(write, row.call, ToolCall.State.ERROR, output=UNANSWERED)
        settle_turn(write, row.turn_id)
        _record(write, row, "request.expired", actor=None, approvals=len(row.approvals))
