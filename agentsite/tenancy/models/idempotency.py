"""Responses stored for a day, so that a client can retry a request with the same idempotency key."""

from django.db import models

from agentsite.tenancy.base import Identified
from agentsite.tenancy.models.teams import User


class RememberedAnswer(Identified):
    """A response, stored in the transaction of its request. `key_hash` and `request_hash` are keyed digests.

    `answer` is encrypted with a key derived from the client's `Idempotency-Key`, so the row alone reveals nothing.
    """

    PREFIX = "rem"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key_hash = models.CharField(max_length=64)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    answer = models.BinaryField(default=b"")
    made_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "key_hash"), name="remembered_once"),)

    def __str__(self) -> str:
        return self.public_id
