"""Models of workspaces (a directory and a container on one node, for one project), of nodes, and of notes about
workspaces."""

from django.db import models

from sessions_app.models.base import Row, SessionBoundQuerySet, TenantQuerySet


class WorkspaceQuerySet(TenantQuerySet["Workspace"]):
    team_path = "project__team"


class Workspace(Row):
    """A workspace of a project.

    `node` is empty until a sandbox worker takes the workspace. `seeded`: the project's files are in place.
    `instructions` are the repository's instruction files such as AGENTS.md ({path, text}); `project_files` are its
    permission files ({path, permission, rules, problem}, see `policies.project_files`); `project_agents` are its agents
    ({agents, default_agent}, see `agent.repository_agents`); `declared_servers` are the MCP servers that its files
    declare (see `tools_app.mcp.declared`); `skills` are its skills ({name, description, folder, problem}, see
    `tools_app.skills`). `setup` describes the set-up script and its last run: {} without a script, or {source, digest,
    key, problem, state, after, exit_code, at}; see `SetupState`. If services are declared, it also has `services`:
    {source, text, digest, problem, states}, with the last state of each service ({state, message, boot}) by its name.

    `runtime` and `limits` are what the container was created with, `self_check` is the result of the check inside it,
    and `usage` is the last measurement (JSON of `sandbox.limits` and `sandbox.reports`). `archive` names the last
    archive of its files; it was made at `archived_at` and contains the state `archived_state`. A workspace of a lost
    node is restored from it on another node, which increments `generation`. After `remove_at` the workspace is deleted.
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

    class SetupState(models.TextChoices):
        """The state of a workspace's set-up.

        `due`: it has not run with the current script and lock files. `reused`: the workspace got the result of an
        earlier run. `refused`: a person refused to run it.
        """

        DUE = "due"
        DONE = "done"
        FAILED = "failed"
        REUSED = "reused"
        REFUSED = "refused"

    project = models.ForeignKey("tenancy.Project", on_delete=models.CASCADE, related_name="workspaces")
    name = models.CharField(max_length=100)
    node = models.CharField(max_length=100, blank=True, default="")
    state = models.CharField(max_length=16, choices=State, default=State.NEW)
    detail = models.TextField(blank=True, default="")
    seeded = models.BooleanField(default=False)
    folders = models.JSONField(default=list)
    """The folders of its sessions and those above them, sorted, without the root: their files are read, too."""
    instructions = models.JSONField(default=list)
    project_files = models.JSONField(default=list)
    skills = models.JSONField(default=list)
    project_agents = models.JSONField(default=dict)
    declared_servers = models.JSONField(default=list)
    setup = models.JSONField(default=dict)
    configuration = models.JSONField(default=dict)
    """The configuration documents among its files: {documents, instructions}, or {} if there are none. `documents` are
    {path, text, problem} from the weakest to the strongest; `text` is JSON, because databases do not keep the order of
    keys. `instructions` has the result for each pattern of instruction files: {pattern, paths, problem}."""
    ref = models.CharField(max_length=255, blank=True, default="")
    """The branch, tag or commit of the project's repository that it starts from; "" for the default branch."""
    start_commit = models.CharField(max_length=64, blank=True, default="")
    """The commit that it started from; "" until the repository is in place, or without one."""
    last_used_at = models.DateTimeField(auto_now_add=True)
    runtime = models.CharField(max_length=64, blank=True, default="")
    limits = models.JSONField(default=dict)
    wanted_image = models.JSONField(default=dict)
    """The image that devcontainer.json asks for: {source, image, name, note}. `name` is that of the registered image
    that is used for it, or `note` says why none is. {} if no file asks for one."""
    image = models.CharField(max_length=200, blank=True, default="")
    """The tag of a registered image that the container was created from; "" for the site's own."""
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
    """A container engine with its sandbox worker, which updates `seen_at`. If the worker does not update it for a long
    time, the node is lost (`lost_at`), and its workspaces move to other nodes. `facts` is reported by the worker:
    engine, runtimes, disk driver, image, sizes."""

    name = models.CharField(max_length=100, unique=True)
    seen_at = models.DateTimeField()
    started_at = models.DateTimeField()
    lost_at = models.DateTimeField(null=True)
    facts = models.JSONField(default=dict)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class WorkspaceNoteQuerySet(SessionBoundQuerySet["WorkspaceNote"]):
    team_path = "workspace__project__team"


class WorkspaceNote(Row):
    """A note in a session about its workspace: it started, stopped, reached a limit, was lost and so on. An event of
    the workspace creates a note in each of its sessions. `data` has the facts behind the text, such as {"limit":
    "memory"}."""

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
        SETUP = "setup"
        REMOVING = "removing"
        OPERATOR = "operator"
        FILES = "files"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="workspace_notes")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=16, choices=Kind)
    text = models.CharField(max_length=500)
    call_id = models.CharField(max_length=64, blank=True, default="")
    data = models.JSONField(default=dict)

    objects = WorkspaceNoteQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
