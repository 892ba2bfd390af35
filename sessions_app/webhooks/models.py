"""Webhooks of a team, what is to be told to them, and what came of it."""

from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, SealedField, VisibleQuerySet
from agentsite.tenancy.models.people import User
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team


class WebhookQuerySet(VisibleQuerySet["Webhook"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Webhook(Identified):
    """`events` are kinds of `webhooks.kinds`. The secrets are sealed: only the agent worker reads them; the one before
    is valid until `old_secret_until`. `failing_since` is the first failure since something was taken. `disabled_why`
    is empty unless the site switched it off."""

    PREFIX = "whk"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    project = models.ForeignKey(Project, null=True, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=120)
    url = models.CharField(max_length=2000)
    events = models.JSONField(default=list)
    enabled = models.BooleanField(default=True)
    disabled_why = models.CharField(max_length=300, blank=True, default="")
    secret = SealedField()
    old_secret = SealedField(blank=True, default="")
    old_secret_until = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        app_label = "tenancy"  # the tables were created there

    def __str__(self) -> str:
        return self.name


class DeliveryQuerySet(VisibleQuerySet["Delivery"]):
    team_path = "webhook__team"
    project_path = "webhook__project"

    def visible_to(self, user: User) -> Self:
        return self.filter(webhook__team__memberships__user=user)


class Delivery(Identified):
    """One event for one webhook, written in the transaction of what it tells. `line` and `place` keep the order: of
    those with the same line (a session's id) one is told after the other; an empty line has no order. `body` is sent
    exactly as it is. A worker holds it until `lease_until`."""

    PREFIX = "dlv"

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        GIVEN_UP = "given_up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=64)
    body = models.TextField()
    line = models.CharField(max_length=64, blank=True, default="")
    place = models.PositiveBigIntegerField(default=0)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    retry_since = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        app_label = "tenancy"  # the tables were created there
        indexes = (
            models.Index(fields=("webhook", "state", "line", "place"), name="delivery_line"),
            models.Index(fields=("state", "due_at"), name="delivery_due"),
        )

    def __str__(self) -> str:
        return self.event_id


class DeliveryAttempt(models.Model):
    """One try: `status` 0 where nothing came back; `answer` is the beginning of what came, `problem` our words."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="tries")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField()
    status = models.PositiveIntegerField(default=0)
    answer = models.TextField(blank=True, default="")
    problem = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        app_label = "tenancy"  # the tables were created there
        ordering = ("number",)

    def __str__(self) -> str:
        return f"{self.number}: {self.status}"
