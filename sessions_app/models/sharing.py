"""Links that let other people read a session."""

from datetime import datetime
from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row, SessionBoundQuerySet, TenantQuerySet, seen_by


class ShareLinkQuerySet(SessionBoundQuerySet["ShareLink"]):
    def visible_to(self, user: User) -> Self:
        """Filter the links the user can see. Admins see every link of their team, also of private sessions, so that
        they can revoke it."""
        runs = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_SESSIONS]).values("team")
        rows = TenantQuerySet.visible_to(self, user)
        return rows.filter(seen_by(user, "session__") | models.Q(session__project__team__in=runs))

    def alive(self, now: datetime | None = None) -> Self:
        in_time = models.Q(expires_at=None) | models.Q(expires_at__gt=now or timezone.now())
        return self.filter(in_time, revoked_at=None)


class ShareLink(Row):
    """A share link; only the hash of its secret is stored. `reach` says who can use it: signed-in members of the team
    or, while the policies allow public links, anybody with the link. `show_names`: readers see the names of authors."""

    PREFIX = "shl"

    class Reach(models.TextChoices):
        TEAM = "team"
        PUBLIC = "public"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="share_links")
    reach = models.CharField(max_length=8, choices=Reach)
    secret_hash = models.CharField(max_length=64, unique=True)
    show_names = models.BooleanField(default=False)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ShareLinkQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
