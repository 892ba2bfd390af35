"""API schemas of connections, repositories and branches."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from ninja import Field
from pydantic import StringConstraints

from agentsite.base.ids import to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.models import Team
from sessions_app.events import schema, views
from sessions_app.repositories.commits.effective import CommitOptions
from sessions_app.repositories.commits.schemas import CommitAuthor, CommitOptionsView
from sessions_app.repositories.commits.settings import CommitChoice
from sessions_app.repositories.credentials import AppCredential, Credential
from sessions_app.repositories.models import DEFAULT_PREFIX, Connection, ProjectRepository
from sessions_app.repositories.projects import RepositoryChoice
from tools_app.network.git.ssh_keys import fingerprint

Kind = Literal["github", "gitlab", "gitea", "bitbucket", "git", "ssh"]
Auth = Literal["token", "app", "key", "none"]
HistoryKind = Literal["auto", "partial", "shallow"]
State = Literal["unknown", "ok", "failed", "revoked"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]


class ConnectionView(schema.View):
    """A connection of a team to a forge or git server.

    `ending` are the last characters of the token; the credential is never returned. `public_key` is the key to register
    at the server, for the kind `ssh`; `host_fingerprint` is the fingerprint of the server's own key, known since the
    first test. `account` is the account that the credential belongs to, as reported by the forge. `message` says what
    an admin has to do in the state `failed`. `can_edit`: you may change the connection; people who may not get only
    `id`, `team_id`, `kind`, `name` and `state`.
    """

    id: str
    team_id: str
    kind: Kind
    name: str
    base_url: str
    auth: Auth
    username: str
    ending: str
    public_key: str
    host_fingerprint: str
    account: str
    state: State
    message: str
    checked_at: datetime | None
    last_used_at: datetime | None
    created_by: schema.PersonView | None
    created_at: datetime | None
    version: int
    can_edit: bool

    @classmethod
    def of(cls, row: Connection, *, can_edit: bool) -> Self:
        hidden = {"base_url": "", "username": "", "ending": "", "public_key": "", "account": "", "message": ""}
        shown = {name: getattr(row, name) for name in hidden}
        return cls(
            id=row.public_id,
            team_id=to_public(Team.PREFIX, row.team_id),
            kind=row.kind,
            name=row.name,
            auth=row.auth,
            state=row.state,
            checked_at=row.checked_at if can_edit else None,
            last_used_at=row.last_used_at if can_edit else None,
            created_by=views.person(row.created_by) if can_edit else None,
            created_at=row.created_at if can_edit else None,
            version=row.version,
            can_edit=can_edit,
            host_fingerprint=fingerprint(row.host_key) if can_edit else "",
            **(shown if can_edit else hidden),
        )


class NewApp(RequestBody):
    """A GitHub App. Without `installation_id`, the app must be installed exactly once."""

    app_id: str = Field(min_length=1, max_length=60)
    private_key: str = Field(min_length=1, max_length=16_000)
    installation_id: str = Field("", max_length=60)


class NewCredential(RequestBody):
    """A credential: a `token` or a GitHub `app`. Give neither for a git server that needs no credential, and for the
    kind `ssh`, for which the site makes the key pair. `username` is only needed by servers that check it."""

    token: str = Field("", max_length=4_000)
    username: str = Field("", max_length=200)
    app: NewApp | None = None

    def credential(self) -> Credential:
        return Credential(self.token, self.username, AppCredential(**self.app.model_dump()) if self.app else None)


class ReplacedCredential(NewCredential):
    """A new credential. `base_version` is the version of the connection that you have read."""

    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)


class NewConnection(NewCredential):
    """A new connection. `base_url` is the address of a self-hosted forge or git server; it is not needed for
    github.com, gitlab.com and bitbucket.org. For the kind `ssh` it looks like `git@git.example.org`."""

    kind: Kind
    name: Name = ""
    base_url: str = Field("", max_length=500)


class ConnectionChange(RequestBody):
    """Changes of a connection. `base_version` is the version that you have read."""

    name: Annotated[Name, StringConstraints(min_length=1)]
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)


class ConnectionReport(schema.View):
    """The result of a test: `message` says what the forge answered, `hint` what to do."""

    ok: bool
    message: str
    hint: str


class RepositoryView(schema.View):
    """A repository that a connection reaches. `updated_at` is empty if the forge does not say."""

    full_name: str
    clone_url: str
    default_branch: str
    private: bool
    description: str
    updated_at: str


class RepositoryList(schema.View):
    """Repositories, recently used ones first. At most 100 are listed; search for others."""

    items: list[RepositoryView]


class RefView(schema.View):
    name: str
    kind: Literal["branch", "tag"]
    commit: str


class RefList(schema.View):
    """The branches and tags of a repository, the default branch first. `more` is the number that were left out; search
    for them."""

    default_branch: str
    items: list[RefView]
    more: int

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Self:
        return cls(
            default_branch=found["default_branch"],
            items=[RefView(**each) for each in found["found"]],
            more=found["more"],
        )


class ConnectionName(schema.View):
    """The connection of a project's repository. `message` is shown to admins."""

    id: str
    name: str
    kind: Kind
    state: State
    message: str


class ProjectRepositoryView(schema.View):
    """The repository of a project. If `connection` is null, the repository is public and can only be read.

    New workspaces start from `default_branch`; if it is empty, from the server's default branch. The names of session
    branches begin with `branch_prefix`. `protected` are patterns of branch names. Commit settings (`author` to `sign`)
    that are null or empty are taken from the team; `commits` has the settings that apply.
    """

    connection: ConnectionName | None
    full_name: str
    clone_url: str
    default_branch: str
    branch_prefix: str
    protected: list[str]
    history: HistoryKind
    depth: int
    folders: list[str]
    submodules: list[str]
    lfs: bool
    author: CommitAuthor | None
    committer_name: str
    committer_email: str
    co_author: bool | None
    sign_off: bool | None
    sign: bool | None
    commits: CommitOptionsView
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime

    @classmethod
    def of(cls, row: ProjectRepository, options: CommitOptions, *, can_edit: bool) -> Self:
        return cls(
            connection=None if row.connection is None else _named(row.connection, can_edit=can_edit),
            full_name=row.full_name,
            clone_url=row.clone_url,
            default_branch=row.default_branch,
            branch_prefix=row.branch_prefix,
            protected=row.protected,
            history=row.history,
            depth=row.depth,
            folders=row.folders,
            submodules=row.submodules,
            lfs=row.lfs,
            author=row.author or None,
            committer_name=row.committer_name,
            committer_email=row.committer_email,
            co_author=row.co_author,
            sign_off=row.sign_off,
            sign=row.sign,
            commits=CommitOptionsView.of(options),
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at,
        )


def _named(row: Connection, *, can_edit: bool) -> ConnectionName:
    shown = {"id": row.public_id, "name": row.name, "kind": row.kind, "state": row.state}
    return ConnectionName(**shown, message=row.message if can_edit else "")


class ProjectRepositoryState(schema.View):
    """The repository of a project; null if it has none. `can_edit`: you may change it."""

    repository: ProjectRepositoryView | None
    can_edit: bool


class ChosenRepository(RequestBody):
    """A repository: its `name` at the forge of a connection, or its `url`. Without a `connection` it must be public.
    Workspaces start from the branch `ref`; if it is empty, from the server's default branch."""

    connection: str | None = None
    name: str = Field("", max_length=300)
    url: str = Field("", max_length=1000)
    ref: str = Field("", max_length=255)

    def choice(self, connection: Connection | None) -> RepositoryChoice:
        return RepositoryChoice(connection, self.name, self.url, self.ref)


class ProjectRepositoryChange(ChosenRepository):
    """The repository of a project and how sessions use it.

    If `history` is `partial`, git fetches contents of older files when it needs them. If it is `shallow`, workspaces
    have only the newest `depth` commits of one branch. If `folders` are given, workspaces have only these and the files
    beside and above them. `submodules` are additional repositories at the connection's server that workspaces may read,
    such as `owner/name` or `owner/*`. If `lfs` is false, files in Git LFS stay pointers. Commit settings that are left
    out, null or empty are taken from the team. `base_version` is the version that you have read, 0 if there was none.
    """

    branch_prefix: str = Field(DEFAULT_PREFIX, min_length=1, max_length=100)
    protected: list[Annotated[str, StringConstraints(max_length=255)]] | None = Field(default=None, max_length=50)
    history: HistoryKind = "auto"
    depth: int = Field(default=50, ge=1, le=10_000)
    folders: list[Annotated[str, StringConstraints(max_length=255)]] = Field(default=[], max_length=100)
    submodules: list[Annotated[str, StringConstraints(max_length=255)]] = Field(default=[], max_length=50)
    lfs: bool = True
    author: CommitAuthor | None = None
    committer_name: str = Field("", max_length=120)
    committer_email: str = Field("", max_length=254)
    co_author: bool | None = None
    sign_off: bool | None = None
    sign: bool | None = None
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    def choice(self, connection: Connection | None) -> RepositoryChoice:
        commits = CommitChoice(
            self.author or "", self.committer_name, self.committer_email, self.co_author, self.sign_off, self.sign
        )
        return RepositoryChoice(
            connection,
            self.name,
            self.url,
            self.ref,
            self.branch_prefix,
            self.protected,
            self.history,
            self.depth,
            self.folders,
            self.submodules,
            self.lfs,
            commits,
        )
