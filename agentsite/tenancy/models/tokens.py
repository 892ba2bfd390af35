"""The keys that programs use in a person's name."""

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.people import User


class OwnedQuerySet(VisibleQuerySet[Any]):
    """Things of one person, which nobody else sees."""

    def visible_to(self, user: User) -> Self:
        return self.filter(user=user)

    def alive(self, now: datetime | None = None) -> Self:
        return self.filter(models.Q(expires_at=None) | models.Q(expires_at__gt=now or timezone.now()))


class ApiToken(Identified):
    """Lets a program act as its user. Only the hash of the secret is kept."""

    PREFIX = "tok"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=120)
    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name


class SocketTicket(Identified):
    """Opens one WebSocket, once, within seconds: the way in for a program that must not put a token in an address."""

    PREFIX = "tic"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="socket_tickets")
    secret_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = OwnedQuerySet.as_manager()

    def __str__(self) -> str:
        return self.public_id
