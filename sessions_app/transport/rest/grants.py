"""REST: what "always" answers left behind."""

from django.db.models import Q
from django.http import HttpRequest
from ninja import Router, Status

from agentsite.tenancy.authentication import current_user
from sessions_app.actions.permissions import revoke_grant
from sessions_app.events import views
from sessions_app.models import Grant
from sessions_app.transport.rest import shapes
from sessions_app.transport.rest.sessions import find_session

router = Router(tags=["grants"])


@router.get("/sessions/{session_id}/grants", response=shapes.GrantPage, operation_id="list_grants")
def list_grants(request: HttpRequest, session_id: str) -> shapes.GrantPage:
    """The session's own grants, and its project's."""
    session = find_session(request, session_id)
    here = Q(session=session) | Q(session__isnull=True, project=session.project)
    rows = Grant.objects.visible_to(current_user(request)).filter(here).select_related("granted_by").order_by("id")
    return shapes.GrantPage(items=[_view(row) for row in rows])


@router.delete("/grants/{grant_id}", response={204: None}, operation_id="revoke_grant")
def remove_grant(request: HttpRequest, grant_id: str) -> Status[None]:
    grant = Grant.objects.visible_to(current_user(request)).select_related("project").by_public_id(grant_id)
    revoke_grant(actor=current_user(request), grant=grant)
    return Status(204, None)


def _view(row: Grant) -> shapes.GrantView:
    return shapes.GrantView(
        id=row.public_id,
        scope="session" if row.session_id else "project",
        permission=row.permission,
        pattern=row.pattern,
        granted_by=views.person(row.granted_by),
        created_at=row.created_at,
    )
