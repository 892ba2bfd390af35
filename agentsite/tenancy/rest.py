"""REST: me, site, tokens, socket tickets. Parse, authorise, call one thing, render."""

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Status

from agentsite import VERSION
from agentsite.pagination import paginate
from agentsite.tenancy import schemas
from agentsite.tenancy.actions.accounts import rename_account
from agentsite.tenancy.actions.teams import may_create_teams
from agentsite.tenancy.actions.tickets import issue_ticket
from agentsite.tenancy.actions.tokens import create_token, delete_token
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.demo import DEMO_EMAIL, DEMO_PASSWORD
from agentsite.tenancy.models import ApiToken, Membership

router = Router(tags=["site"])


@router.get("/site", response=schemas.SiteView, auth=None, operation_id="get_site")
def get_site(request: HttpRequest) -> schemas.SiteView:
    demo = schemas.DemoLogin(email=DEMO_EMAIL, password=DEMO_PASSWORD) if settings.DEMO_MODE else None
    return schemas.SiteView(
        name="agentsite",
        version=VERSION,
        demo_login=demo,
        demo_model=settings.DEMO_MODEL,
        model=settings.MODEL_NAME,
    )


@router.get("/me", response=schemas.MeView, operation_id="get_me")
def get_me(request: HttpRequest) -> schemas.MeView:
    user = current_user(request)
    memberships = Membership.objects.filter(user=user).select_related("team").order_by("team__name")
    return schemas.MeView(
        user=schemas.UserView.of(user),
        teams=[schemas.TeamView.of(membership) for membership in memberships],
        site=schemas.ModelView(demo_model=settings.DEMO_MODEL, model=settings.MODEL_NAME),
        is_operator=user.is_staff,
        can_create_teams=may_create_teams(user),
    )


@router.patch("/me", response=schemas.UserView, operation_id="update_me")
def patch_me(request: HttpRequest, payload: schemas.AccountChange) -> schemas.UserView:
    """Change how others see you."""
    return schemas.UserView.of(rename_account(actor=current_user(request), name=payload.name))


@router.get("/tokens", response=schemas.TokenPage, operation_id="list_tokens", tags=["tokens"])
def list_tokens(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> schemas.TokenPage:
    page = paginate(ApiToken.objects.visible_to(current_user(request)), cursor=cursor, limit=limit)
    return schemas.TokenPage(items=[schemas.TokenView.of(row) for row in page.rows], next_cursor=page.next_cursor)


@router.post("/tokens", response={201: schemas.IssuedTokenView}, operation_id="create_token", tags=["tokens"])
def post_token(request: HttpRequest, payload: schemas.NewToken) -> Status[schemas.IssuedTokenView]:
    issued = create_token(actor=current_user(request), name=payload.name, expires_at=payload.expires_at)
    view = schemas.TokenView.of(issued.token)
    return Status(201, schemas.IssuedTokenView(**view.model_dump(), token=issued.secret))


@router.delete("/tokens/{token_id}", response={204: None}, operation_id="delete_token", tags=["tokens"])
def remove_token(request: HttpRequest, token_id: str) -> Status[None]:
    delete_token(actor=current_user(request), public_id=token_id)
    return Status(204, None)


@router.post("/socket-tickets", response={201: schemas.TicketView}, operation_id="create_socket_ticket")
def post_socket_ticket(request: HttpRequest) -> Status[schemas.TicketView]:
    issued = issue_ticket(actor=current_user(request))
    return Status(201, schemas.TicketView(ticket=issued.secret, expires_at=issued.expires_at))
