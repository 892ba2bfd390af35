"""REST: what "always" answers left behind."""

from django.http import HttpRequest
from ninja import Router, Status

from agentsite.tenancy.authentication import current_user
from sessions_app.actions.permissions import revoke_grant
from sessions_app.events import views
from sessions_app.models import Grant
from sessions_app.models.base import public_id_of
from sessions_app.policy import grants_for
from sessions_app.transport.rest import shapes
from sessions_app.transport.rest.sessions import find_session

router = Router(tags=["grants"])


@router.get("/sessions/{session_id}/grants", response=shapes.GrantPage, operation_id="list_grants")
def list_grants(request: HttpRequest, session_id: str) -> shapes.GrantPage:
    """The session's own grants, its project's and its team's."""
    rows = grants_for(find_session(request, session_id)).select_related("granted_by").order_by("id")
    return shapes.GrantPage(items=[_view(row) for row in rows])


@router.delete("/grants/{grant_id}", response={204: None}, operation_id="revoke_grant")
def remove_grant(request: HttpRequest, grant_id: str) -> Status[None]:
    grant = Grant.objects.visible_to(current_user(request)).by_public_id(grant_id)
    revoke_grant(actor=current_user(request), grant=grant)
    return Status(204, None)


def _view(row: Grant) -> shapes.GrantView:
    return shapes.GrantView(
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
