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
