"""Request and response schemas that several tenancy endpoints share."""

from datetime import datetime
from typing import Any, Literal, Self

from ninja import Field, Schema

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.audit import Fault
from agentsite.tenancy.audit_privacy import is_hidden, readable_data
from agentsite.tenancy.models import AuditEntry, Membership, Project, User

RoleName = Literal["owner", "admin", "member", "viewer"]


def role_name(role: str) -> RoleName:
    name: RoleName = role  # type: ignore[assignment]  # the column allows only these values
    return name


class UserView(Schema):
    id: str
    email: str
    name: str

    @classmethod
    def of(cls, user: User) -> Self:
        return cls(id=user.public_id, email=user.email, name=user.name)


class AccountChange(RequestBody):
    name: str = Field(max_length=200)


class AccountEnd(RequestBody):
    """The confirmation to delete an account: its `password` or, if it has no password, its e-mail `address`."""

    password: str = Field(default="", max_length=1000)
    address: str = Field(default="", max_length=254)


class TeamView(Schema):
    """A team with your own `role` and `may_approve` in it.

    `remove_at` is the time at which a deactivated team will be deleted, otherwise null.
    """

    id: str
    slug: str
    name: str
    role: RoleName
    may_approve: bool
    remove_at: datetime | None

    @classmethod
    def of(cls, membership: Membership) -> Self:
        team = membership.team
        return cls(
            id=team.public_id,
            slug=team.slug,
            name=team.name,
            role=role_name(membership.role),
            may_approve=membership.may_approve,
            remove_at=team.remove_at,
        )


class ModelView(Schema):
    demo_model: bool
    model: str


class MeView(Schema):
    user: UserView
    teams: list[TeamView]
    site: ModelView
    is_operator: bool
    can_create_teams: bool


class DemoLogin(Schema):
    email: str
    password: str


class SiteView(ModelView):
    """Public information about the site. `demo_login` is null unless the site runs in demo mode."""

    name: str
    version: str
    demo_login: DemoLogin | None


class ProjectView(Schema):
    id: str
    team_id: str
    name: str
    slug: str
    description: str
    suggested_prompt: str
    default_agent: str
    created_at: datetime
    remove_at: datetime | None

    @classmethod
    def of(cls, project: Project) -> Self:
        return cls(
            id=project.public_id,
            team_id=to_public("tea", project.team_id),
            name=project.name,
            slug=project.slug,
            description=project.description,
            suggested_prompt=project.suggested_prompt,
            default_agent=project.default_agent,
            created_at=project.created_at,
            remove_at=project.remove_at,
        )


class AuditEntryView(Schema):
    """An entry of the audit log.

    `actor` is a public id, or "site" for actions of the site itself. The fields of `data` depend on `action`. If
    `private` is true, the entry is about a private session of another person, and `data` contains no details.
    """

    id: str
    seq: int
    at: datetime
    actor: str
    actor_name: str
    action: str
    subject: str
    project: str
    private: bool
    data: dict[str, Any]
    digest: str

    @classmethod
    def of(cls, entry: AuditEntry, *, reader: User) -> Self:
        return cls(
            id=entry.public_id,
            seq=entry.seq,
            at=entry.at,
            actor=entry.actor,
            actor_name=entry.actor_name,
            action=entry.action,
            subject=entry.subject,
            project=entry.project,
            private=is_hidden(entry, reader),
            data=dict(readable_data(entry, reader)),
            digest=entry.digest,
        )


class AuditPage(Page[AuditEntryView]):
    pass


class AuditFault(Schema):
    """A fault in the hash chain of the audit log: the sequence number at which it was found, and a description."""

    seq: int
    problem: str

    @classmethod
    def of(cls, fault: Fault) -> Self:
        return cls(seq=fault.seq, problem=fault.problem)


class AuditVerification(Schema):
    """The result of verifying an audit log; it is intact if `faults` is empty.

    At most 100 faults are listed. Store `head`, the digest of the last entry, elsewhere to detect a later rewrite.
    """

    entries: int
    head: str
    faults: list[AuditFault]
