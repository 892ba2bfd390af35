"""Answer each permission request exactly once, and apply the reply to the call and its turn."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import (
    SCOPES,
    WHO_MAY_ANSWER,
    Answerer,
    answerer,
    narrower_scope,
    stricter,
    unmet_rule,
    weaker_reply,
)
from sessions_app.actions.calls import close_call, close_open_calls, end_processes_after_commit, resume_call
from sessions_app.actions.decisions import bounded
from sessions_app.actions.grants import add_grants, require_may_grant, settle_others
from sessions_app.actions.setups import SETUP_TOOL, mark_setup_refused
from sessions_app.actions.turns import end_turn, settle_turn
from sessions_app.actions.waiting_calls import load_request, settle_request
from sessions_app.audience import readers_of, require_seen
from sessions_app.configured import continues_after_rejection
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import PermissionRequest, ToolCall, Turn
from sessions_app.policy import session_policies
from tools_app.mcp.tool import ACCOUNT
from tools_app.policies.current import Policies

REPLIES: Final = {"once": "once", "always": "always", "reject": "rejected"}
MAX_MESSAGE_CHARACTERS: Final = 4000
REJECTED: Final = "The person rejected this call. It was not run."
UNANSWERED: Final = "Nobody answered the permission request in time, so this call was not run. Continue without it."
REFUSED_AFTERWARDS: Final = "A person refused this. Continue without it."
UNANSWERED_AFTERWARDS: Final = "Nobody answered the permission request for this in time. Continue without it."
SETUP_REJECTED: Final = "The person rejected this set-up. It was not run. Continue without it."
OTHER_REJECTED: Final = "Stopped: another call of this turn was rejected."
TURN_REJECTED: Final = {
    "code": ErrorCode.REJECTED,
    "message": "A call was rejected, so the turn stopped.",
    "hint": "Send a message that says what to do instead.",
}


@dataclass(frozen=True, slots=True)
class _PermissionReply:
    """A person's reply to a permission request, with the approver rule and the policies that apply to the request."""

    actor: User
    reply: str
    scope: str
    message: str
    person: Answerer
    approvers: str
    policies: Policies


def reply_permission(
    *, actor: User, request: PermissionRequest, reply: str, scope: str = "", message: str = ""
) -> PermissionRequest:
    """Answer an open request and return its new state.

    once: the call runs. always: the call runs, and its `always` patterns are granted in `scope` (session by default).
    reject: the turn stops. If the reply has a message, or the configuration sets `experimental.continue_loop_on_deny`,
    the agent continues instead and reads the rejection.

    If two people must approve, the first approval leaves the request open; together they count as the weaker reply and
    the narrower scope. A first approval of a person who may no longer answer is ignored. One reject is enough.

    Current rights and policies apply. If the request and the policies name different approvers, the stricter rule
    applies. Raises Stale if the request is closed or this person has approved it before, NotAllowed if the person may
    not give this answer, BadInput for an unknown reply.
    """
    _check(reply, scope, message)
    scope = (scope or "session") if reply == "always" else ""
    with session_write(request.session_id, related=("project", "workspace")) as write:
        row = load_request(write, request)
        answer = _rights(write, row, actor, reply=reply, scope=scope, message=message)
        if row.state != PermissionRequest.State.OPEN:
            raise Stale(f"This request is already closed ({row.state}).", code=ErrorCode.ALREADY_SETTLED)
        _apply_reply(write, row, answer)
    if row.state == PermissionRequest.State.ALWAYS:  # each settled request has its own transaction
        transaction.on_commit(lambda: settle_others(row, actor=actor, person=answer.person))
    return row


def _check(reply: str, scope: str, message: str) -> None:
    if reply not in REPLIES:
        raise BadInput("The reply to a permission request must be once, always or reject.", fields={"reply": "unknown"})
    if reply == "always" and scope and scope not in SCOPES:
        raise BadInput("The scope of 'always' must be session, project or team.", fields={"scope": "unknown"})
    if len(message) > MAX_MESSAGE_CHARACTERS:
        raise BadInput(
            f"The message to the agent can have at most {MAX_MESSAGE_CHARACTERS:,} characters.",
            fields={"message": "too long"},
        )


def _rights(write: SessionWrite, row: PermissionRequest, actor: User, **reply_fields: str) -> _PermissionReply:
    membership = require(actor, Act.VIEW, team_id=write.session.project.team_id)
    require_seen(actor, write.session)
    if reply_fields["scope"] == "team" and actor.token_restriction.project_id is not None:
        raise NotAllowed(
            "This API token is restricted to one project, not the whole team.", hint="Allow it for the project."
        )
    policies = session_policies(write.session)
    approvers = stricter(row.approvers, policies.approvers)
    person = answerer(membership, started=row.started_by_id == actor.id)
    if wanted := unmet_rule(person, approvers, {row.approvers, *policies.all_approvers}):
        raise NotAllowed(
            f"Only {WHO_MAY_ANSWER[wanted]} can answer this request.",
            hint="Ask one of these people; the request waits until it expires.",
        )
    if reply_fields["reply"] != "reject" and approvers != "two_people":
        _require_own_account(row, actor)
    if reply_fields["reply"] == "always":
        require_may_grant(person, reply_fields["scope"], policies)
    return _PermissionReply(actor, **reply_fields, person=person, approvers=approvers, policies=policies)


def _require_own_account(row: PermissionRequest, actor: User) -> None:
    """Raise NotAllowed if the call would use an account at an MCP server that is not the actor's own.

    Only the owner of an account can allow that. If two people must approve, this function is not called; the call
    itself checks that one of them is the owner.
    """
    for need in row.needs:
        account = need["metadata"].get("account", {}) if need["permission"] == ACCOUNT else {}
        if account and account["person_id"] != actor.public_id:
            raise NotAllowed(
                f"Only {account['person']} can allow this: the call would use their account at {account['server']}.",
                hint="Ask them, or reject the request.",
            )


def _apply_reply(write: SessionWrite, row: PermissionRequest, answer: _PermissionReply) -> None:
    if answer.reply == "reject":
        _reject(write, row, answer)
    elif answer.approvers != "two_people":
        _allow(write, row, answer, reply=answer.reply, scope=answer.scope, approvals=row.approvals)
    elif not (standing := _standing_approvals(write, row, answer)):
        _store_first_approval(write, row, answer)
    else:
        _add_second_approval(write, row, answer, standing)


def _standing_approvals(write: SessionWrite, row: PermissionRequest, answer: _PermissionReply) -> list[dict[str, Any]]:
    """Return the approvals of people who may still answer the request. Approvals of people who left the team or may no
    longer approve are ignored."""
    people = [from_public(User.PREFIX, given["person"]["id"]) for given in row.approvals]
    readers = readers_of(write.session).filter(pk__in=people)
    memberships = Membership.objects.filter(team_id=write.session.project.team_id, user__in=readers)
    others = {row.approvers, *answer.policies.all_approvers}
    still = {
        to_public(User.PREFIX, each.user_id)
        for each in memberships
        if not unmet_rule(answerer(each, started=each.user_id == row.started_by_id), answer.approvers, others)
    }
    return [given for given in row.approvals if given["person"]["id"] in still]


def _store_first_approval(write: SessionWrite, row: PermissionRequest, answer: _PermissionReply) -> None:
    row.approvers, row.approvals = answer.approvers, [_approval(answer, write.now)]
    row.save(update_fields=["approvers", "approvals"])
    write.emit("permission.updated", views.permission_request(row, tool=row.call.tool))
    _record(write, row, "request.approved", actor=answer.actor, reply=answer.reply, scope=answer.scope)


def _add_second_approval(
    write: SessionWrite, row: PermissionRequest, answer: _PermissionReply, standing: list[dict[str, Any]]
) -> None:
    if any(given["person"]["id"] == answer.actor.public_id for given in standing):
        raise Stale(
            "You have already approved this request.",
            code=ErrorCode.ALREADY_APPROVED,
            hint="A second person must approve it too.",
        )
    approvals = [*standing, _approval(answer, write.now)]
    reply, scope = weaker_reply(approvals), narrower_scope(approvals)
    if reply == "always":
        require_may_grant(answer.person, scope, answer.policies)
    _allow(write, row, answer, reply=reply, scope=scope, approvals=approvals)


def _approval(answer: _PermissionReply, now: datetime) -> dict[str, Any]:
    actor = answer.actor
    who = {"id": actor.public_id, "email": actor.email, "name": actor.name}
    return {"person": who, "reply": answer.reply, "scope": answer.scope, "at": now.isoformat()}


def _allow(
    write: SessionWrite,
    row: PermissionRequest,
    answer: _PermissionReply,
    *,
    reply: str,
    scope: str,
    approvals: list[Any],
) -> None:
    _settle(write, row, answer, reply, scope=scope, approvals=approvals)
    if reply == "always":
        add_grants(write, row, actor=answer.actor)
    resume_call(write, row.call)
    settle_turn(write, row.turn_id)


def _reject(write: SessionWrite, row: PermissionRequest, answer: _PermissionReply) -> None:
    _settle(write, row, answer, "rejected", scope="", approvals=row.approvals)
    if row.call.has_run:
        _complete_refused(write, row, f"{REFUSED_AFTERWARDS}{_words(row)}")
        return
    if row.call.tool == SETUP_TOOL:
        mark_setup_refused(write.session.workspace_id, row.needs)
        close_call(write, row.call, ToolCall.State.ERROR, output=f"{SETUP_REJECTED}{_words(row)}")
        settle_turn(write, row.turn_id)
        return
    if row.message or continues_after_rejection(write.session):
        close_call(write, row.call, ToolCall.State.ERROR, output=f"{REJECTED}{_words(row)}")
        settle_turn(write, row.turn_id)
        return
    close_call(write, row.call, ToolCall.State.ERROR, output=REJECTED)
    end_processes_after_commit(
        write, close_open_calls(write, row.turn, state=ToolCall.State.ABORTED, output=OTHER_REJECTED)
    )
    end_turn(write, Turn.objects.get(pk=row.turn_id), Turn.State.ABORTED, error=TURN_REJECTED)


def _words(row: PermissionRequest) -> str:
    return f" They say: {row.message}" if row.message else ""


def _complete_refused(write: SessionWrite, row: PermissionRequest, note: str) -> None:
    """Complete a call that requested more access after it had run: its result says that the request was refused."""
    close_call(write, row.call, ToolCall.State.COMPLETED, output=f"{row.call.output}\n\n({note})")
    settle_turn(write, row.turn_id)


def _settle(
    write: SessionWrite,
    row: PermissionRequest,
    answer: _PermissionReply,
    state: str,
    *,
    scope: str,
    approvals: list[Any],
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


def _record(write: SessionWrite, row: PermissionRequest, action: str, *, actor: User | None, **more: Any) -> None:
    data: Mapping[str, Any] = {
        "session": to_public("ses", row.session_id),
        "call": to_public("call", row.call_id),
        "tool": bounded(row.call.tool),
        "approvers": row.approvers,
        **more,
    }
    write.audit(action, team_id=write.session.project.team_id, actor=actor, subject=row.public_id, data=data)


def expire_requests(now: datetime) -> int:
    """Deny requests that nobody answered in time, with a reason for the agent. Returns the number of denied
    requests."""
    overdue = list(PermissionRequest.objects.filter(state=PermissionRequest.State.OPEN, expires_at__lt=now)[:100])
    for request in overdue:
        with suppress(Stale, Missing, PermissionRequest.DoesNotExist):  # answered or deleted in the meantime
            _expire(request)
    return len(overdue)


def _expire(request: PermissionRequest) -> None:
    with session_write(request.session_id, related=("project", "workspace")) as write:
        row = load_request(write, request)
        settle_request(write, row, PermissionRequest.State.REJECTED, message=UNANSWERED)
        if row.call.has_run:
            _complete_refused(write, row, UNANSWERED_AFTERWARDS)
        else:
            close_call(write, row.call, ToolCall.State.ERROR, output=UNANSWERED)
            settle_turn(write, row.turn_id)
        _record(write, row, "request.expired", actor=None, approvals=len(row.approvals))
