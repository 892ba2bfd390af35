"""REST endpoints of invitations, for the admins of a team and for the invited people.

The secret of an invitation link is only sent in request and response bodies, because URLs end up in logs.
"""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.operation_marks import idempotent
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.actions import invitations as actions
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Invitation
from agentsite.tenancy.models.invitations import InvitationState
from agentsite.tenancy.rest import schemas
from agentsite.tenancy.rest.members import MemberView
from agentsite.tenancy.rest.teams import find_team
from agentsite.tenancy.roles import Act

router = Router(tags=["invitations"])


class InvitationView(Schema):
    id: str
    team_id: str
    email: str
    role: schemas.RoleName
    may_approve: bool
    state: InvitationState
    invited_by: schemas.UserView | None
    created_at: datetime
    sent_at: datetime
    expires_at: datetime
    accepted_at: datetime | None

    @classmethod
    def of(cls, row: Invitation) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.team_id),
            email=row.email,
            role=schemas.role_name(row.role),
            may_approve=row.may_approve,
            state=row.state(),
            invited_by=schemas.UserView.of(row.invited_by) if row.invited_by else None,
            created_at=row.created_at,
            sent_at=row.sent_at,
            expires_at=row.expires_at,
            accepted_at=row.accepted_at,
        )


class IssuedInvitationView(InvitationView):
    """An invitation that was just created or resent. `link` is only returned this once."""

    link: str


class NewInvitation(RequestBody):
    email: str = Field(min_length=3, max_length=254)
    role: schemas.RoleName = "member"
    may_approve: bool = True


class GivenSecret(RequestBody):
    secret: str = Field(min_length=1, max_length=200)


class OpenedInvitation(Schema):
    """The details of an invitation that its link reveals without signing in."""

    team_name: str
    email: str
    role: schemas.RoleName
    may_approve: bool
    invited_by: str
    expires_at: datetime

    @classmethod
    def of(cls, row: Invitation) -> Self:
        by = row.invited_by
        return cls(
            team_name=row.team.name,
            email=row.email,
            role=schemas.role_name(row.role),
            may_approve=row.may_approve,
            invited_by=(by.name or by.email) if by else "",
            expires_at=row.expires_at,
        )


def find_invitation(request: HttpRequest, invitation_id: str) -> Invitation:
    rows = Invitation.objects.visible_to(current_user(request)).select_related("team", "invited_by")
    row = rows.by_public_id(invitation_id)
    require(current_user(request), row.needs(), team_id=row.team_id)
    return row


@router.post("/invitations/open", response=OpenedInvitation, auth=None, operation_id="open_invitation")
def post_open(request: HttpRequest, payload: GivenSecret) -> OpenedInvitation:
    """Get the details of an invitation by the secret of its link.

    Fails with 404 `invitation_closed` if the link is no longer valid.
    """
    row = actions.open_invitation(payload.secret)
    if row is None:
        raise actions.no_such_invitation()
    return OpenedInvitation.of(row)


@router.post("/invitations/accept", response=MemberView, operation_id="accept_invitation")
@idempotent
def post_accept(request: HttpRequest, payload: GivenSecret) -> MemberView:
    """Accept an invitation and join its team.

    Fails with 403 `other_address` if the invitation is for another e-mail address than yours.
    """
    return MemberView.of(actions.accept_invitation(actor=current_user(request), secret=payload.secret))


@router.get("/teams/{team_id}/invitations", response=Page[InvitationView], operation_id="list_invitations")
def list_invitations(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[InvitationView]:
    """List all invitations of a team, newest first, including accepted, revoked and expired ones. Only admins can do
    this."""
    team = find_team(request, team_id)
    require(current_user(request), Act.MANAGE_TEAM, team_id=team.pk)
    rows = Invitation.objects.visible_to(current_user(request)).filter(team=team).select_related("invited_by")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[InvitationView].of(page, InvitationView.of)


@router.post("/teams/{team_id}/invitations", response={201: IssuedInvitationView}, operation_id="create_invitation")
def post_invitation(request: HttpRequest, team_id: str, payload: NewInvitation) -> Status[IssuedInvitationView]:
    """Invite an e-mail address to a team.

    The address receives an e-mail with a link. The response contains another link to pass on; it is not shown again.
    """
    issued = actions.invite(
        actor=current_user(request),
        team=find_team(request, team_id),
        email=payload.email,
        role=payload.role,
        may_approve=payload.may_approve,
    )
    return Status(201, _issued(issued))


@router.post("/invitations/{invitation_id}/resend", response=IssuedInvitationView, operation_id="resend_invitation")
@idempotent
def post_resend(request: HttpRequest, invitation_id: str) -> IssuedInvitationView:
    """Send an invitation again with new links that are valid for seven days. The old links stop working."""
    row = find_invitation(request, invitation_id)
    return _issued(actions.resend_invitation(actor=current_user(request), invitation=row))


@router.delete("/invitations/{invitation_id}", response={204: None}, operation_id="revoke_invitation")
def delete_invitation(request: HttpRequest, invitation_id: str) -> Status[None]:
    """Revoke an invitation. Its links stop working."""
    actions.revoke_invitation(actor=current_user(request), invitation=find_invitation(request, invitation_id))
    return Status(204, None)


def _issued(issued: actions.IssuedInvitation) -> IssuedInvitationView:
    view = InvitationView.of(issued.invitation)
    return IssuedInvitationView(**view.model_dump(), link=actions.link_of(issued.secret))
