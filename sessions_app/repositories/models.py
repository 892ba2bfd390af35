"""Connections to forges, and the repository of each project."""

from typing import Self

from django.db import models
from django.utils import timezone

from agentsite.tenancy.base import SealedDoorField, VisibleQuerySet
from agentsite.tenancy.models import User
from sessions_app.models.base import USER, Row

DEFAULT_PREFIX = "agentsite/"


def default_protected() -> list[str]:
    return ["main", "master", "trunk", "develop", "release/*"]


class ConnectionQuerySet(VisibleQuerySet["Connection"]):
    team_path = "team"

    def visible_to(self, user: User) -> Self:
        """Return the connections of the user's teams. All members may see them, because their projects name them; the
        REST endpoints hide details from members who do not manage connections."""
        return self.filter(team__memberships__user=user)


class Connection(Row):
    """A team's access to a forge, or to any git server.

    `base_url` is the address of the forge, such as https://github.com; it has a path only if the forge is served below
    that path. `sealed` is the credential, which only the door can decrypt: a token; for `app` JSON with {app_id,
    installation_id, private_key}; for `key` the private ssh key that the site made. `public_key` is the one to register
    at the server, and `host_key` the server's own key, stored by the first test. A revoked connection has no
    credential. `version` counts changes.
    """

    PREFIX = "con"

    class Kind(models.TextChoices):
        GITHUB = "github"
        GITLAB = "gitlab"
        GITEA = "gitea"
        BITBUCKET = "bitbucket"
        GIT = "git"
        SSH = "ssh"

    class Auth(models.TextChoices):
        """The kind of a credential. With `none`, requests have no credential, which is enough for public
        repositories."""

        TOKEN = "token"
        APP = "app"
        KEY = "key"
        NONE = "none"

    class State(models.TextChoices):
        UNKNOWN = "unknown"
        OK = "ok"
        FAILED = "failed"
        REVOKED = "revoked"

    team = models.ForeignKey("tenancy.Team", on_delete=models.CASCADE, related_name="connections")
    kind = models.CharField(max_length=16, choices=Kind)
    name = models.CharField(max_length=120)
    base_url = models.CharField(max_length=500)
    auth = models.CharField(max_length=16, choices=Auth, default=Auth.TOKEN)
    username = models.CharField(max_length=200, blank=True, default="")
    sealed = SealedDoorField(blank=True, default="")
    ending = models.CharField(max_length=8, blank=True, default="")
    """The last characters of the token, the only part of it that people can see."""
    public_key = models.CharField(max_length=200, blank=True, default="")
    host_key = models.CharField(max_length=2000, blank=True, default="")
    account = models.CharField(max_length=200, blank=True, default="")
    """The account of the forge that the credential belongs to, as the forge named it at the last test."""
    state = models.CharField(max_length=16, choices=State, default=State.UNKNOWN)
    message = models.CharField(max_length=500, blank=True, default="")
    """Information and advice for an admin, in the state FAILED."""
    checked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    objects = ConnectionQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("team", "name"), name="one_connection_per_team_and_name"),)

    def __str__(self) -> str:
        return self.name


class Author(models.TextChoices):
    """The author of commits: the person whose prompt the agent works on, or the agent."""

    PERSON = "person"
    AGENT = "agent"


class TeamCommits(models.Model):
    """Commit settings of a team. A team without a row has the defaults.

    If the committer's name and address are empty, the committer is the agent of the site. `co_author` adds a line for a
    co-author: the agent if the person is the author, or the person if the agent is. `sign_off` adds a line for the
    person. With `sign`, the door signs commits with a key that only it can decrypt; `signing_key` is the public key.
    """

    team = models.OneToOneField("tenancy.Team", on_delete=models.CASCADE, primary_key=True, related_name="commits")
    author = models.CharField(max_length=16, choices=Author, default=Author.PERSON)
    committer_name = models.CharField(max_length=120, blank=True, default="")
    committer_email = models.CharField(max_length=254, blank=True, default="")
    co_author = models.BooleanField(default=True)
    sign_off = models.BooleanField(default=False)
    sign = models.BooleanField(default=False)
    signing_key = models.CharField(max_length=200, blank=True, default="")
    sealed_key = SealedDoorField(blank=True, default="")
    key_made_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"commits of {self.team_id}"


class History(models.TextChoices):
    """The part of a repository's history that new workspaces get: everything unless the repository is large (`auto`);
    all commits, with contents of older files fetched when git needs them (`partial`); or only the newest commits
    (`shallow`)."""

    AUTO = "auto"
    PARTIAL = "partial"
    SHALLOW = "shallow"


class ProjectRepository(models.Model):
    """The repository of a project, from which new workspaces start. A project without a row has no repository.

    Without a `connection` the repository is public. `clone_url` never contains a credential. `protected` are patterns
    of branch names. `history` and `folders` limit what workspaces get: only `depth` commits if the history is shallow,
    and only these folders and the files above them if any are named. `submodules` are the names of additional
    repositories at the connection's server that workspaces may read. If `lfs` is false, files in Git LFS stay pointers.
    Commit settings (`author` to `sign`) that are empty or null are taken from the team.
    """

    project = models.OneToOneField(
        "tenancy.Project", on_delete=models.CASCADE, primary_key=True, related_name="repository"
    )
    connection = models.ForeignKey(Connection, null=True, on_delete=models.RESTRICT, related_name="repositories")
    clone_url = models.CharField(max_length=1000)
    full_name = models.CharField(max_length=300)
    """The name of the repository at the forge, such as `owner/name`, or the path of the clone URL."""
    default_branch = models.CharField(max_length=255, blank=True, default="")
    """The branch that new workspaces start from; "" for the server's default branch."""
    branch_prefix = models.CharField(max_length=100, default=DEFAULT_PREFIX)
    """The prefix of the names of session branches."""
    protected = models.JSONField(default=default_protected)
    history = models.CharField(max_length=16, choices=History, default=History.AUTO)
    depth = models.PositiveIntegerField(default=50)
    folders = models.JSONField(default=list)
    submodules = models.JSONField(default=list)
    lfs = models.BooleanField(default=True)
    author = models.CharField(max_length=16, choices=Author, blank=True, default="")
    committer_name = models.CharField(max_length=120, blank=True, default="")
    committer_email = models.CharField(max_length=254, blank=True, default="")
    co_author = models.BooleanField(null=True, default=None)
    sign_off = models.BooleanField(null=True, default=None)
    sign = models.BooleanField(null=True, default=None)
    version = models.PositiveIntegerField(default=1)
    changed_by = models.ForeignKey(USER, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.full_name
