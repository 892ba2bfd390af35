"""Budgets, and the record of every model call with its tokens and cost."""

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


class ModelCallQuerySet(VisibleQuerySet["ModelCall"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: Any) -> Self:
        """One's own in one's teams, and everybody's for those who see what a team uses."""
        reaching = user.memberships.filter(role__in=PERMITTED[Act.SEE_USAGE])
        mine = models.Q(user=user, team__in=user.memberships.values("team"))
        return self.filter(mine | models.Q(team__in=reaching.values("team")))


class ModelCall(Row):
    """One try of one model call. It is `reserved` before the provider is asked, for the most that it can cost, and then
    `settled` with what it did cost, or `released` when nothing was used. The rows stay when the session goes.

    `user` is who started the turn, `root_session` the session at the top when this one is a sub-agent's. `provider` is
    a public id, or "site". `cost` is null while nobody knows it, and for good where the model has no known price
    (`is_priced`). `bound_input` and `bound_output` are the most tokens that it can take. `is_estimated`: nobody was
    told what was used, so the counts and the cost are the most that it can have been. `token` is the lease it was made
    under. `prefix` tells whether the instructions before the conversation are those of another call.
    """

    PREFIX = "mcl"

    class Purpose(models.TextChoices):
        STEP = "step"
        TITLE = "title"
        SUMMARY = "summary"
        COMPACTION = "compaction"

    class State(models.TextChoices):
        RESERVED = "reserved"
        SETTLED = "settled"
        RELEASED = "released"

    COUNTS = ("input_tokens", "output_tokens", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens")

    team = models.ForeignKey("tenancy.Team", on_delete=models.CASCADE, related_name="+", db_index=False)
    project = models.ForeignKey(
        "tenancy.Project", null=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    session = models.ForeignKey(
        "sessions_app.Session", null=True, on_delete=models.SET_NULL, related_name="model_calls", db_index=False
    )
    session_public_id = models.CharField(max_length=64)
    root_session = models.ForeignKey("sessions_app.Session", null=True, on_delete=models.SET_NULL, related_name="+")
    turn = models.ForeignKey("sessions_app.Turn", null=True, on_delete=models.SET_NULL, related_name="model_calls")
    message_id = models.UUIDField(null=True, blank=True)
    user = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+", db_index=False)
    purpose = models.CharField(max_length=16, choices=Purpose)
    provider = models.CharField(max_length=64, default="site")
    model = models.CharField(max_length=200)
    state = models.CharField(max_length=16, choices=State, default=State.RESERVED)
    token = models.CharField(max_length=32, blank=True, default="")
    prefix = models.CharField(max_length=64, blank=True, default="")
    is_priced = models.BooleanField(default=True)
    is_estimated = models.BooleanField(default=False)
    bound_input = models.PositiveBigIntegerField(default=0)
    bound_output = models.PositiveBigIntegerField(default=0)
    reserved = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, null=True, blank=True)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    reasoning_tokens = models.PositiveBigIntegerField(default=0)
    cache_read_tokens = models.PositiveBigIntegerField(default=0)
    cache_write_tokens = models.PositiveBigIntegerField(default=0)
    at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = ModelCallQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=("team", "at")),
            models.Index(fields=("project", "at")),
            models.Index(fields=("user", "at")),
            models.Index(fields=("session", "-id")),
            models.Index(fields=("at",), name="open_model_calls", condition=models.Q(state="reserved")),
        )
