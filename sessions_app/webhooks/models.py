"""Webhooks of a team, their deliveries, and the attempts of each delivery."""

from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import Identified, SealedField, VisibleQuerySet
from agentsite.tenancy.models.projects import Project
from agentsite.tenancy.models.teams import Team, User


class WebhookQuerySet(VisibleQuerySet["Webhook"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        return self.filter(team__memberships__user=user)


class Webhook(Identified):
    """A receiver of a team's events. `events` are event types of `webhooks.event_types`. The secrets are encrypted;
    only the agent worker can decrypt them. The previous secret is valid until `old_secret_until`. `failing_since` is
    the first failure since the last accepted delivery. `disabled_why` is empty unless the site switched the webhook
    off."""

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
    """One event for one webhook, written in the transaction of the event. `line` and `place` define the order:
    deliveries with the same line (a session's id) are sent one after the other; an empty line has no order. `body` is
    sent unchanged. A worker holds the delivery until `lease_until`."""

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
    """One attempt to send a delivery. `status` is 0 if there was no response; `answer` is the beginning of the
    response, `problem` is the site's description."""

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
