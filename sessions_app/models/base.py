"""The common parts of all tables: sortable ids, visibility through the project's team and the session's audience, and
states that are changed only from an expected state.

The audience of a session is its whole team, or the person who started it and the people added by that person.

A state is changed by one UPDATE whose filter has the expected old state. If the state has changed meanwhile, nothing is
updated.
"""

import uuid
from datetime import datetime
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models

from agentsite.base.ids import to_public
from agentsite.base.prepared import update_rows
from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models import User

USER = settings.AUTH_USER_MODEL
M = TypeVar("M", bound=models.Model)
AnyRow = TypeVar("AnyRow", bound="Row")


class Row(Identified):
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class TenantQuerySet(VisibleQuerySet[AnyRow]):
    """Rows of a team. `team_path` is the lookup from the row to its team."""

    team_path: ClassVar[str]

    def visible_to(self, user: User) -> Self:
        return self.filter(**{f"{self.team_path}__memberships__user": user})


class SharedWith(models.TextChoices):
    TEAM = "team"
    PRIVATE = "private"


def seen_by(user: User, prefix: str = "") -> models.Q:
    """Return the filter for sessions that the user can see. `prefix` is the lookup from a row to its session. A
    sub-agent's session has the audience of its root session."""
    guest_of = SessionGuest.objects.filter(user=user).values("session_id")
    own = models.Q(**{f"{prefix}root__isnull": True}) & (
        models.Q(**{f"{prefix}shared_with": SharedWith.TEAM})
        | models.Q(**{f"{prefix}created_by": user})
        | models.Q(**{f"{prefix}id__in": guest_of})
    )
    of_root = (
        models.Q(**{f"{prefix}root__shared_with": SharedWith.TEAM})
        | models.Q(**{f"{prefix}root__created_by": user})
        | models.Q(**{f"{prefix}root_id__in": guest_of})
    )
    return own | of_root


class SessionBoundQuerySet(TenantQuerySet[AnyRow]):
    """Rows that belong to a session. People who can see the session can see its rows. `session_path` is the lookup from
    the row to the session."""

    session_path: ClassVar[str] = "session__"
    team_path = "session__project__team"

    def visible_to(self, user: User) -> Self:
        return super().visible_to(user).filter(seen_by(user, self.session_path))


class SessionGuest(Row):
    """A team member who was added to a private session, and may see it and the sessions of its sub-agents."""

    PREFIX = "gst"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="guests")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("session", "user"), name="one_guest_per_session_and_user"),)


def public_id_of(prefix: str, value: uuid.UUID | None) -> str | None:
    return None if value is None else to_public(prefix, value)


def move(row: M, *, source: str | tuple[str, ...], target: str, only: models.Q | None = None, **fields: Any) -> bool:
    """Set the row's state to `target` if it is still `source` (and `only` matches). Returns True if this call of the
    function changed the state.

    Also updates the row in memory. Call it inside the transaction that writes the event.
    """
    sources = (source,) if isinstance(source, str) else source
    where = models.Q(pk=row.pk, state__in=sources)
    if not update_rows(type(row), where & only if only else where, {"state": target, **fields}):
        return False
    for name, value in {"state": target, **fields}.items():
        setattr(row, name, value)
    return True


def renew_lease(
    model: type[models.Model], row_id: Any, *, token: str, states: tuple[str, ...], until: datetime
) -> bool:
    """Extend the lease that a worker has on a row. Returns False if the lease was lost or the row is no longer in
    `states` (for example, was aborted): the worker must stop at once."""
    mine = models.Q(pk=row_id, lease_token=token, state__in=states)
    return bool(update_rows(model, mine, {"lease_until": until}))
