"""Audience of a session: its whole team, or the person who started it and the people added by that person."""

from typing import ClassVar, Self

from django.db import models

from agentsite.tenancy.models import User
from sessions_app.models.base import USER, AnyRow, Row, TenantQuerySet


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
    """Rows that belong to a session and have its audience. `session_path` is the lookup to the session."""

    session_path: ClassVar[str] = "session__"
    team_path = "session__project__team"

    def visible_to(self, user: User) -> Self:
        return super().visible_to(user).filter(seen_by(user, self.session_path))


class SessionGuest(Row):
    """A team member who was added to a private session. The member may also see the sessions of its sub-agents."""

    PREFIX = "gst"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="guests")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("session", "user"), name="one_guest_per_session_and_user"),)
