"""Variables, and the times at which they were last given to commands of workspaces."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import SealedDoorField, SealedVariableField, TokenRestriction, VisibleQuerySet
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row


class VariableQuerySet(VisibleQuerySet["Variable"]):
    def visible_to(self, user: User) -> Self:
        """Filter the variables of the user's teams and their projects, and the user's own."""
        teams = user.memberships.values("team")
        return self.filter(models.Q(team__in=teams) | models.Q(project__team__in=teams) | models.Q(person=user))

    def within(self, restriction: TokenRestriction) -> Self:
        """Return the rows inside a token restriction. A person's variables are only returned without a restriction."""
        if restriction.is_unrestricted:
            return self
        if restriction.project_id:
            return self.filter(project=restriction.project_id)
        return self.filter(models.Q(team=restriction.team_id) | models.Q(project__team=restriction.team_id))


class Variable(Row):
    """A variable of a team, a project or a person: exactly one of the three is set, and `place` is its public id.

    The value of a `secret` variable is only in `sealed`; `former` is its previous value, which is still masked. If the
    secret is added to requests, its value is only in `sealed_for_door`, `hosts` are the hosts of these requests, and
    `added_as` and `added_name` say where the value is added. `version` counts changes.
    """

    PREFIX = "var"

    class UsedFor(models.TextChoices):
        SETUP = "setup", "given to set-up"
        COMMANDS = "commands", "given to commands and set-up"
        REQUESTS = "requests", "added to requests for hosts"

    place = models.CharField(max_length=64)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="variables")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="variables")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="variables")
    name = models.CharField(max_length=100)
    value = models.TextField(blank=True, default="")
    secret = models.BooleanField(default=False)
    sealed = SealedVariableField(blank=True, default="")
    former = SealedVariableField(blank=True, default="")
    used_for = models.CharField(max_length=8, choices=UsedFor.choices, default=UsedFor.COMMANDS)
    sealed_for_door = SealedDoorField(blank=True, default="")
    hosts = models.JSONField(default=list, blank=True)
    added_as = models.CharField(max_length=8, blank=True, default="")
    added_name = models.CharField(max_length=100, blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = VariableQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        indexes = (
            models.Index(fields=("id",), condition=models.Q(used_for="requests"), name="variables_added_to_requests"),
        )
        constraints = (
            models.UniqueConstraint(fields=("place", "name"), name="one_variable_per_place_and_name"),
            models.CheckConstraint(
                condition=(
                    models.Q(team__isnull=False, project__isnull=True, person__isnull=True)
                    | models.Q(team__isnull=True, project__isnull=False, person__isnull=True)
                    | models.Q(team__isnull=True, project__isnull=True, person__isnull=False)
                ),
                name="variable_of_one_owner",
            ),
        )

    def __str__(self) -> str:
        return self.name


class VariableUse(models.Model):
    """A variable that commands of a workspace got, with the time at which they last got it."""

    variable = models.ForeignKey(Variable, on_delete=models.CASCADE, related_name="uses")
    workspace = models.ForeignKey("sessions_app.Workspace", on_delete=models.CASCADE, related_name="+")
    used_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("variable", "workspace"), name="one_use_per_workspace"),)

    def __str__(self) -> str:
        return f"{self.variable_id} in {self.workspace_id}"
