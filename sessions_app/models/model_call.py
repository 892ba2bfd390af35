"""What models were asked, and what it cost: the rows that usage and budgets are made from."""

from typing import Any, Self

from django.db import models

from agentsite.tenancy.base import VisibleQuerySet
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row


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
