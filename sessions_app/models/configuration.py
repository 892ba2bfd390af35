"""Configuration documents of the site, of teams, projects and people."""

from typing import Self

from django.db import models
from django.db.models import Q

from agentsite.tenancy.base import SITE_PLACE, PlacedQuerySet
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row


class ConfigurationQuerySet(PlacedQuerySet["Configuration"]):
    def visible_to(self, user: User) -> Self:
        """Return the documents of the site, of the user's teams and their projects, and the user's own. A restricted
        token never sees documents of people."""
        mine = Q(team__memberships__user=user) | Q(project__team__memberships__user=user) | Q(person=user)
        return self.filter(Q(place=SITE_PLACE) | mine).distinct()


class Configuration(Row):
    """A configuration document. `place` is "site", or the public id of the team, project or person.

    `text` is the document as it was written: JSON with comments (`sessions_app.configuration`). `instructions` is a
    Markdown text that every agent in this scope reads. `version` counts changes of these two.

    The site and a team can also name an address that publishes defaults (`configuration.defaults`). `defaults_text` is
    the document that was last read there, at `defaults_read_at`; `defaults_problem` says why the attempt at
    `defaults_tried_at` failed, and is "" if it succeeded.

    `skill_sources` has the result for each address in `skills.urls` of the document and the defaults, as they were last
    read at `skills_tried_at`: {address, skills, problem, tried_at}.
    """

    PREFIX = "cfg"

    place = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="configurations")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="configurations")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="configurations")
    text = models.TextField(blank=True, default="")
    instructions = models.TextField(blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()
    defaults_address = models.TextField(blank=True, default="")
    defaults_text = models.TextField(blank=True, default="")
    defaults_read_at = models.DateTimeField(null=True)
    defaults_tried_at = models.DateTimeField(null=True)
    defaults_problem = models.TextField(blank=True, default="")
    skill_sources = models.JSONField(default=list)
    skills_tried_at = models.DateTimeField(null=True)

    objects = ConfigurationQuerySet.as_manager()

    class Meta:
        ordering = ("place",)
