"""Projects of a team."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import Identified, VisibleQuerySet
from agentsite.tenancy.models.teams import Team, User


class ProjectQuerySet(VisibleQuerySet["Project"]):
    team_path = "team"
    project_path = "pk"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Project(Identified):
    """A project of a team."""

    PREFIX = "prj"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="projects")
    slug = models.SlugField()
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    suggested_prompt = models.TextField(blank=True)
    default_agent = models.CharField(max_length=64, default="build")
    template = models.CharField(max_length=64, blank=True)
    """The name of the files that a new workspace starts with: "" for none, "demo" for those of the demo project."""
    config = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    remove_at = models.DateTimeField(null=True, db_index=True)
    """The time at which the deactivated project will be deleted, or None if it is active."""

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="one_project_per_team_and_slug")]

    def __str__(self) -> str:
        return self.slug
