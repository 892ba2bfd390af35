"""REST endpoints of API tokens, for people and service accounts, and of socket tickets."""

from datetime import datetime
from typing import Annotated, Self

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field, StringConstraints

from agentsite.base.errors import Missing
from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.base.timestamps import Timestamp
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.socket_tickets import issue_ticket
from agentsite.tenancy.actions.tokens import create_token, delete_token
from agentsite.tenancy.authentication import current_token, current_user
from agentsite.tenancy.models import ApiToken, Project, ServiceAccount, Team, TokenQuerySet, User
from agentsite.tenancy.roles import Act
from agentsite.tenancy.scopes import DEFAULT_SCOPES, Scope

router = Router(tags=["tokens"])
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]


class TokenView(Schema):
    """An API token without its secret.

    The token is limited to the team `team_id` and the project `project_id`. If both are null, it works wherever its
    owner has access.
    """

    id: str
    name: str
    scopes: list[Scope]
    team_id: str | None
    project_id: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, token: ApiToken) -> Self:
        return cls(
            id=token.public_id,
            name=token.name,
            scopes=[Scope(scope) for scope in token.scopes],
            team_id=None if token.team_id is None else to_public(Team.PREFIX, token.team_id),
            project_id=None if token.project_id is None else to_public(Project.PREFIX, token.project_id),
            created_at=token.created_at,
            expires_at=token.expires_at,
            last_used_at=token.last_used_at,
        )


class CurrentTokenView(Schema):
    """The API token of a request. `token` is null for a person who is signed in with a browser."""

    token: TokenView | None


class IssuedTokenView(TokenView):
    """An API token that was just created. `token` is the secret; it is only returned this once."""

    token: str


class NewServiceToken(RequestBody):
    """A new API token of a service account.

    The default scopes permit reading and working, but not deciding permission requests or changing team settings.
    """

    name: Name
    scopes: list[Scope] = Field(default=list(DEFAULT_SCOPES), max_length=20)
    project_id: str | None = None
    expires_at: Timestamp | None = None


class NewToken(NewServiceToken):
    """A new API token of your own. `team_id` or `project_id` limits it to one team or project."""

    team_id: str | None = None


class TicketView(Schema):
    ticket: str
    expires_at: datetime


@router.get("/tokens", response=Page[TokenView], operation_id="list_tokens")
def list_tokens(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[TokenView]:
    """List your own API tokens."""
    user = current_user(request)
    return _page(ApiToken.objects.visible_to(user).filter(user=user), cursor, limit)


@router.post("/tokens", response={201: IssuedTokenView}, operation_id="create_token")
def post_token(request: HttpRequest, payload: NewToken) -> Status[IssuedTokenView]:
    """Create an API token.

    If the request itself uses an API token, the new one cannot have more scopes, a wider restriction or a later expiry.
    """
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(payload.team_id) if payload.team_id else None
    project = Project.objects.visible_to(user).by_public_id(payload.project_id) if payload.project_id else None
    if team is not None and project is not None and project.team_id != team.pk:
        raise Missing(f"There is no '{payload.project_id}' in that team.")
    return _issue(request, payload, user, team=team, project=project)


@router.get("/tokens/current", response=CurrentTokenView, operation_id="get_current_token")
def get_current_token(request: HttpRequest) -> CurrentTokenView:
    """Get the API token that this request uses, with its scopes and expiry."""
    token = current_token(request)
    return CurrentTokenView(token=None if token is None else TokenView.of(token))


@router.delete("/tokens/{token_id}", response={204: None}, operation_id="delete_token")
def remove_token(request: HttpRequest, token_id: str) -> Status[None]:
    """Revoke an API token of your own or of a service account. Its open WebSockets and streams are closed."""
    delete_token(actor=current_user(request), public_id=token_id)
    return Status(204, None)


@router.get("/service-accounts/{account_id}/tokens", response=Page[TokenView], operation_id="list_service_tokens")
def list_service_tokens(
    request: HttpRequest, account_id: str, cursor: str | None = None, limit: int = 50
) -> Page[TokenView]:
    """List the API tokens of a service account."""
    account = find_account(request, account_id)
    return _page(ApiToken.objects.visible_to(current_user(request)).filter(user=account), cursor, limit)


@router.post(
    "/service-accounts/{account_id}/tokens", response={201: IssuedTokenView}, operation_id="create_service_token"
)
def post_service_token(request: HttpRequest, account_id: str, payload: NewServiceToken) -> Status[IssuedTokenView]:
    """Create an API token for a service account."""
    account = find_account(request, account_id)
    projects = Project.objects.visible_to(current_user(request)).filter(team=account.service_team)
    project = projects.by_public_id(payload.project_id) if payload.project_id else None
    return _issue(request, payload, account, team=account.service_team, project=project)


@router.post("/socket-tickets", response={201: TicketView}, operation_id="create_socket_ticket")
def post_socket_ticket(request: HttpRequest) -> Status[TicketView]:
    """Create a ticket that opens one WebSocket within 30 seconds.

    The WebSocket has the rights of the API token or browser session that requested the ticket, and is closed when that
    token or session ends.
    """
    token = current_token(request)
    session_key = request.session.session_key if token is None else None
    issued = issue_ticket(actor=current_user(request), token=token, session_key=session_key)
    return Status(201, TicketView(ticket=issued.secret, expires_at=issued.expires_at))


def find_account(request: HttpRequest, account_id: str) -> ServiceAccount:
    """Return a service account whose API tokens the user may manage. Raises NotAllowed for other members."""
    user = current_user(request)
    account = ServiceAccount.objects.visible_to(user).select_related("service_team").by_public_id(account_id)
    require(user, Act.MANAGE_TOKENS, team_id=account.team_id)
    return account


def _page(rows: TokenQuerySet, cursor: str | None, limit: int) -> Page[TokenView]:
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[TokenView].of(page, TokenView.of)


def _issue(
    request: HttpRequest, payload: NewServiceToken, owner: User, *, team: Team | None, project: Project | None
) -> Status[IssuedTokenView]:
    issued = create_token(
        actor=current_user(request),
        owner=owner,
        name=payload.name,
        scopes=payload.scopes,
        team=team,
        project=project,
        expires_at=payload.expires_at,
        by=current_token(request),
    )
    view = TokenView.of(issued.token)
    return Status(201, IssuedTokenView(**view.model_dump(), token=issued.secret))
