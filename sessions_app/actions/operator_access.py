"""Operators run the site and see no conversation. One who must read a session says why, may read that session alone for
an hour at most, and everybody whose session it is can see it: in the session, and in the logs of team and site."""

import uuid
from datetime import timedelta
from typing import Any, Final

from agentsite.base.errors import BadInput, Missing, NotAllowed, Stale
from agentsite.base.ids import from_public, to_public
from agentsite.tenancy.access import require
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.events.schema import SnapshotView
from sessions_app.events.snapshot import read_snapshot
from sessions_app.models import OperatorAccess, Session, WorkspaceNote

LONGEST_MINUTES: Final = 60
SHORTEST_REASON: Final = 10  # characters
LONGEST_REASON: Final = 300


def require_operator(actor: Any) -> None:
    if not (actor.is_staff and actor.is_active):
        raise NotAllowed("This is for the people who run the site.", hint="Ask one of them.")


def open_operator_access(*, actor: Any, session_id: str, reason: str, minutes: int = LONGEST_MINUTES) -> OperatorAccess:
    """From now on the operator may read the session, which says so. Raises Missing for one that is not there."""
    require_operator(actor)
    reason = _reason(reason)
    if not 1 <= minutes <= LONGEST_MINUTES:
        raise BadInput("An access lasts an hour at most.", fields={"minutes": f"1 to {LONGEST_MINUTES}"})
    with session_write(from_public(Session.PREFIX, session_id), related=("project",)) as write:
        row = OperatorAccess.objects.create(
            session=write.session, operator=actor, reason=reason, expires_at=write.now + timedelta(minutes=minutes)
        )
        _note(write, f"An operator may read this session until {row.expires_at:%H:%M} UTC: {reason}", row)
        _record(write, "operator.access_opened", row, actor, minutes=minutes)
    return row


def read_by_operator(*, actor: Any, access: OperatorAccess) -> SnapshotView:
    """The whole session as it is now. Every reading is recorded before it happens."""
    require_operator(actor)
    with session_write(access.session_id, related=("project",)) as write:
        row = OperatorAccess.objects.get(pk=access.pk)
        if row.operator_id != actor.pk:
            raise Missing("This access is not there.")
        if not row.is_alive:
            raise Stale("This access is over.", code="access_over", hint="Open another one, with its own reason.")
        if row.readings == 0:
            _note(write, f"An operator read this session: {row.reason}", row)
        row.readings, row.last_read_at = row.readings + 1, write.now
        row.save(update_fields=["readings", "last_read_at"])
        _record(write, "operator.session_read", row, actor)
    return read_snapshot(access.session_id, can_act=False)


def end_operator_access(*, actor: Any, access: OperatorAccess) -> None:
    """By the operator, or by an admin of the team. Again: nothing happens."""
    if access.operator_id != actor.pk:
        require(actor, Act.MANAGE_TEAM, team_id=access.session.project.team_id)
    with session_write(access.session_id, related=("project",)) as write:
        if OperatorAccess.objects.alive(write.now).filter(pk=access.pk).update(revoked_at=write.now, revoked_by=actor):
            _record(write, "operator.access_ended", access, actor)


def _reason(text: str) -> str:
    reason = " ".join(text.split())
    if not SHORTEST_REASON <= len(reason) <= LONGEST_REASON:
        words = f"{SHORTEST_REASON} to {LONGEST_REASON} characters"
        raise BadInput("Say why, in a sentence that the team will read.", fields={"reason": words})
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


def _record(write: SessionWrite, action: str, access: OperatorAccess, actor: Any, **more: Any) -> None:
    """In the log of the team and in the one of the site."""
    team_id: uuid.UUID = write.session.project.team_id
    data = {"session": to_public("ses", access.session_id), "reason": access.reason, **more}
    for chain in (team_id, None):
        write.audit(action, team_id=chain, actor=actor, subject=access.public_id, data=data, for_all=True)
