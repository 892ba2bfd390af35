"""The audit log's rows."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.models.teams import Team
from agentsite.tenancy.roles import PERMITTED, Act


class AuditChain(models.Model):
    """The ends of one chain of audit entries: a team's, or the site's own (`team` None). `key` names it in the hash.

    `keep_days` is how long the team wants its entries kept, None for as long as the site does. What is older is cut at
    the start: entries up to `cut_seq` are gone, `cut_head` is the digest of the last of them, `cut_seal` proves that
    the site cut there, and `cut_at` says when.
    """

    key = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="+")
    length = models.PositiveBigIntegerField(default=0)
    head = models.CharField(max_length=64, blank=True, default="")
    keep_days = models.PositiveIntegerField(null=True, blank=True)
    cut_seq = models.PositiveBigIntegerField(default=0)
    cut_head = models.CharField(max_length=64, blank=True, default="")
    cut_seal = models.CharField(max_length=64, blank=True, default="")
    cut_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.key


class AuditQuerySet(VisibleQuerySet["AuditEntry"]):
    team_path = "chain__team"

    def visible_to(self, user: User) -> Self:
        """A team's entries are for those who run the team."""
        mine = user.memberships.filter(role__in=PERMITTED[Act.READ_AUDIT])
        return self.filter(chain__team__in=mine.values("team"))


class AuditEntry(Identified):
    """Something that happened, in words that stay true when people and things are gone: no references, only text.

    `digest` covers every field and the digest of the entry before, see `audit.digest_of`. `actor` is a public id, or
    "site" for what nobody did by hand. `project` is the public id of the project it is about. With `private_to`, the
    public id of who started a private session, only that person reads what happened: see `audit_privacy`.
    """

    PREFIX = "aud"

    chain = models.ForeignKey(AuditChain, on_delete=models.CASCADE, related_name="entries")
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor = models.CharField(max_length=64)
    actor_name = models.CharField(max_length=200, blank=True)
    action = models.CharField(max_length=64)
    subject = models.CharField(max_length=64, blank=True)
    data = models.JSONField(default=dict)
    project = models.CharField(max_length=64, blank=True, default="")
    private_to = models.CharField(max_length=64, blank=True, default="")
    previous = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "audit entries"
        constraints = [models.UniqueConstraint(fields=["chain", "seq"], name="one_audit_entry_per_place")]
        indexes = [models.Index(fields=["chain", "-id"]), models.Index(fields=["chain", "at"])]

    def __str__(self) -> str:
        return f"{self.seq} {self.action}"
