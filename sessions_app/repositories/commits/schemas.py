"""API schemas of commit settings."""

from datetime import datetime
from typing import Literal, Self

from ninja import Field

from agentsite.base.ids import to_public
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.models import Team
from sessions_app.events import schema, views
from sessions_app.repositories.commits.effective import CommitOptions
from sessions_app.repositories.commits.settings import CommitChoice
from sessions_app.repositories.models import TeamCommits
from tools_app.network.git.ssh_keys import fingerprint

CommitAuthor = Literal["person", "agent"]


class CommitOptionsView(schema.View):
    """The commit settings that apply: the project's settings, else the team's, else the defaults. `co_author`: commits
    name the agent as co-author of the person, or the person as co-author of the agent. `sign_off`: commits are signed
    off by the person."""

    author: CommitAuthor
    committer_name: str
    committer_email: str
    co_author: bool
    sign_off: bool
    sign: bool

    @classmethod
    def of(cls, options: CommitOptions) -> Self:
        return cls(
            author=options.author,
            committer_name=options.committer.name,
            committer_email=options.committer.email,
            co_author=options.co_author,
            sign_off=options.sign_off,
            sign=options.sign,
        )


class TeamCommitsView(schema.View):
    """Commit settings of a team, which its projects can override.

    If `committer_name` or `committer_email` is empty, the site's default in `applied` is used. `signing_key` is the
    public key of the signatures, to register at the forge; it is empty until `sign` is set for the first time.
    `can_edit`: you may change the settings.
    """

    team_id: str
    author: CommitAuthor
    committer_name: str
    committer_email: str
    co_author: bool
    sign_off: bool
    sign: bool
    signing_key: str
    signing_fingerprint: str
    key_made_at: datetime | None
    applied: CommitOptionsView
    version: int
    changed_by: schema.PersonView | None
    changed_at: datetime | None
    can_edit: bool

    @classmethod
    def of(cls, row: TeamCommits, *, can_edit: bool) -> Self:
        stored = {name: getattr(row, name) for name in CommitOptionsView.model_fields}
        return cls(
            team_id=to_public(Team.PREFIX, row.team_id),
            **stored,
            applied=CommitOptionsView.of(CommitOptions.of({}, stored)),
            signing_key=row.signing_key,
            signing_fingerprint=fingerprint(row.signing_key),
            key_made_at=row.key_made_at,
            version=row.version,
            changed_by=views.person(row.changed_by),
            changed_at=row.changed_at if row.version else None,
            can_edit=can_edit,
        )


class TeamCommitsChange(RequestBody):
    """New commit settings of a team. `author` is the `person` whose prompt the agent works on, or the `agent`. If the
    committer's name and address are empty, the committer is the agent of the site. `co_author` adds a line for a
    co-author: the agent if the person is the author, or the person if the agent is. `sign_off` adds a line for the
    person. With `sign`, commits are signed with a key that no workspace has. `base_version` is the version that you
    have read, 0 if there was none."""

    author: CommitAuthor = "person"
    committer_name: str = Field("", max_length=120)
    committer_email: str = Field("", max_length=254)
    co_author: bool = True
    sign_off: bool = False
    sign: bool = False
    base_version: int | None = Field(default=None, ge=0, le=2**31 - 1)

    def choice(self) -> CommitChoice:
        return CommitChoice(
            self.author, self.committer_name, self.committer_email, self.co_author, self.sign_off, self.sign
        )
