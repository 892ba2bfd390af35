"""REST endpoints for grants: the rules that "always" answers left behind."""

import uuid
from typing import Final

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.pagination import Page, paginate
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, Team
from sessions_app.actions.grants import revoke_grant
from sessions_app.events import views
from sessions_app.models import Grant
from sessions_app.models.base import public_id_of
from sessions_app.policy import grants_for
from sessions_app.queries.sessions import find_session
from sessions_app.transport.rest import schemas

MAX_GRANTS: Final = 1000
router = Router(tags=["grants"])


@router.get("/sessions/{session_id}/grants", response=Page[schemas.GrantView], operation_id="list_grants")
def list_grants(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = MAX_GRANTS
) -> Page[schemas.GrantView]:
    """List the grants that apply in the session: its own, its project's and its team's, newest first."""
    return _page(grants_for(find_session(request, session_id)), cursor, limit)


@router.get("/projects/{project_id}/grants", response=Page[schemas.GrantView], operation_id="list_project_grants")
def list_project_grants(
    request: HttpRequest, project_id: str, cursor: str | None = None, limit: int = MAX_GRANTS
) -> Page[schemas.GrantView]:
    """List the grants that apply in every session of the project: its own and its team's."""
    project = Project.objects.visible_to(current_user(request)).by_public_id(project_id)
    return _page(Grant.objects.filter(project_grants(project) | team_grants(project.team_id)), cursor, limit)


@router.get("/teams/{team_id}/grants", response=Page[schemas.GrantView], operation_id="list_team_grants")
def list_team_grants(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = MAX_GRANTS
) -> Page[schemas.GrantView]:
    """List the grants that apply in every session of the team."""
    team = Team.objects.visible_to(current_user(request)).by_public_id(team_id)
    return _page(Grant.objects.filter(team_grants(team.pk)), cursor, limit)


@router.get("/grants/{grant_id}", response=schemas.GrantView, operation_id="get_grant")
def get_grant(request: HttpRequest, grant_id: str) -> schemas.GrantView:
    """Return one grant."""
    return grant_view(
        Grant.objects.visible_to(current_user(request)).select_related("granted_by").by_public_id(grant_id)
    )


def project_grants(project: Project) -> Q:
    return Q(session__isnull=True, project=project)


def team_grants(team_id: uuid.UUID) -> Q:
    return Q(session__isnull=True, project__isnull=True, team_id=team_id)


def _page(rows: QuerySet[Grant], cursor: str | None, limit: int) -> Page[schemas.GrantView]:
    page = paginate(rows.select_related("granted_by"), cursor=cursor, limit=limit, max_limit=MAX_GRANTS)
    return Page[schemas.GrantView].of(page, grant_view)


@router.delete("/grants/{grant_id}", response={204: None}, operation_id="revoke_grant")
def remove_grant(request: HttpRequest, grant_id: str) -> Status[None]:
    """Revoke a grant. Calls that it allowed need a permission request again."""
    grant = Grant.objects.visible_to(current_user(request)).by_public_id(grant_id)
    revoke_grant(actor=current_user(request), grant=grant)
    return Status(204, None)


def grant_view(row: Grant) -> schemas.GrantView:
    return schemas.GrantView(
        id=row.public_id,
        scope=row.scope,  # type: ignore[arg-type]  # the column's choices are these
        project_id=public_id_of("prj", row.project_id),
        session_id=public_id_of("ses", row.session_id),
        request_id=public_id_of("per", row.from_request_id),
        permission=row.permission,
        pattern=row.pattern,
        granted_by=views.person(row.granted_by),
        created_at=row.created_at,
    )
