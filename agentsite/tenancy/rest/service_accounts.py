"""REST endpoints of a team's service accounts, for members who manage its API tokens."""

from datetime import datetime
from typing import Literal, Self

from django.http import HttpRequest
from ninja import Router, Schema, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.service_accounts import (
    create_service_account,
    delete_service_account,
    update_service_account,
)
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Membership, ServiceAccount, Team
from agentsite.tenancy.rest.tokens import Name, find_account
from agentsite.tenancy.roles import Act, Role

router = Router(tags=["tokens"])
ServiceRole = Literal["admin", "member", "viewer"]


class ServiceAccountView(Schema):
    """A service account. `role` is empty if it is no longer a member of its team; its tokens do not work then."""

    id: str
    team_id: str
    name: str
    role: Literal["admin", "member", "viewer", ""]
    may_approve: bool
    tokens: int
    created_at: datetime

    @classmethod
    def of(cls, account: ServiceAccount, membership: Membership | None) -> Self:
        role: ServiceRole | Literal[""] = membership.role if membership else ""  # type: ignore[assignment]  # never owner
        return cls(
            id=account.public_id,
            team_id=to_public(Team.PREFIX, account.team_id),
            name=account.name,
            role=role,
            may_approve=membership is not None and membership.may_approve,
            tokens=account.api_tokens.count(),
            created_at=account.created_at,
        )


class NewServiceAccount(RequestBody):
    """A new service account.

    `may_approve` is the right of the role `member` to decide permission requests; admins always have it.
    """

    name: Name
    role: ServiceRole = "member"
    may_approve: bool = False


class ServiceAccountChange(RequestBody):
    name: Name | None = None
    role: ServiceRole | None = None
    may_approve: bool | None = None


@router.get(
    "/teams/{team_id}/service-accounts", response=Page[ServiceAccountView], operation_id="list_service_accounts"
)
def list_service_accounts(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[ServiceAccountView]:
    """List the service accounts of a team."""
    team = _managed_team(request, team_id)
    page = paginate(
        ServiceAccount.objects.visible_to(current_user(request)).filter(service_team=team), cursor=cursor, limit=limit
    )
    members = {row.user_id: row for row in Membership.objects.filter(team=team, user__in=page.rows)}
    return Page[ServiceAccountView].of(page, lambda row: ServiceAccountView.of(row, members.get(row.pk)))


@router.post(
    "/teams/{team_id}/service-accounts", response={201: ServiceAccountView}, operation_id="create_service_account"
)
def post_service_account(request: HttpRequest, team_id: str, payload: NewServiceAccount) -> Status[ServiceAccountView]:
    """Create a service account in a team."""
    account = create_service_account(
        actor=current_user(request),
        team=_managed_team(request, team_id),
        name=payload.name,
        role=Role(payload.role),
        may_approve=payload.may_approve,
    )
    return Status(201, _view(account))


@router.get("/service-accounts/{account_id}", response=ServiceAccountView, operation_id="get_service_account")
def get_service_account(request: HttpRequest, account_id: str) -> ServiceAccountView:
    """Get a service account."""
    return _view(find_account(request, account_id))


@router.patch("/service-accounts/{account_id}", response=ServiceAccountView, operation_id="update_service_account")
def patch_service_account(request: HttpRequest, account_id: str, payload: ServiceAccountChange) -> ServiceAccountView:
    """Change the name, role or approval right of a service account."""
    account = update_service_account(
        actor=current_user(request),
        account=find_account(request, account_id),
        name=payload.name,
        role=None if payload.role is None else Role(payload.role),
        may_approve=payload.may_approve,
    )
    return _view(account)


@router.delete("/service-accounts/{account_id}", response={204: None}, operation_id="delete_service_account")
def remove_service_account(request: HttpRequest, account_id: str) -> Status[None]:
    """Delete a service account and revoke its API tokens. Its sessions and messages stay."""
    delete_service_account(actor=current_user(request), account=find_account(request, account_id))
    return Status(204, None)


def _managed_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.MANAGE_TOKENS, team_id=team.pk)
    return team


def _view(account: ServiceAccount) -> ServiceAccountView:
    return ServiceAccountView.of(account, Membership.objects.filter(user=account).first())
