"""Agent documents of the site, a team or a project."""

from django.db import models

from agentsite.tenancy.base import PlacedQuerySet
from sessions_app.models.base import USER, Row


class Agent(Row):
    """An agent document. `place` is "site" or the public id of the team or project. `document` has the fields that it
    sets (`agent.overrides.AgentDocument`); missing fields are inherited from wider scopes. `version` counts changes."""

    PREFIX = "agt"

    place = models.CharField(max_length=64)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="agents")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="agents")
    name = models.CharField(max_length=64)
    document = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = PlacedQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("place", "name"), name="one_agent_per_place_and_name"),)
