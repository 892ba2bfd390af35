"""Models of MCP servers, and of the tools, prompts and resources that each server most recently listed."""

from typing import Self

from django.db import models

from agentsite.tenancy.base import SITE_PLACE, PlacedQuerySet, SealedDoorField
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row


class McpServerQuerySet(PlacedQuerySet["McpServer"]):
    """MCP servers of the site, of teams and projects, of people, and of repositories of workspaces."""

    def visible_to(self, user: User) -> Self:
        """Return the servers of the site, of the user's teams and their projects, and of the user."""
        mine = models.Q(team__memberships__user=user) | models.Q(project__team__memberships__user=user)
        return self.filter(models.Q(place=SITE_PLACE) | mine | models.Q(person=user)).distinct()


class McpServer(Row):
    """An MCP server of the site, a team, a project, a person, or a workspace's repository. `place` is "site" or the
    public id of the team, project, person or workspace. If several servers have the same name, the first of these is
    used: the project's, the team's, the site's, the person's, the repository's.

    A server of a repository has `project` and `workspace`, the file that declares it (`source`), and the `digest` of
    the declaration that a person allowed. It is neither started nor offered if the file now declares something else.

    A local server has `command`, a list of words, and `environment`: names and values, in which `{env:NAME}` stands for
    a variable. A remote server has `url` and `headers`. Secret headers are stored by name only; their values are rows
    of `McpSecret`.

    `accepted` has the definition of each tool that people accepted, by its name; it is None until the server has listed
    its tools for the first time. `seen` are the definitions that the server listed most recently in any workspace.
    `version` counts changes of the settings.

    `asks_sign_in` is true if a remote server demands a sign-in with OAuth; `challenge` is the header in which it said
    so. `sign_in` says whose account is used: that of the person whose turn it is, or one account for the team.
    `client_id` is the OAuth client that an admin has registered at the server for this site; it is "" if the site
    registers itself.
    """

    PREFIX = "mcp"

    class Kind(models.TextChoices):
        LOCAL = "local", "runs in workspaces"
        REMOTE = "remote", "is reached over HTTP"

    class Transport(models.TextChoices):
        HTTP = "http", "streamable HTTP"
        SSE = "sse", "HTTP with server-sent events"

    class SignIn(models.TextChoices):
        PERSON = "person", "everybody signs in"
        TEAM = "team", "an admin signs in for all"

    place = models.CharField(max_length=64)
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="mcp_servers")
    project = models.ForeignKey("tenancy.Project", null=True, on_delete=models.CASCADE, related_name="mcp_servers")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="mcp_servers")
    workspace = models.ForeignKey(
        "sessions_app.Workspace", null=True, on_delete=models.CASCADE, related_name="declared_mcp_servers"
    )
    source = models.CharField(max_length=100, blank=True, default="")
    digest = models.CharField(max_length=16, blank=True, default="")
    name = models.CharField(max_length=32)
    description = models.CharField(max_length=300, blank=True, default="")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    enabled = models.BooleanField(default=True)
    command = models.JSONField(default=list, blank=True)
    environment = models.JSONField(default=dict, blank=True)
    url = models.CharField(max_length=2000, blank=True, default="")
    transport = models.CharField(max_length=8, choices=Transport.choices, default=Transport.HTTP)
    headers = models.JSONField(default=dict, blank=True)
    secret_headers = models.JSONField(default=list, blank=True)
    timeout_seconds = models.PositiveIntegerField(default=60)
    sign_in = models.CharField(max_length=8, choices=SignIn.choices, default=SignIn.PERSON)
    asks_sign_in = models.BooleanField(default=False)
    challenge = models.CharField(max_length=2000, blank=True, default="")
    client_id = models.CharField(max_length=500, blank=True, default="")
    accepted = models.JSONField(null=True, default=None)
    seen = models.JSONField(default=list, blank=True)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField()

    objects = McpServerQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("place", "name"), name="one_mcp_server_per_place_and_name"),)

    def __str__(self) -> str:
        return self.name


class McpSecret(models.Model):
    """The value of a secret header of a remote server, which only the door can read."""

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=100)
    sealed = SealedDoorField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("server", "name"), name="one_secret_per_mcp_server_and_name"),)

    def __str__(self) -> str:
        return self.name


class McpServerState(models.Model):
    """The last known state of an MCP server: of a local server in a workspace, or of a remote server (without a
    workspace).

    `of_version` is the version of the settings for which it was recorded. `facts` is the server's description of
    itself, `tools` the definitions that it listed, `offerings` its prompts and resources (`tools_app.mcp.offerings`),
    `problem` a sentence if it does not work. The row of a remote server names its team or person, so that a change
    reaches their sessions.
    """

    class Status(models.TextChoices):
        CONNECTED = "connected"
        FAILED = "failed"
        SIGN_IN = "sign_in", "needs sign-in"

    server = models.ForeignKey(McpServer, on_delete=models.CASCADE, related_name="states")
    workspace = models.ForeignKey(
        "sessions_app.Workspace", null=True, on_delete=models.CASCADE, related_name="mcp_servers"
    )
    team = models.ForeignKey("tenancy.Team", null=True, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(USER, null=True, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=12, choices=Status.choices)
    problem = models.CharField(max_length=1500, blank=True, default="")
    facts = models.JSONField(default=dict, blank=True)
    tools = models.JSONField(default=list, blank=True)
    offerings = models.JSONField(default=dict, blank=True)
    of_version = models.PositiveIntegerField()
    checked_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("server", "workspace"), name="one_state_per_mcp_server_and_workspace"),
            models.UniqueConstraint(
                fields=("server",), condition=models.Q(workspace=None), name="one_state_per_remote_mcp_server"
            ),
        )

    def __str__(self) -> str:
        return f"{self.server_id} {self.status}"
