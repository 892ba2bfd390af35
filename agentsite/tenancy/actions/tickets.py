"""Socket tickets: each opens one WebSocket, once, within half a minute."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from agentsite.tenancy.models import SocketTicket, User
from agentsite.tenancy.secrets import hash_secret, new_ticket

LIFETIME: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class IssuedTicket:
    secret: str
    expires_at: datetime


def issue_ticket(*, actor: User) -> IssuedTicket:
    now = timezone.now()
    SocketTicket.objects.filter(expires_at__lte=now).delete()
    secret = new_ticket()
    SocketTicket.objects.create(user=actor, secret_hash=hash_secret(secret), expires_at=now + LIFETIME)
    return IssuedTicket(secret, now + LIFETIME)


def redeem_ticket(secret: str) -> User | None:
    """The user behind a ticket, the first time it is shown; None for a used, expired or unknown one."""
    ticket = SocketTicket.objects.alive().filter(secret_hash=hash_secret(secret)).select_related("user").first()
    if ticket is None:
        return None
    spent, _ = SocketTicket.objects.filter(pk=ticket.pk).delete()
    user: User = ticket.user
    return user if spent and user.is_active else None
