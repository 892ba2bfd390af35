"""May this person do that in this team? The answer for somebody outside is "there is no such thing"."""

import uuid

from agentsite.errors import Missing, NotAllowed
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Act


def membership_of(user: User, team_id: uuid.UUID) -> Membership | None:
    return Membership.objects.filter(user=user, team_id=team_id).first()


def can(user: User, act: Act, *, team_id: uuid.UUID) -> bool:
    membership = membership_of(user, team_id)
    return membership is not None and membership.may(act)


def require(user: User, act: Act, *, team_id: uuid.UUID) -> Membership:
    """The membership that permits it; Missing for outsiders, NotAllowed for members whose role does not reach."""
    membership = membership_of(user, team_id)
    if membership is None:
        raise Missing("There is no such thing, or it belongs to another team.")
    if not membership.may(act):
        raise NotAllowed(f"Your role in this team ({membership.role}) may not do this.")
    return membership
