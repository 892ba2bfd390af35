"""Model providers of teams, and the models that teams and projects choose."""

from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, SealedField, VisibleQuerySet
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team, User


class ProviderQuerySet(VisibleQuerySet["Provider"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        """Return the providers of the user's teams. All members may see them, because their sessions name the provider;
        the REST endpoints hide details from members who do not manage providers."""
        return self.filter(team__memberships__user=user)


class Provider(Identified):
    """A team's account at a service that offers models. Its models are named `slug/name`.

    The API key and the values of the extra headers are encrypted, and only the agent worker can decrypt them.
    """

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
    """The last characters of the key, the only part of it that people can see."""
    key_set_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    key_set_at = models.DateTimeField(null=True)
    sealed_headers = SealedField(blank=True, default="")
    header_names = models.JSONField(default=list)
    model_list = models.JSONField(default=list)
    """A list of {name, context, sees, prices: {input, output, ...} | null}, see `provider_document.ProviderModel`."""
    sealed_sign_in = SealedField(blank=True, default="")
    """The secret code of a sign-in that was started and not yet completed."""
    sign_in_until = models.DateTimeField(null=True)
    timeout_seconds = models.PositiveIntegerField(null=True)
    """The longest time, in seconds, for which a model call may send nothing; None is the site's own value."""
    retries = models.PositiveSmallIntegerField(null=True)
    """The maximum number of retries of a failed model call; None is the site's own value."""
    state = models.CharField(max_length=16, choices=State, default=State.UNKNOWN)
    """Whether the last model call reached the provider with a working key, account and address."""
    problem = models.JSONField(null=True)
    """The error of the state FAILING: {code, message, hint}."""
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
    """The choice of models of one team or project, with the names that sessions use for models."""

    PREFIX = "mch"

    place = models.CharField(max_length=64, unique=True)
    """The public id of the team or project that made the choice."""
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, null=True, on_delete=models.CASCADE, related_name="+")
    default_model = models.CharField(max_length=250, blank=True, default="")
    small_model = models.CharField(max_length=250, blank=True, default="")
    """The model for titles and summaries. If it is empty, a `default_model` chosen here is used, or else the choice of
    the team or site above. An empty `default_model` inherits the choice above, too."""
    blocked = models.JSONField(default=list)
    """Names of models that are never used."""
    only = models.JSONField(default=list)
    """Names of the only models that may be used; an empty list permits all that are not blocked."""
    fallbacks = models.JSONField(default=list)
    """Names of the models that continue a turn, in this order, after its model has failed for good."""
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.place
