"""Permission policies of the site, the teams and the projects, stored as versions."""

from django.conf import settings
from django.db import models

from agentsite.base.ids import to_public
from agentsite.tenancy.base import SITE_PLACE, Identified, PlacedQuerySet
from agentsite.tenancy.models import Project, Team


class PolicyVersion(Identified):
    """One version of the policy of the site, a team or a project. The highest version of each `place` is in force.

    `options` and `expectations` are described in `tools_app.policies.documents`.
    """

    PREFIX = "pol"

    place = models.CharField(max_length=64)
    """What the policy applies to: "site", or the public id of the team or project."""
    version = models.PositiveIntegerField()
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="policy_versions")
    project = models.ForeignKey(Project, null=True, on_delete=models.CASCADE, related_name="policy_versions")
    preset = models.CharField(max_length=32, blank=True)
    """The name of the rules on which the others build; "" means the preset of the level above."""
    rules = models.JSONField(default=list)
    """Preferences, in order: {permission, pattern, action}."""
    enforced = models.JSONField(default=list)
    """Limits, in order: {permission, pattern, action}."""
    options = models.JSONField(default=dict)
    expectations = models.JSONField(default=list)
    reason = models.CharField(max_length=500, blank=True)
    restored_from = models.PositiveIntegerField(null=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PlacedQuerySet.as_manager()

    class Meta:
        ordering = ("place", "version")
        constraints = [models.UniqueConstraint(fields=["place", "version"], name="one_policy_per_place_and_version")]

    def __str__(self) -> str:
        return f"{self.place} version {self.version}"


def place_of(target: Team | Project | None) -> str:
    """Return the value of `PolicyVersion.place` for a team or project; None means the site."""
    return SITE_PLACE if target is None else to_public(target.PREFIX, target.pk)
