"""REST endpoints of team members and their roles."""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Router, Schema, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.members import change_member, remove_member, transfer_ownership
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Membership
from agentsite.tenancy.rest import schemas
from agentsite.tenancy.rest.teams import find_team
from agentsite.tenancy.roles import Act

router = Router(tags=["members"])


class MemberView(Schema):
    """A member of a team.

    `may_approve` only matters for the role `member`: owners and admins can always decide permission requests, viewers
    never.
    """

    id: str
    team_id: str
    user: schemas.UserView
    role: schemas.RoleName
    may_approve: bool
    is_service: bool
    created_at: datetime

    @classmethod
    def of(cls, row: Membership) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.team_id),
            user=schemas.UserView.of(row.user),
            role=schemas.role_name(row.role),
            may_approve=row.may_approve,
            is_service=bool(getattr(row.user, "is_service", False)),
            created_at=row.created_at,
        )


class MemberChange(RequestBody):
    role: schemas.RoleName | None = None
    may_approve: bool | None = None


class NewOwner(RequestBody):
    member_id: str


def find_member(request: HttpRequest, member_id: str) -> Membership:
    rows = Membership.objects.visible_to(current_user(request)).select_related("user", "team")
    return rows.by_public_id(member_id)


@router.get("/teams/{team_id}/members", response=Page[MemberView], operation_id="list_members")
def list_members(request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50) -> Page[MemberView]:
    """List the members of a team, most recently joined first."""
    team = find_team(request, team_id)
    rows = Membership.objects.visible_to(current_user(request)).filter(team=team).select_related("user")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[MemberView].of(page, MemberView.of)


@router.patch("/members/{member_id}", response=MemberView, operation_id="update_member")
def patch_member(request: HttpRequest, member_id: str, payload: MemberChange) -> MemberView:
    """Change the role of a member, or their right to decide permission requests.

    Fails with 409 `last_owner` if the team would be left without an owner.
    """
    row = change_member(
        actor=current_user(request),
        member=find_member(request, member_id),
        role=payload.role,
        may_approve=payload.may_approve,
    )
    return MemberView.of(row)


@router.delete("/members/{member_id}", response={204: None}, operation_id="remove_member")
def delete_member(request: HttpRequest, member_id: str) -> Status[None]:
    """Remove a member from a team, or leave it by passing your own member id.

    The member's sessions stay in the team. Their open connections to the team are closed.
    """
    remove_member(actor=current_user(request), member=find_member(request, member_id))
    return Status(204, None)


@router.post("/teams/{team_id}/ownership", response=MemberView, operation_id="transfer_ownership")
@idempotent
def post_ownership(request: HttpRequest, team_id: str, payload: NewOwner) -> MemberView:
    """Transfer your ownership of a team to another member. You become an admin of the team."""
    team = find_team(request, team_id)
    require(current_user(request), Act.MANAGE_OWNERS, team_id=team.pk)
    rows = Membership.objects.visible_to(current_user(request)).filter(team=team)
    member = rows.select_related("user", "team").by_public_id(payload.member_id)
    return MemberView.of(transfer_ownership(actor=current_user(request), member=member))
