"""REST endpoints: the sessions that a person has pinned or has not read."""

from django.db.models import Q
from django.http import HttpRequest
from ninja import Router

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.session_marks import mark_session
from sessions_app.events.schema import View
from sessions_app.models import SessionMark
from sessions_app.queries.sessions import find_session

router = Router(tags=["sessions"])


class SessionMarkView(View):
    """Your own mark of a session: whether you pinned it, and whether it is unread. `unread`: a turn has ended since you
    last opened the session, or you marked it as unread."""

    session_id: str
    pinned: bool
    unread: bool


class SessionMarkChange(RequestBody):
    """Changes of your mark of a session; omitted fields stay unchanged. `seen` true marks the session as read now,
    false as unread."""

    pinned: bool | None = None
    seen: bool | None = None


@router.get("/session-marks", response=Page[SessionMarkView], operation_id="list_session_marks")
def list_session_marks(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[SessionMarkView]:
    """List your marks of sessions that you pinned or have not read, newest first."""
    rows = SessionMark.objects.of(current_user(request)).filter(Q(pinned=True) | Q(is_unread=True))
    return Page[SessionMarkView].of(paginate(rows, cursor=cursor, limit=limit), _view)


@router.put("/sessions/{session_id}/mark", response=SessionMarkView, operation_id="set_session_mark")
def put_session_mark(request: HttpRequest, session_id: str, payload: SessionMarkChange) -> SessionMarkView:
    """Pin or unpin a session, or mark it as read or unread. Only you see this."""
    row = mark_session(
        actor=current_user(request),
        session=find_session(request, session_id),
        pinned=payload.pinned,
        seen=payload.seen,
    )
    return _view(row)


def _view(row: SessionMark) -> SessionMarkView:
    is_unread: bool = getattr(row, "is_unread", False)
    return SessionMarkView(session_id=to_public("ses", row.session_id), pinned=row.pinned, unread=is_unread)
