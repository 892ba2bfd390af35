"""Invitations: who was asked into a team, as what, by whom, and what became of it."""

from datetime import datetime
from typing import Literal, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.models.teams import ROLES, Team
from agentsite.tenancy.roles import Act, Role, act_for_role

InvitationState = Literal["open", "expired", "accepted", "revoked"]


class InvitationQuerySet(VisibleQuerySet["Invitation"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)

    def open(self, now: datetime | None = None) -> Self:
        """Neither accepted nor revoked, and in time."""
        return self.filter(accepted_at=None, revoked_at=None, expires_at__gt=now or timezone.now())


class Invitation(Identified):
    """Only hashes of its two secrets are kept. `secret_hash` is of the link that the inviting person saw;
    `mailed_hash` of the one that went to the address alone, so that whoever shows it has shown that the address is
    theirs. `by_mail` says which of the two it was opened with.
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
        """What somebody must be permitted to make or take back this invitation."""
        return act_for_role(self.role)
