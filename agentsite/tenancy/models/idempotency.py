"""Answers that are kept for a day, so that a program may send the same request again without making things twice."""

from django.db import models

from agentsite.tenancy.base import Identified
from agentsite.tenancy.models.people import User


class RememberedAnswer(Identified):
    """Written in the transaction of what it answers. `key_hash` and `request_hash` are keyed digests; `answer` is
    sealed with a key that the caller's own `Idempotency-Key` is part of, so the row alone tells nothing."""

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
