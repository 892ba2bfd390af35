"""REST endpoints for the commit settings of teams."""

from django.http import HttpRequest
from ninja import Router

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Stale
from agentsite.http.etags import accepted_versions, require_version, set_version
from agentsite.http.operation_marks import conditional, idempotent
from agentsite.tenancy.access import can
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Team
from agentsite.tenancy.roles import Act
from sessions_app.repositories.commits import schemas
from sessions_app.repositories.commits.settings import replace_signing_key, set_team_commits, team_commits
from sessions_app.repositories.models import TeamCommits

router = Router(tags=["repositories"])


@router.get("/teams/{team_id}/commits", response=schemas.TeamCommitsView, operation_id="get_team_commits")
def get_team_commits(request: HttpRequest, team_id: str) -> schemas.TeamCommitsView:
    """Return the team's commit settings."""
    return _show(request, team_commits(_team(request, team_id)))


@router.put("/teams/{team_id}/commits", response=schemas.TeamCommitsView, operation_id="put_team_commits")
@conditional
def put_team_commits(request: HttpRequest, team_id: str, payload: schemas.TeamCommitsChange) -> schemas.TeamCommitsView:
    """Set the team's commit settings, which projects can override. Only admins can do this. The settings apply after a
    minute at most."""
    wanted = accepted_versions(request)

    def check_version(row: TeamCommits) -> None:
        require_version(wanted, str(row.version))
        if payload.base_version not in (None, row.version):
            raise Stale("Somebody else changed these settings.", code=ErrorCode.STALE_COMMITS)

    user, team = current_user(request), _team(request, team_id)
    return _show(request, set_team_commits(actor=user, team=team, choice=payload.choice(), check_version=check_version))


@router.post("/teams/{team_id}/signing-key", response=schemas.TeamCommitsView, operation_id="replace_signing_key")
@idempotent
def post_signing_key(request: HttpRequest, team_id: str) -> schemas.TeamCommitsView:
    """Make a new key that signs commits, and delete the former one. For admins. Register the public key at the forge,
    and keep the former public key there, so that existing signatures can still be checked."""
    return _show(request, replace_signing_key(actor=current_user(request), team=_team(request, team_id)))


def _team(request: HttpRequest, team_id: str) -> Team:
    return Team.objects.visible_to(current_user(request)).by_public_id(team_id)


def _show(request: HttpRequest, row: TeamCommits) -> schemas.TeamCommitsView:
    set_version(request, str(row.version))
    can_edit = can(current_user(request), Act.MANAGE_CONNECTIONS, team_id=row.team_id)
    return schemas.TeamCommitsView.of(row, can_edit=can_edit)
