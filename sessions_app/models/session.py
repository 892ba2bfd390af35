"""Sessions: conversations in a workspace, each with the counter of its event log."""

from collections.abc import Sequence
from typing import Final, Self

from django.db import models
from django.utils import timezone

from agentsite.base.ids import to_public
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import PERMITTED, Act
from sessions_app.models.base import USER, Row, SessionBoundQuerySet, SharedWith


class SessionQuerySet(SessionBoundQuerySet["Session"]):
    team_path = "project__team"
    session_path = ""

    def known_to_exist(self, user: User) -> Self:
        """Filter the private sessions of teams that the user administers. The user may know that these sessions exist,
        but not see their content."""
        runs = user.memberships.filter(role__in=PERMITTED[Act.MANAGE_SESSIONS]).values("team")
        return self.filter(project__team__in=runs, shared_with=SharedWith.PRIVATE, root=None).within(
            user.token_restriction
        )


class Session(Row):
    """A conversation in a workspace.

    `last_seq` counts events and is written only under the row's lock. `baseline` is the workspace's snapshot from
    before the first tool call, where the session's diff starts. `branch` is the branch of the project's repository that
    its commits are pushed to; "" without a repository. `rules` are the session's own rules; `inherited` are the limits
    that a child session got from its parent: [{name, rules}]. `depth` counts its parents; `root` is the topmost one.
    `forked_from` is the session whose conversation it continues; `comparison` is set if it is one of several attempts.
    `shared_with` is its audience; a child has a copy of its root's (`seen_by`). `summary` is a text of the agent
    `summary`, written on request.

    `revert` is a summary of the revert that is in force or being applied (a `RevertSummaryView` as JSON). It is None
    otherwise, and after the next prompt.

    `context_tokens` is the number of tokens of the last model call, and `context_limit` the number at which the
    conversation is compacted; both are 0 if unknown. `system_prompt_id` is the `SystemPrompt` that the last answer was
    made with. `context_version` is incremented when the history sent to models changes.
    """

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
    comparison = models.ForeignKey(
        "sessions_app.Comparison", null=True, blank=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    depth = models.PositiveSmallIntegerField(default=0)
    shared_with = models.CharField(max_length=16, choices=SharedWith, default=SharedWith.TEAM)
    title = models.CharField(max_length=200, blank=True, default="")
    summary = models.TextField(blank=True, default="")
    agent = models.CharField(max_length=64, default="build")
    agent_by_default = models.BooleanField(default=False)
    """Whether nobody chose the agent, so that files which are read later may still decide."""
    model = models.CharField(max_length=200, blank=True, default="")
    effort = models.CharField(max_length=16, blank=True, default="")
    """The reasoning effort that a person chose; "" leaves it to the agent and the model."""
    status = models.CharField(max_length=16, choices=Status, default=Status.IDLE)
    last_seq = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(max_digits=14, decimal_places=6, default=0)
    unpriced_calls = models.PositiveIntegerField(default=0)
    """The number of model calls whose price is unknown; `cost` is that of the others."""
    tokens = models.JSONField(default=dict)
    context_tokens = models.PositiveIntegerField(default=0)
    context_limit = models.PositiveIntegerField(default=0)
    context_version = models.PositiveIntegerField(default=0)
    system_prompt_id = models.UUIDField(null=True, blank=True)
    todos = models.JSONField(default=list)
    found_tools = models.JSONField(default=list)
    """The names of tools of MCP servers that the model has found with `tool_search`, oldest first."""
    rules = models.JSONField(default=list)
    inherited = models.JSONField(default=list)
    configuration = models.TextField(blank=True, default="")
    """The session's own configuration document, as JSON; "" without one."""
    folder = models.CharField(max_length=255, blank=True, default="")
    """The folder of the workspace whose configuration applies and where commands run; "" for the root."""
    branch = models.CharField(max_length=255, blank=True, default="")
    baseline = models.CharField(max_length=128, blank=True, default="")
    revert = models.JSONField(null=True, blank=True)
    archived = models.BooleanField(default=False)
    labels = models.TextField(blank=True, default="")
    """The labels, each between two line breaks, so that one query on the text finds a label on every database."""
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(default=timezone.now)

    objects = SessionQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (models.Index(fields=("project", "-updated_at")), models.Index(fields=("status",)))

    @property
    def audience_root(self) -> "Session":
        """Return the root session, whose audience applies to its sub-agents too."""
        return self if self.root_id is None else Session.objects.get(pk=self.root_id)

    @property
    def is_private(self) -> bool:
        return self.audience_root.shared_with == SharedWith.PRIVATE

    @property
    def private_to(self) -> str:
        """Return the public id of the only person who may read the session's audit entries; "" if the whole team may
        read them, "nobody" if that person's account is gone."""
        root = self.audience_root
        if root.shared_with != SharedWith.PRIVATE:
            return ""
        return to_public(User.PREFIX, root.created_by_id) if root.created_by_id else "nobody"

    @property
    def label_list(self) -> list[str]:
        return self.labels.split("\n")[1:-1]


MAX_LABELS: Final = 10
MAX_LABEL: Final = 40


def stored_labels(labels: Sequence[str]) -> str:
    """Return the text that stores these labels in `Session.labels`."""
    return "".join(f"\n{label}" for label in labels) + "\n" if labels else ""
