"""Access checks in teams. For non-members, the objects of a team do not exist (404)."""

import uuid
from typing import Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.tenancy.models import Membership, Team, User
from agentsite.tenancy.roles import Act

ALLOWED_WHILE_DEACTIVATED: Final = frozenset({Act.VIEW, Act.READ_AUDIT, Act.SEE_USAGE, Act.DELETE_TEAM})
"""Kinds of actions that remain permitted while a team is deactivated, before its deletion."""


def membership_of(user: User, team_id: uuid.UUID) -> Membership | None:
    """Return the user's membership in the team, or None. Returns None, too, if the user's API token is restricted to
    another team."""
    if user.token_restriction.team_id not in (None, team_id):
        return None
    return Membership.objects.filter(user=user, team_id=team_id).select_related("team").first()


def can(user: User, act: Act, *, team_id: uuid.UUID) -> bool:
    membership = membership_of(user, team_id)
    if membership is None or not membership.may(act):
        return False
    return act in ALLOWED_WHILE_DEACTIVATED or membership.team.remove_at is None


def require(user: User, act: Act, *, team_id: uuid.UUID) -> Membership:
    """Return the user's membership in a team if its role permits this kind of action.

    Raises Missing for non-members, NotAllowed if the role does not permit the action, and Stale if the team is
    deactivated for deletion.
    """
    membership = membership_of(user, team_id)
    if membership is None:
        raise Missing("This does not exist, or it belongs to another team.")
    if not membership.may(act):
        raise NotAllowed(f"Your role in this team ({membership.role}) may not do this.")
    if act not in ALLOWED_WHILE_DEACTIVATED:
        require_active_team(membership.team)
    return membership


def require_active_team(team: Team) -> None:
    """Raise Stale if the team is deactivated for deletion."""
    if team.remove_at is not None:
        raise Stale(
            "This team is deactivated and will be deleted.",
            code=ErrorCode.TEAM_REMOVING,
            hint="An owner of the team can restore it during the grace period.",
        )
