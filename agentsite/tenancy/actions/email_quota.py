"""How many letters that somebody else can cause go to one address, and out of one team, in a day.

Letters that tell of a change of an account are not counted: nobody must be able to keep one from its owner.
"""

import hashlib
import hmac
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agentsite.base.errors import TooMany
from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.models import LetterCount, Team

INVITATIONS_OF_TEAM: Final = 300
INVITATIONS_TO_ADDRESS: Final = 10
ASKED_FOR: Final = 10
"""Of each kind to one address: to confirm it, to set a new password, that it has an account or has none."""


def count_invitation(team: Team, address: str) -> None:
    """Inside the caller's transaction. Raises TooMany."""
    if not _count(f"invitations of {team.public_id}", INVITATIONS_OF_TEAM):
        raise _too_many("This team has sent as many invitations as it may in a day.", "letters_of_team")
    if not _count(f"invitations to {address.lower()}", INVITATIONS_TO_ADDRESS):
        raise _too_many("This address was sent as many invitations as it may be in a day.", "letters_to_address")


def may_send(kind: str, address: str) -> bool:
    """Whether one more such letter may go to the address today; it is counted then."""
    return _count(f"{kind} to {address.lower()}", ASKED_FOR)


def count_anew(kind: str, address: str) -> None:
    """What such letters hold is of no use any more: as many may be sent again."""
    with writers_turn():
        LetterCount.objects.filter(**_row(f"{kind} to {address.lower()}")).delete()


def _count(what: str, most: int) -> bool:
    with writers_turn(), transaction.atomic():
        row, _ = LetterCount.objects.get_or_create(**_row(what))
        return bool(LetterCount.objects.filter(pk=row.pk, letters__lt=most).update(letters=F("letters") + 1))


def _row(what: str) -> dict[str, Any]:
    """It tells nobody whose it is: what people type into a form need not be an address of ours."""
    digest = hmac.new(settings.SECRET_KEY.encode(), f"letters: {what}".encode(), hashlib.sha256).hexdigest()
    return {"day": timezone.now().date(), "what": digest}


def _too_many(message: str, code: str) -> TooMany:
    return TooMany(message, code=code, hint="Try again tomorrow. Links that were sent go on working.")
