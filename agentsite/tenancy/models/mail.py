"""Letters that wait to be sent."""

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified


class OutgoingMail(Identified):
    """A letter until it is sent, and not longer: its text may hold a link that opens an account. `due_at` is when it
    is tried next."""

    PREFIX = "mai"

    to = models.EmailField()
    subject = models.CharField(max_length=200)
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return self.public_id


class LetterCount(models.Model):
    """How many letters of a kind went out on a day (UTC): `what` is a keyed digest of the kind and the address or
    team."""

    day = models.DateField()
    what = models.CharField(max_length=64)
    letters = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("day", "what"), name="letters_counted_once"),)

    def __str__(self) -> str:
        return f"{self.letters} on {self.day}"
