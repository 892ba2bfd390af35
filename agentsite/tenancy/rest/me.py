"""REST endpoints of the signed-in person's own account and of the site."""

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest
from ninja import Router, Status

from agentsite import VERSION
from agentsite.tenancy.accounts.reauthentication import require_person
from agentsite.tenancy.actions.accounts import delete_account, rename_account
from agentsite.tenancy.actions.teams import may_create_teams
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.demo_team import DEMO_EMAIL, DEMO_PASSWORD
from agentsite.tenancy.models import Membership
from agentsite.tenancy.rest import schemas

router = Router(tags=["site"])


@router.get("/site", response=schemas.SiteView, auth=None, operation_id="get_site")
def get_site(request: HttpRequest) -> schemas.SiteView:
    """Get the name, version and model of the site. Works without signing in."""
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
    """Get your account and the teams that you are a member of."""
    user = current_user(request)
    memberships = Membership.objects.visible_to(user).filter(user=user).select_related("team").order_by("team__name")
    return schemas.MeView(
        user=schemas.UserView.of(user),
        teams=[schemas.TeamView.of(membership) for membership in memberships],
        site=schemas.ModelView(demo_model=settings.DEMO_MODEL, model=settings.MODEL_NAME),
        is_operator=user.runs_site,
        can_create_teams=may_create_teams(user),
    )


@router.patch("/me", response=schemas.UserView, operation_id="update_me")
def patch_me(request: HttpRequest, payload: schemas.AccountChange) -> schemas.UserView:
    """Change your display name."""
    return schemas.UserView.of(rename_account(actor=current_user(request), name=payload.name))


@router.post("/me/delete", response={204: None}, operation_id="delete_me")
def post_delete_me(request: HttpRequest, payload: schemas.AccountEnd) -> Status[None]:
    """Permanently delete your account. Fails with 409 `last_owner` if you are the only owner of a team."""
    user = current_user(request)
    require_person(request, user, password=payload.password, address=payload.address)
    delete_account(actor=user)
    logout(request)
    return Status(204, None)
