"""Queries about the people who can see a session."""

from collections.abc import Iterable
from contextlib import suppress

from django.db.models import Q, QuerySet

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public
from agentsite.tenancy.models import User
from sessions_app.models import Session, SessionGuest, SharedWith


def readers_of(session: Session) -> QuerySet[User]:
    """Return the people of the team who can see the session."""
    people = User.objects.filter(memberships__team__projects=session.project_id, is_active=True)
    root = session.audience_root
    if root.shared_with != SharedWith.PRIVATE:
        return people
    guests = SessionGuest.objects.filter(session=root).values("user")
    return people.filter(Q(pk=root.created_by_id) | Q(pk__in=guests))


def sees(user: User, session: Session) -> bool:
    return bool(Session.objects.visible_to(user).filter(pk=session.pk).exists())


def require_seen(user: User, session: Session) -> None:
    """Raise Missing unless the user can see the session, as if it did not exist."""
    if not sees(user, session):
        raise Missing("There is no such session, or it is private.")


def readable_ids(user: User, public_ids: Iterable[str]) -> set[str]:
    """Return the ids in `public_ids` that belong to sessions that the user can see."""
    keys = []
    for public_id in set(public_ids):
        with suppress(Missing):
            keys.append(from_public(Session.PREFIX, public_id))
    return {row.public_id for row in Session.objects.visible_to(user).filter(pk__in=keys).only("id")}
