"""How much models may cost: for a team, a project, a person in a team, or one session."""

from typing import Any, Self

from django.db import models

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row
from sessions_app.models.session import Session


class BudgetQuerySet(VisibleQuerySet["Budget"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: Any) -> Self:
        """A person's budget is for that person and those who see what the team uses, a session's for those who see it,
        any other for the whole team."""
        mine = user.memberships.values("team")
        reaching = user.memberships.filter(role__in=PERMITTED[Act.SEE_USAGE]).values("team")
        scopes = models.Q(scope__in=(Budget.Scope.TEAM, Budget.Scope.PROJECT)) | models.Q(person=user)
        seen = models.Q(session__in=Session.objects.visible_to(user).values("pk"))
        others = models.Q(team__in=reaching, scope=Budget.Scope.PERSON)
        return self.filter(models.Q(team__in=mine) & (scopes | seen) | others)


class Budget(Row):
    """`limit`, `spent` and `reserved` are US dollars; the latter two are those since `window_start`, and of the period
    that it begins. They are kept up with each model call and always the sum of the rows (`spending.sums_of`).
    `target` is the public id of what it is for. A hard budget stops what does not fit any more, another only tells.

    `unknown_prices` says what happens to models without a known price: refused, allowed (and counted in
    `unpriced_calls`), or counted at the assumed dollars for a million tokens. `max_output` bounds each answer's tokens.
    `noticed` is the last share in per cent that people were told of in this period. `version` counts changes."""

    PREFIX = "bud"

    class Scope(models.TextChoices):
        TEAM = "team"
        PROJECT = "project"
        PERSON = "person"
        SESSION = "session"

    class Period(models.TextChoices):
        DAY = "day"
        WEEK = "week"
        MONTH = "month"
        TOTAL = "total"

    class UnknownPrices(models.TextChoices):
        REFUSE = "refuse"
        ALLOW = "allow"
        ASSUME = "assume"

    team = models.ForeignKey("tenancy.Team", on_delete=models.CASCADE, related_name="budgets")
    scope = models.CharField(max_length=16, choices=Scope)
    target = models.CharField(max_length=64)
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="budgets")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="budgets")
    session = models.ForeignKey("sessions_app.Session", null=True, on_delete=models.CASCADE, related_name="budgets")
    period = models.CharField(max_length=16, choices=Period)
    limit = models.DecimalField(max_digits=14, decimal_places=6)
    hard = models.BooleanField(default=True)
    unknown_prices = models.CharField(max_length=16, choices=UnknownPrices, default=UnknownPrices.REFUSE)
    assumed_input = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    assumed_output = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    max_output = models.PositiveIntegerField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    window_start = models.DateTimeField()
    spent = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    reserved = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    unpriced_calls = models.PositiveBigIntegerField(default=0)
    noticed = models.PositiveSmallIntegerField(default=0)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = BudgetQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=("team", "target", "period"), name="one_budget_per_target_and_period"),
        )
