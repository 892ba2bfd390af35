"""May this person do that in this team? The answer for somebody outside is "there is no such thing"."""

import uuid
from typing import Final

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Missing, NotAllowed, Stale
from agentsite.tenancy.models import Membership, Team, User
from agentsite.tenancy.roles import Act

STILL: Final = frozenset({Act.VIEW, Act.READ_AUDIT, Act.SEE_USAGE, Act.DELETE_TEAM})
"""What goes on in a team that is being deleted."""


def membership_of(user: User, team_id: uuid.UUID) -> Membership | None:
    """None, too, when somebody acts by a token for another team."""
    if user.reach.team_id not in (None, team_id):
        return None
    return Membership.objects.filter(user=user, team_id=team_id).select_related("team").first()


def can(user: User, act: Act, *, team_id: uuid.UUID) -> bool:
    membership = membership_of(user, team_id)
    if membership is None or not membership.may(act):
        return False
    return act in STILL or membership.team.remove_at is None


def require(user: User, act: Act, *, team_id: uuid.UUID) -> Membership:
    """The membership that permits it; Missing for outsiders, NotAllowed for members whose role does not reach, Stale
    in a team that is being deleted."""
    membership = membership_of(user, team_id)
    if membership is None:
        raise Missing("There is no such thing, or it belongs to another team.")
    if not membership.may(act):
        raise NotAllowed(f"Your role in this team ({membership.role}) may not do this.")
    if act not in STILL:
        require_living(membership.team)
    return membership


def require_living(team: Team) -> None:
    """Raises Stale for a team that is being deleted."""
    if team.remove_at is not None:
        raise Stale(
            "This team is being deleted.",
            code=ErrorCode.TEAM_REMOVING,
            hint="Until then its owners can keep it.",
        )
