"""Operator access: let an operator read one session for a recorded reason and at most one hour.

Operators cannot see conversations otherwise. Each access is shown in the session and recorded in the audit logs of the
team and the site.
"""

from datetime import timedelta
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.events.schema import SnapshotView
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import OperatorAccess, Session, WorkspaceNote

MAX_MINUTES: Final = 60
MIN_REASON_CHARACTERS: Final = 10  # characters
MAX_REASON_CHARACTERS: Final = 300


def require_operator(actor: User) -> None:
    if not (actor.is_staff and actor.is_active):
        raise NotAllowed("Only operators of this site can do this.", hint="Ask an operator.")


def open_operator_access(*, actor: User, session_id: str, reason: str, minutes: int = MAX_MINUTES) -> OperatorAccess:
    """Let the operator read the session, and add a note about it to the session. Raises Missing if the session does not
    exist."""
    require_operator(actor)
    reason = _reason(reason)
    if not 1 <= minutes <= MAX_MINUTES:
        raise BadInput("An operator's access lasts at most one hour.", fields={"minutes": f"1 to {MAX_MINUTES}"})
    with session_write(from_public(Session.PREFIX, session_id), related=("project",)) as write:
        row = OperatorAccess.objects.create(
            session=write.session, operator=actor, reason=reason, expires_at=write.now + timedelta(minutes=minutes)
        )
        _note(write, f"An operator may read this session until {row.expires_at:%H:%M} UTC: {reason}", row)
        _record(write, "operator.access_opened", row, actor, minutes=minutes)
    return row


def read_by_operator(*, actor: User, access: OperatorAccess) -> SnapshotView:
    """Return the current snapshot of the session for an operator. Each call is counted and recorded in the audit logs
    before the session is read."""
    require_operator(actor)
    with session_write(access.session_id, related=("project",)) as write:
        row = OperatorAccess.objects.get(pk=access.pk)
        if row.operator_id != actor.pk:
            raise Missing("This operator access does not exist.")
        if not row.is_alive:
            raise Stale(
                "This operator access has ended.",
                code=ErrorCode.ACCESS_OVER,
                hint="Open a new access and give a reason for it.",
            )
        if row.readings == 0:
            _note(write, f"An operator read this session: {row.reason}", row)
        row.readings, row.last_read_at = row.readings + 1, write.now
        row.save(update_fields=["readings", "last_read_at"])
        _record(write, "operator.session_read", row, actor)
    return read_snapshot(access.session_id, can_act=False)


def end_operator_access(*, actor: User, access: OperatorAccess) -> None:
    """End the access. Allowed for the operator and for admins of the team. Does nothing if it has already ended."""
    if access.operator_id != actor.pk:
        require(actor, Act.MANAGE_TEAM, team_id=access.session.project.team_id)
    with session_write(access.session_id, related=("project",)) as write:
        if OperatorAccess.objects.alive(write.now).filter(pk=access.pk).update(revoked_at=write.now, revoked_by=actor):
            _record(write, "operator.access_ended", access, actor)


def _reason(text: str) -> str:
    reason = " ".join(text.split())
    if not MIN_REASON_CHARACTERS <= len(reason) <= MAX_REASON_CHARACTERS:
        words = f"{MIN_REASON_CHARACTERS} to {MAX_REASON_CHARACTERS} characters"
        raise BadInput("Give the reason in one sentence. The team can read it.", fields={"reason": words})
    return reason


def _note(write: SessionWrite, text: str, access: OperatorAccess) -> None:
    row = WorkspaceNote.objects.create(
        session=write.session,
        workspace_id=write.session.workspace_id,
        kind=WorkspaceNote.Kind.OPERATOR,
        text=text,
        data={"access": access.public_id},
    )
    write.emit("workspace.noted", views.workspace_note(row))


def _record(write: SessionWrite, action: str, access: OperatorAccess, actor: User, **more: Any) -> None:
    """Record an action of an operator's access to a session in the audit logs of the team and the site."""
    team_id = write.session.project.team_id
    data = {"session": to_public("ses", access.session_id), "reason": access.reason, **more}
    for chain in (team_id, None):
        write.audit(action, team_id=chain, actor=actor, subject=access.public_id, data=data, for_all=True)
