"""Budgets, and the record of every model call with its tokens and cost."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row
from sessions_app.models.session import Session


class BudgetQuerySet(VisibleQuerySet["Budget"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        """Filter the budgets that the user can see. A person's budget is visible to that person and to people who can
        see the team's usage, a session's budget to its audience, and any other to the whole team."""
        mine = user.memberships.values("team")
        reaching = user.memberships.filter(role__in=PERMITTED[Act.SEE_USAGE]).values("team")
        scopes = models.Q(scope__in=(Budget.Scope.TEAM, Budget.Scope.PROJECT)) | models.Q(person=user)
        seen = models.Q(session__in=Session.objects.visible_to(user).values("pk"))
        others = models.Q(team__in=reaching, scope=Budget.Scope.PERSON)
        return self.filter(models.Q(team__in=mine) & (scopes | seen) | others)


class Budget(Row):
    """A spending limit for a period.

    `limit`, `spent` and `reserved` are US dollars; the latter two count since `window_start`, in the current period.
    They are updated with each model call and always equal the sum of the rows (`ledger.sums_of`). `target` is the
    public id of the limited team, project, person or session. A hard budget blocks calls that do not fit; other budgets
    only notify.

    `unknown_prices` is the treatment of models without a known price: refused, allowed (and counted in
    `unpriced_calls`), or counted at assumed dollars per million tokens. `max_output` limits each answer's tokens.
    `noticed` is the last threshold in per cent notified in this period. `version` counts changes.
    """

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

    def visible_to(self, user: User) -> Self:
        """Filter the calls the user can see: their own in their teams, and everybody's if they can see the team's
        usage."""
        reaching = user.memberships.filter(role__in=PERMITTED[Act.SEE_USAGE])
        mine = models.Q(user=user, team__in=user.memberships.values("team"))
        return self.filter(mine | models.Q(team__in=reaching.values("team")))


class ModelCall(Row):
    """One attempt of one model call. It is `reserved` with its maximum cost before the provider is called, then
    `settled` with its actual cost, or `released` if nothing was used. Rows are kept when the session is deleted.

    `user` is the person who started the turn. `root_session` is the topmost session; for a sub-agent, it is not the
    sub-agent's own. `provider` is a public id, or "site". `cost` is null until it is known, and always for a model
    without a known price (`is_priced`). `bound_input` and `bound_output` are the maximum tokens. `is_estimated`: the
    provider did not report the usage, so tokens and cost are the maximum. `token` is the lease of the turn. `prefix`
    identifies the instructions before the conversation.
    """

    PREFIX = "mcl"

    class Purpose(models.TextChoices):
        STEP = "step"
        TITLE = "title"
        SUMMARY = "summary"
        DRAFT = "draft"
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
