"""Look up the session that a request names."""

from django.http import HttpRequest

from agentsite.tenancy.authentication import current_user
from sessions_app.models import Session


def find_session(request: HttpRequest, session_id: str) -> Session:
    """Return the session with its project, workspace and creator.

    Raises Missing when there is no such session or when the user may not see it."""
    rows = Session.objects.visible_to(current_user(request)).select_related("project", "workspace", "created_by")
    return rows.by_public_id(session_id)
