"""Who sees a session: its whole team, or the person who started it and those whom that person added."""

from typing import Any, ClassVar, Self

from django.db import models

from sessions_app.models.base import USER, Row, TenantQuerySet


class SharedWith(models.TextChoices):
    TEAM = "team"
    PRIVATE = "private"


def seen_by(user: Any, prefix: str = "") -> models.Q:
    """Of sessions of the person's teams, those that the person may see; `prefix` leads from a row to its session. What
    counts for the session of a sub-agent is the session at its root."""
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


class SessionBoundQuerySet(TenantQuerySet):
    """Rows of a session, seen by those who see the session. `session_path` is the lookup to it."""

    session_path: ClassVar[str] = "session__"
    team_path = "session__project__team"

    def visible_to(self, user: Any) -> Self:
        return super().visible_to(user).filter(seen_by(user, self.session_path))


class SessionGuest(Row):
    """Somebody of the team whom the starter of a private session lets see it, and all that its sub-agents do."""

    PREFIX = "gst"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="guests")
    user = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("session", "user"), name="one_guest_per_session_and_user"),)
