"""Issue and redeem socket tickets, each of which opens one WebSocket within 30 seconds."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from agentsite.tenancy.authentication import is_session_alive
from agentsite.tenancy.models import ApiToken, SocketTicket, User
from agentsite.tenancy.secrets import hash_secret, new_ticket

LIFETIME: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class IssuedTicket:
    secret: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Admission:
    """The user of a redeemed ticket, with the API token or the browser session that requested the ticket.

    The socket has no more rights than `token`. `session_key` is the browser session's key, otherwise None.
    """

    user: User
    token: ApiToken | None
    session_key: str | None = None


def issue_ticket(*, actor: User, token: ApiToken | None = None, session_key: str | None = None) -> IssuedTicket:
    now = timezone.now()
    SocketTicket.objects.filter(expires_at__lte=now).delete()
    secret = new_ticket()
    by = {"user": actor, "token": token, "session_key": session_key or ""}
    SocketTicket.objects.create(**by, secret_hash=hash_secret(secret), expires_at=now + LIFETIME)
    return IssuedTicket(secret, now + LIFETIME)


def redeem_ticket(secret: str) -> Admission | None:
    """Use up a ticket and return its user; None if the ticket is not valid or its user may not sign in."""
    now = timezone.now()
    alive = Q(token=None) | Q(token__expires_at=None) | Q(token__expires_at__gt=now)
    tickets = SocketTicket.objects.alive(now).filter(alive, secret_hash=hash_secret(secret))
    ticket = tickets.select_related("user", "token").first()
    if ticket is None:
        return None
    spent, _ = SocketTicket.objects.filter(pk=ticket.pk).delete()
    user: User = ticket.user
    if not spent or not user.is_active or (ticket.session_key and not is_session_alive(ticket.session_key)):
        return None
    if ticket.token is not None:
        user.token_restriction = ticket.token.token_restriction
    return Admission(user, ticket.token, ticket.session_key or None)
