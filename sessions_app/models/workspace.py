"""A workspace: a directory and one container, on one node, for one project."""

from django.db import models

from sessions_app.models.base import Row, TenantQuerySet


class WorkspaceQuerySet(TenantQuerySet):
    team_path = "project__team"


class Workspace(Row):
    """`node` is empty until a sandbox worker takes it. `seeded` says that the project's files are in
    place, `instructions` is what its people wrote for agents ({path, text} of AGENTS.md and the like), `project_files`
    what the repository itself says about permissions ({path, permission, rules, problem}, see
    `tools_app.policies.files`)."""

    PREFIX = "wsp"

    class State(models.TextChoices):
        NEW = "new"
        STARTING = "starting"
        RUNNING = "running"
        STOPPED = "stopped"
        FAILED = "failed"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="workspaces")
    name = models.CharField(max_length=100)
    node = models.CharField(max_length=100, blank=True, default="")
    state = models.CharField(max_length=16, choices=State, default=State.NEW)
    detail = models.TextField(blank=True, default="")
    seeded = models.BooleanField(default=False)
    instructions = models.JSONField(default=list)
    project_files = models.JSONField(default=list)
    last_used_at = models.DateTimeField(auto_now_add=True)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
