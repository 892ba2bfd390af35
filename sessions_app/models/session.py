"""A session: one conversation in a workspace, and the counter of its event log."""

from typing import Any, Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.audience import SessionBoundQuerySet, SharedWith
from sessions_app.models.base import USER, Row


class SessionQuerySet(SessionBoundQuerySet):
    team_path = "project__team"
    session_path = ""

    def known_to_exist(self, user: Any) -> Self:
        """Private sessions of the teams that the person runs: that they are there, not what is in them."""
        runs = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_SESSIONS]).values("team")
        return self.filter(project__team__in=runs, shared_with=SharedWith.PRIVATE, root=None).within(user.reach)


class Session(Row):
    """`last_seq` counts events and is only written under the row's lock. `baseline` is the snapshot of the workspace
    from before the session's first tool call; the session's diff starts there. `rules` are the session's own,
    `inherited` the limits that a child session got from its parent when it was made: [{name, rules}]. `depth`
    counts the parents above it, `root` is the topmost of them. `forked_from` is whose conversation it goes on with.
    `shared_with` says who sees it; a child repeats what its
    root says, which is what counts (`seen_by`). `summary` is what the agent of that name wrote about it, when somebody
    asked.

    `context_tokens` is how many tokens the last model call took, 0 where that is not known; `context_limit` how many
    may be taken before the conversation is compacted, 0 where that is not known. `context_version` counts the times
    that what models are sent of the past has changed."""

    PREFIX = "ses"

    class Status(models.TextChoices):
        IDLE = "idle"
        RUNNING = "running"
        WAITING = "waiting"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="sessions")
    workspace = models.ForeignKey("sessions_app.Workspace", on_delete=models.PROTECT, related_name="sessions")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="children")
    root = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="descendants")
    forked_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="forks")
    depth = models.PositiveSmallIntegerField(default=0)
    shared_with = models.CharField(max_length=16, choices=SharedWith, default=SharedWith.TEAM)
    title = models.CharField(max_length=200, blank=True, default="")
    summary = models.TextField(blank=True, default="")
    agent = models.CharField(max_length=64, default="build")
    model = models.CharField(max_length=200, blank=True, default="")
    status = models.CharField(max_length=16, choices=Status, default=Status.IDLE)
    last_seq = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    tokens = models.JSONField(default=dict)
    context_tokens = models.PositiveIntegerField(default=0)
    context_limit = models.PositiveIntegerField(default=0)
    context_version = models.PositiveIntegerField(default=0)
    todos = models.JSONField(default=list)
    rules = models.JSONField(default=list)
    inherited = models.JSONField(default=list)
    baseline = models.CharField(max_length=128, blank=True, default="")
    archived = models.BooleanField(default=False)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(default=timezone.now)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("project", "-updated_at")), models.Index(fields=("status",)))
