"""Invitations of e-mail addresses to teams."""

from datetime import datetime
from typing import Literal, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.teams import ROLES, Team, User
from agentsite.tenancy.roles import Act, Role, act_for_role

InvitationState = Literal["open", "expired", "accepted", "revoked"]


class InvitationQuerySet(VisibleQuerySet["Invitation"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)

    def open(self, now: datetime | None = None) -> Self:
        """Return the invitations that are neither accepted, revoked nor expired."""
        return self.filter(accepted_at=None, revoked_at=None, expires_at__gt=now or timezone.now())


class Invitation(Identified):
    """An invitation of an e-mail address to a team. Only the hashes of its two link secrets are stored.

    `secret_hash` belongs to the link that the inviting person saw. `mailed_hash` belongs to the link that was only sent
    to the address, so its use proves that the address is the person's own. `by_mail` is true on an instance that was
    opened with the mailed link.
    """

    PREFIX = "inv"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=16, choices=ROLES, default=Role.MEMBER.value)
    may_approve = models.BooleanField(default=True)
    secret_hash = models.CharField(max_length=64, unique=True)
    mailed_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    revoked_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    by_mail = False

    class Meta:
        indexes = (models.Index(fields=("team", "email")),)

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.team_id}"

    def state(self, now: datetime | None = None) -> InvitationState:
        if self.accepted_at is not None:
            return "accepted"
        if self.revoked_at is not None:
            return "revoked"
        return "open" if self.expires_at > (now or timezone.now()) else "expired"

    def needs(self) -> Act:
        """Return the permission (an `Act`) that a person must have to create or revoke this invitation."""
        return act_for_role(self.role)
