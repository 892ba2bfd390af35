"""Operator access: an operator of the site reads a session for a recorded reason and a limited time, visible to its
team."""

from datetime import datetime
from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row, SessionBoundQuerySet, TenantQuerySet, seen_by


class OperatorAccessQuerySet(SessionBoundQuerySet["OperatorAccess"]):
    def visible_to(self, user: User) -> Self:
        """Filter the accesses the user can see. Admins see every access in their team, also to private sessions, so
        that they can end it."""
        runs = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_TEAM]).values("team")
        rows = TenantQuerySet.visible_to(self, user)
        return rows.filter(seen_by(user, "session__") | models.Q(session__project__team__in=runs))

    def alive(self, now: datetime | None = None) -> Self:
        return self.filter(revoked_at=None, expires_at__gt=now or timezone.now())

    def of_operator(self, user: User) -> Self:
        """Filter the accesses that the user opened; empty if the user is no longer an operator."""
        return self.filter(operator=user) if user.is_staff and user.is_active else self.none()


class OperatorAccess(Row):
    """An operator's access to one session. `readings` is the number of reads; each read is recorded in the audit
    logs."""

    PREFIX = "opa"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="operator_accesses")
    operator = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.CharField(max_length=300)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    readings = models.PositiveIntegerField(default=0)
    last_read_at = models.DateTimeField(null=True)

    objects = OperatorAccessQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "operator accesses"

    def __str__(self) -> str:
        return f"{self.operator_id} reads {self.session_id}"

    @property
    def is_alive(self) -> bool:
        return self.revoked_at is None and self.expires_at > timezone.now()
