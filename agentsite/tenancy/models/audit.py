"""Models of the audit log."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.teams import Team, User
from agentsite.tenancy.roles import PERMITTED, Act


class AuditChain(models.Model):
    """The hash chain of a team's audit log, or of the site's (`team` None). `key` identifies it in the digests.

    `keep_days` is the team's retention, None for the setting of the site. Expired entries at the start, up to
    `cut_seq`, have been deleted. `cut_head` is the digest of the last deleted entry, `cut_seal` the site's signature of
    the deletion, and `cut_at` the time of the deletion.
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
        """Return the entries of teams in which the user's role may read the audit log."""
        mine = user.memberships.filter(role__in=PERMITTED[Act.READ_AUDIT])
        return self.filter(chain__team__in=mine.values("team"))


class AuditEntry(Identified):
    """An entry of the audit log. It has no foreign keys to people or projects, so that it outlives them.

    `digest` covers every field and the digest of the previous entry, see `audit.digest_of`. `actor` is a public id, or
    "site" for automatic actions. `project` is the public id of the project concerned. `private_to` is the public id of
    the owner of a private session: only they can read the details, see `audit_privacy`.
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
