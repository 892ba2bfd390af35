"""Agent documents of the site, a team or a project."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.models import User
from agentsite.tenancy.token_restriction import TokenRestriction
from sessions_app.models.base import USER, Row
from tools_app.models import SITE_PLACE


class AgentQuerySet(VisibleQuerySet["Agent"]):
    def visible_to(self, user: User) -> Self:
        """Filter the agents the user can see: everybody sees those of the site; members see those of their teams and
        projects."""
        mine = models.Q(team__memberships__user=user) | models.Q(project__team__memberships__user=user)
        return self.filter(models.Q(place=SITE_PLACE) | mine).distinct()

    def within(self, restriction: TokenRestriction) -> Self:
        """Restrict to the token's team or project; agents of the site are always included."""
        if restriction.is_unrestricted:
            return self
        if restriction.project_id:
            return self.filter(models.Q(place=SITE_PLACE) | models.Q(project=restriction.project_id))
        own = models.Q(team=restriction.team_id) | models.Q(project__team=restriction.team_id)
        return self.filter(models.Q(place=SITE_PLACE) | own)


class Agent(Row):
    """An agent document. `place` is "site" or the public id of the team or project. `document` has the declared fields
    (`agent.overrides.AgentDocument`); missing fields are inherited from wider scopes. `version` counts changes."""

    PREFIX = "agt"

    place = models.CharField(max_length=64)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="agents")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="agents")
    name = models.CharField(max_length=64)
    document = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = AgentQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("place", "name"), name="one_agent_per_place_and_name"),)
