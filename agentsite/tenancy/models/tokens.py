"""The keys that programs use in a person's name, or in that of a team's service account."""

import uuid
from datetime import datetime
from typing import Any, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team
from agentsite.tenancy.roles import PERMITTED, Act
from agentsite.tenancy.token_restriction import Reach


class OwnedQuerySet(VisibleQuerySet[Any]):
    """Things of one person, which nobody else sees."""

    def visible_to(self, user: User) -> Self:
        return self.filter(user=user)

    def alive(self, now: datetime | None = None) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=now or timezone.now()))


class TokenQuerySet(OwnedQuerySet):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        """One's own, and those of the service accounts of the teams whose tokens one manages."""
        managed = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_TOKENS])
        return self.filter(models.Q(user=user) | models.Q(user__service_team__in=managed.values("team")))


class ApiToken(Identified):
    """Lets a program act as its user, as far as `scopes` and the team or project say. Only the hash of the secret is
    kept. A token of a service account always names its team."""

    PREFIX = "tok"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=120)
    secret_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="api_tokens")
    project = models.ForeignKey(Project, null=True, on_delete=models.CASCADE, related_name="api_tokens")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects = TokenQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @property
    def reach(self) -> Reach:
        team_id: uuid.UUID | None = self.team_id
        return Reach(team_id, self.project_id)


class SocketTicket(Identified):
    """Opens one WebSocket, once, within seconds: the way in for a program that must not put a token in an address.
    `token` is the one that asked for it, `session_key` the browser's session: what ends those, ends the socket."""

    PREFIX = "tic"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="socket_tickets")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.CASCADE, related_name="socket_tickets")
    session_key = models.CharField(max_length=64, blank=True, default="")
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.public_id
