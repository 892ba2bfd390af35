"""Daily limits of e-mails that strangers can cause: per address, and for invitations also per team.

Notifications about changes of an account are not limited, so that nobody can suppress one by using up the limit.
"""

import hashlib
import hmac
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import TooMany
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import LetterCount, Team

MAX_INVITATIONS_OF_TEAM: Final = 300  # a day
MAX_INVITATIONS_TO_ADDRESS: Final = 10  # a day
MAX_PER_KIND_TO_ADDRESS: Final = 10  # a day
"""Limit for each kind of account e-mail that people request without signing in, such as a password reset."""


def count_invitation(team: Team, address: str) -> None:
    """Count an invitation from a team to an address, inside the caller's transaction. Raises TooMany if a daily limit
    is reached."""
    if not _count(f"invitations of {team.public_id}", MAX_INVITATIONS_OF_TEAM):
        raise _too_many(
            f"This team has sent {MAX_INVITATIONS_OF_TEAM} invitations today, which is the limit.",
            ErrorCode.LETTERS_OF_TEAM,
        )
    if not _count(f"invitations to {address.lower()}", MAX_INVITATIONS_TO_ADDRESS):
        raise _too_many(
            f"This e-mail address has received {MAX_INVITATIONS_TO_ADDRESS} invitations today, which is the limit.",
            ErrorCode.LETTERS_TO_ADDRESS,
        )


def may_send(kind: str, address: str) -> bool:
    """Count an e-mail of this kind to an address, and return True; return False if the address has reached its daily
    limit."""
    return _count(f"{kind} to {address.lower()}", MAX_PER_KIND_TO_ADDRESS)


def reset_count(kind: str, address: str) -> None:
    """Reset the count of e-mails of this kind to an address, because the links in the e-mails sent so far no longer
    work."""
    with sqlite_write_lock():
        LetterCount.objects.filter(**_row(f"{kind} to {address.lower()}")).delete()


def _count(what: str, most: int) -> bool:
    with sqlite_write_lock(), transaction.atomic():
        row, _ = LetterCount.objects.get_or_create(**_row(what))
        return bool(LetterCount.objects.filter(pk=row.pk, letters__lt=most).update(letters=F("letters") + 1))


def _row(what: str) -> dict[str, Any]:
    """Return the column values that identify today's counter for `what`. `what` contains an e-mail address or the like,
    so it is stored as a keyed digest."""
    digest = hmac.new(settings.SECRET_KEY.encode(), f"letters: {what}".encode(), hashlib.sha256).hexdigest()
    return {"day": timezone.now().date(), "what": digest}


def _too_many(message: str, code: ErrorCode) -> TooMany:
    return TooMany(message, code=code, hint="Try again tomorrow. Links that were already sent keep working.")
