"""Decide who may watch and use the terminals of a session, and record their use in the audit log."""

from dataclasses import dataclass

from django.db import transaction

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import NotAllowed
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import can, require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.models import Session
from sessions_app.policy import session_policies
from sessions_app.repositories.working_copy.actions import may_decide


@dataclass(frozen=True, slots=True)
class TerminalRights:
    """The rights of a person to the terminals of a session. `reason` says why the person may not type, "" if they
    may."""

    allowed: bool
    may_type: bool
    reason: str


def terminal_rights(user: User, session: Session) -> TerminalRights:
    """Return the person's rights to the session's terminals. Reads `session.project`. Raises NotAllowed or Missing if
    they may not even watch.

    The permission rules do not judge the input of a terminal. So only people who may approve calls of agents on their
    own may type.
    """
    team_id = session.project.team_id
    require(user, Act.PROMPT, team_id=team_id)
    allowed, source = session_policies(session).terminals
    if not allowed:
        said = "No policy allows terminals." if source == "default" else f"The {source}'s policy forbids terminals."
        return TerminalRights(allowed=False, may_type=False, reason=said)
    if not can(user, Act.USE_TERMINALS, team_id=team_id):
        reason = "You may only watch. To type, you need the right to decide permission requests."
    elif not may_decide(user, session):
        reason = "You may only watch, because the policies require more than your approval for what runs here."
    else:
        reason = ""
    return TerminalRights(allowed=True, may_type=not reason, reason=reason)


def require_terminals(user: User, session: Session, *, to_type: bool) -> None:
    """Raise NotAllowed unless the person may watch the session's terminals, or with `to_type` may type into them."""
    require(user, Act.USE_TERMINALS if to_type else Act.PROMPT, team_id=session.project.team_id)
    rights = terminal_rights(user, session)
    if not rights.allowed:
        raise NotAllowed(rights.reason, code=ErrorCode.TERMINALS_OFF)
    if to_type and not rights.may_type:
        raise NotAllowed(rights.reason)


def record_terminal(*, actor: User | None, session: Session, action: str, terminal: str) -> None:
    """Record in the audit log that a terminal was opened, closed or ended. Input is not recorded."""
    with sqlite_write_lock(), transaction.atomic():
        audit.record(
            team_id=session.project.team_id,
            actor=actor,
            action=action,
            subject=session.public_id,
            data={"terminal": terminal},
            project_id=session.project_id,
        )
