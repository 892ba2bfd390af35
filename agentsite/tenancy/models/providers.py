"""Where a team's models come from, and which of them it uses."""

from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, SealedField, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team
from agentsite.tenancy.roles import PERMITTED, Act


class ProviderQuerySet(VisibleQuerySet["Provider"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        """Every member: their sessions name the provider. What of it is whose to see, the transport says."""
        return self.filter(team__memberships__user=user)

    def managed_by(self, user: User) -> Self:
        mine = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_PROVIDERS])
        return self.filter(team__in=mine.values("team"))


class Provider(Identified):
    """A team's account with somebody who runs models. Its models are called `slug/name`.

    The key and the values of further headers are sealed: only the agent worker reads them. `key_ending` is all of the
    key that people see. `model_list` is [{name, context, sees, prices: {input, output, ...} | null}], prices in US
    dollars per million tokens; what is not said there the table of models says, if it knows. `state` is how the last
    calls went, `problem` {code, message, hint} of the last that failed for the provider's key, account or address."""

    PREFIX = "pvd"

    class State(models.TextChoices):
        UNKNOWN = "unknown"
        OK = "ok"
        FAILING = "failing"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="providers")
    slug = models.SlugField(max_length=40)
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=32)
    base_url = models.CharField(max_length=500, blank=True, default="")
    options = models.JSONField(default=dict)
    enabled = models.BooleanField(default=True)
    sealed_key = SealedField(blank=True, default="")
    key_ending = models.CharField(max_length=8, blank=True, default="")
    key_set_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    key_set_at = models.DateTimeField(null=True)
    sealed_headers = SealedField(blank=True, default="")
    header_names = models.JSONField(default=list)
    model_list = models.JSONField(default=list)
    state = models.CharField(max_length=16, choices=State, default=State.UNKNOWN)
    problem = models.JSONField(null=True)
    state_at = models.DateTimeField(null=True)
    tested_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(default=timezone.now)

    objects = ProviderQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "slug"], name="one_provider_per_team_and_slug")]

    def __str__(self) -> str:
        return self.slug


class ModelChoice(Identified):
    """Which models a team, or one project of it, uses: `place` is the public id of either. Models are named as
    sessions name them. `default_model` and `small_model` empty: what the place above says. `blocked` are never used;
    `only`, when there are any, are the ones that may be."""

    PREFIX = "mch"

    place = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, on_delete=models.CASCADE, related_name="+")
    default_model = models.CharField(max_length=250, blank=True, default="")
    small_model = models.CharField(max_length=250, blank=True, default="")
    blocked = models.JSONField(default=list)
    only = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.place
