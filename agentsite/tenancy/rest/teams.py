"""REST endpoints of teams."""

from django.http import HttpRequest
from ninja import Field, Router, Status

from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import membership_of
from agentsite.tenancy.actions.teams import create_team, rename_team
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Membership, Team
from agentsite.tenancy.rest import schemas

router = Router(tags=["teams"])


class TeamName(RequestBody):
    name: str = Field(min_length=1, max_length=120)


def find_team(request: HttpRequest, team_id: str) -> Team:
    return Team.objects.visible_to(current_user(request)).by_public_id(team_id)


def team_view(request: HttpRequest, team: Team) -> schemas.TeamView:
    membership = membership_of(current_user(request), team.pk)
    assert membership is not None  # noqa: S101 - the team was visible
    return schemas.TeamView.of(membership)


@router.get("/teams", response=Page[schemas.TeamView], operation_id="list_teams")
def list_teams(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[schemas.TeamView]:
    """List your teams with your role in each, most recently joined first."""
    user = current_user(request)
    rows = Membership.objects.visible_to(user).filter(user=user).select_related("team")
    page = paginate(rows, cursor=cursor, limit=limit)
    return Page[schemas.TeamView].of(page, schemas.TeamView.of)


@router.post("/teams", response={201: schemas.TeamView}, operation_id="create_team")
def post_team(request: HttpRequest, payload: TeamName) -> Status[schemas.TeamView]:
    """Create a team. You become its owner. The setting TEAM_CREATION of the site decides who may do this."""
    return Status(201, schemas.TeamView.of(create_team(actor=current_user(request), name=payload.name)))


@router.get("/teams/{team_id}", response=schemas.TeamView, operation_id="get_team")
def get_team(request: HttpRequest, team_id: str) -> schemas.TeamView:
    """Get a team."""
    return team_view(request, find_team(request, team_id))


@router.patch("/teams/{team_id}", response=schemas.TeamView, operation_id="update_team")
def patch_team(request: HttpRequest, team_id: str, payload: TeamName) -> schemas.TeamView:
    """Rename a team."""
    team = find_team(request, team_id)
    rename_team(actor=current_user(request), team=team, name=payload.name)
    return team_view(request, team)
