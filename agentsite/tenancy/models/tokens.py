"""API tokens of people and service accounts, and socket tickets."""

from datetime import datetime
from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, Row, TokenRestriction, VisibleQuerySet
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team, User
from agentsite.tenancy.roles import PERMITTED, Act


class OwnedQuerySet(VisibleQuerySet[Row]):
    """Rows that belong to one user and that no other user can see."""

    def visible_to(self, user: User) -> Self:
        return self.filter(user=user)

    def alive(self, now: datetime | None = None) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=now or timezone.now()))


class TokenQuerySet(OwnedQuerySet["ApiToken"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        """Return the user's own API tokens, and the tokens of service accounts in teams where the user manages API
        tokens."""
        managed = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_TOKENS])
        return self.filter(models.Q(user=user) | models.Q(user__service_team__in=managed.values("team")))


class ApiToken(Identified):
    """A token that lets a program act as its user, limited by `scopes` and by a team or project. Only the hash of the
    secret is stored. A token of a service account always has a team."""

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
    def token_restriction(self) -> TokenRestriction:
        return TokenRestriction(self.team_id, self.project_id)


class SocketTicket(Identified):
    """A ticket that opens one WebSocket within seconds, so that programs need not put a token into a URL.

    `token` or `session_key` identify the API token or browser session that requested the ticket. When that token or
    session ends, the socket is closed.
    """

    PREFIX = "tic"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="socket_tickets")
    token = models.ForeignKey(ApiToken, null=True, on_delete=models.CASCADE, related_name="socket_tickets")
    session_key = models.CharField(max_length=64, blank=True, default="")
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.public_id
