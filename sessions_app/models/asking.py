"""Permission requests and questions, which wait for people, and grants, which "always" decisions create."""

from typing import Self

from django.db import models

from agentsite.tenancy.models import User
from sessions_app.models.base import USER, AnyRow, Row, SessionBoundQuerySet, TenantQuerySet, seen_by


class AskingQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class GrantQuerySet(TenantQuerySet["Grant"]):
    team_path = "team"
    project_path = "project"

    def visible_to(self, user: User) -> Self:
        """Filter the grants the user can see. Grants of a private session are hidden from others, because they reveal
        what is done there."""
        return super().visible_to(user).filter(models.Q(session=None) | seen_by(user, "session__"))


class PermissionRequest(Row):
    """A request for all permissions that one tool call needs. `call_hash` binds the request to exactly that call.

    `approvers` says who may answer, and `scopes` are the scopes allowed for "always"; both are copied from the policies
    when the request is created (`tools_app.policies.documents`). If two people must approve, `approvals` are the
    approvals so far: [{person: {id, email, name}, reply, scope, at}].
    """

    PREFIX = "per"

    class State(models.TextChoices):
        OPEN = "open"
        ONCE = "once"
        ALWAYS = "always"
        REJECTED = "rejected"
        CANCELLED = "cancelled"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="permission_requests")
    turn = models.ForeignKey("sessions_app.Turn", on_delete=models.CASCADE, related_name="permission_requests")
    call = models.ForeignKey("sessions_app.ToolCall", on_delete=models.CASCADE, related_name="permission_requests")
    call_hash = models.CharField(max_length=64)
    title = models.CharField(max_length=400)
    needs = models.JSONField(default=list)
    reasons = models.JSONField(default=list)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    approvers = models.CharField(max_length=16, default="member")
    scopes = models.JSONField(default=list)
    approvals = models.JSONField(default=list)
    started_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    scope = models.CharField(max_length=16, blank=True, default="")
    message = models.TextField(blank=True, default="")
    answered_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = AskingQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state", "expires_at")),)


class Grant(Row):
    """An allow rule created by an "always" decision.

    A grant for a session has a `session` and a `project`, a grant for a project has only a `project`, and a grant for a
    team has no session and no project.
    """

    PREFIX = "gra"

    class Scope(models.TextChoices):
        SESSION = "session"
        PROJECT = "project"
        TEAM = "team"

    team = models.ForeignKey("tenancy.Team", on_delete=models.CASCADE, related_name="grants")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="grants")
    session = models.ForeignKey("sessions_app.Session", null=True, on_delete=models.CASCADE, related_name="grants")
    scope = models.CharField(max_length=16, choices=Scope)
    permission = models.CharField(max_length=100)
    pattern = models.TextField()
    granted_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    from_request = models.ForeignKey(PermissionRequest, null=True, on_delete=models.SET_NULL, related_name="grants")

    objects = GrantQuerySet.as_manager()

    class Meta:
        ordering = ("id",)


class Question(Row):
    """Questions of an agent, or of an MCP server during a call of its tool. For an MCP server, `form` is {server,
    message, fields, url} with the name of the server and the form (`tools_app.mcp.forms`). The call waits until the
    questions are answered, dismissed or expired."""

    PREFIX = "que"

    class State(models.TextChoices):
        OPEN = "open"
        ANSWERED = "answered"
        DISMISSED = "dismissed"
        CANCELLED = "cancelled"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="questions")
    turn = models.ForeignKey("sessions_app.Turn", on_delete=models.CASCADE, related_name="questions")
    call = models.ForeignKey("sessions_app.ToolCall", on_delete=models.CASCADE, related_name="questions")
    questions = models.JSONField(default=list)
    form = models.JSONField(null=True, blank=True)
    answers = models.JSONField(default=list)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    answered_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    objects = AskingQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("state",)),)
