"""Outgoing e-mails, and daily counts of e-mails."""

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified


class OutgoingMail(Identified):
    """An e-mail that is not sent yet. `due_at` is the time of the next attempt.

    The row is deleted once the e-mail is sent, because the text can contain a link that gives access to an account.
    """

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
    """The number of e-mails of one kind that were sent on a day (UTC) to one address or for one team.

    `what` identifies the kind and the address or team, as a keyed digest.
    """

    day = models.DateField()
    what = models.CharField(max_length=64)
    letters = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("day", "what"), name="letters_counted_once"),)

    def __str__(self) -> str:
        return f"{self.letters} on {self.day}"
