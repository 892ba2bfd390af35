"""A workspace (a directory and one container, on one node, for one project), the nodes, and what was said of it."""

from django.db import models

from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import Row, TenantQuerySet


class WorkspaceQuerySet(TenantQuerySet):
    team_path = "project__team"


class Workspace(Row):
    """`node` is empty until a sandbox worker takes it. `seeded` says that the project's files are in place,
    `instructions` is what its people wrote for agents ({path, text} of AGENTS.md and the like), `project_files` what
    the repository itself says about permissions ({path, permission, rules, problem}, see `policies.project_files`),
    `project_agents` what it says about agents ({agents, default_agent}, see `agent.repository_agents`), `skills` which
    skills lie in it ({name, description, folder, problem}, see `tools_app.skills`).

    `runtime`, `limits`, `self_check` and `usage` are what its container was made with, what the check inside it found
    and what it used when last looked at (`sandbox.limits` and `sandbox.reports` as JSON). `archive` names the last
    archive of its files in the storage, made at `archived_at` of the state `archived_state`; from it a workspace
    whose node is lost is restored elsewhere, which raises `generation`. After `remove_at` it is deleted.
    """

    PREFIX = "wsp"

    class State(models.TextChoices):
        NEW = "new"
        STARTING = "starting"
        RUNNING = "running"
        STOPPED = "stopped"
        FAILED = "failed"
        LOST = "lost"
        REMOVING = "removing"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="workspaces")
    name = models.CharField(max_length=100)
    node = models.CharField(max_length=100, blank=True, default="")
    state = models.CharField(max_length=16, choices=State, default=State.NEW)
    detail = models.TextField(blank=True, default="")
    seeded = models.BooleanField(default=False)
    instructions = models.JSONField(default=list)
    project_files = models.JSONField(default=list)
    skills = models.JSONField(default=list)
    project_agents = models.JSONField(default=dict)
    last_used_at = models.DateTimeField(auto_now_add=True)
    runtime = models.CharField(max_length=64, blank=True, default="")
    limits = models.JSONField(default=dict)
    self_check = models.JSONField(default=dict)
    usage = models.JSONField(default=dict)
    disk_driver = models.CharField(max_length=16, blank=True, default="")
    archive = models.CharField(max_length=300, blank=True, default="")
    archive_size = models.BigIntegerField(default=0)
    archived_at = models.DateTimeField(null=True)
    archived_state = models.CharField(max_length=64, blank=True, default="")
    generation = models.PositiveIntegerField(default=0)
    remove_at = models.DateTimeField(null=True)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        ordering = ("id",)


class Node(models.Model):
    """A Docker host with its sandbox worker, which renews `seen_at`. A node not seen for long has lost its workspaces:
    `lost_at` says since when. `facts` is what the worker says of it: engine, runtimes, disk driver, image, sizes."""

    name = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField()
    started_at = models.DateTimeField()
    lost_at = models.DateTimeField(null=True)
    facts = models.JSONField(default=dict)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WorkspaceNoteQuerySet(SessionBoundQuerySet):
    team_path = "workspace__project__team"


class WorkspaceNote(Row):
    """A plain word in a session about its workspace: it started, stopped, met a limit, was lost ... One for each
    session that was told. `data` has the facts behind the sentence, such as {"limit": "memory"}."""

    PREFIX = "wnt"

    class Kind(models.TextChoices):
        STARTED = "started"
        STOPPED = "stopped"
        RESTARTED = "restarted"
        REBUILT = "rebuilt"
        LIMIT = "limit"
        LOST = "lost"
        RESTORED = "restored"
        REFUSED = "refused"
        REMOVING = "removing"
        OPERATOR = "operator"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="workspace_notes")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=16, choices=Kind)
    text = models.CharField(max_length=500)
    call_id = models.CharField(max_length=64, blank=True, default="")
    data = models.JSONField(default=dict)

    objects = WorkspaceNoteQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
