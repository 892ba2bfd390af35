"""REST endpoints: the people who can see a session, and the facts about private sessions that team admins can see."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Team, User
from agentsite.tenancy.roles import Act
from sessions_app.actions.audience import MAX_GUESTS, set_audience
from sessions_app.actions.prompts import abort_turn
from sessions_app.actions.sessions import delete_session
from sessions_app.events import schema, views
from sessions_app.models import Session
from sessions_app.queries.sessions import find_session

router = Router(tags=["together"])


class AudienceView(schema.View):
    """The people who can see a session. `people` were added to a private session and can see it in addition to
    `started_by`. `may_change`: you may change who can see the session."""

    shared_with: Literal["team", "private"]
    started_by: schema.PersonView | None
    people: list[schema.PersonView]
    may_change: bool


class AudienceChange(RequestBody):
    """A new audience of a session: the people who can see it. `people` are ids of members of the team; they are only
    used for a private session."""

    shared_with: Literal["team", "private"]
    people: list[str] = Field(default_factory=list, max_length=MAX_GUESTS)


class PrivateSessionView(schema.View):
    """Everything that team admins can see of a private session."""

    id: str
    project_id: str
    status: Literal["idle", "running", "waiting"]
    cost: float
    unpriced_calls: int
    created_by: schema.PersonView | None
    created_at: datetime
    updated_at: datetime


@router.get("/sessions/{session_id}/audience", response=AudienceView, operation_id="get_session_audience")
def get_audience(request: HttpRequest, session_id: str) -> AudienceView:
    """Return the people who can see the session. For a sub-agent's session, return the people who can see the session
    that started it."""
    return _view(request, find_session(request, session_id))


@router.put("/sessions/{session_id}/audience", response=AudienceView, operation_id="set_session_audience")
def put_audience(request: HttpRequest, session_id: str, payload: AudienceChange) -> AudienceView:
    """Share the session with its team, or only with the named people. Only the person who started the session may do
    this."""
    row = set_audience(
        actor=current_user(request),
        session=find_session(request, session_id),
        shared_with=payload.shared_with,
        people=payload.people,
    )
    return _view(request, row)


@router.get(
    "/teams/{team_id}/private-sessions", response=Page[PrivateSessionView], operation_id="list_private_sessions"
)
def list_private_sessions(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[PrivateSessionView]:
    """List the team's private sessions with their owner and cost, without title and content. For admins of the team."""
    team = _run_team(request, team_id)
    rows = Session.objects.known_to_exist(current_user(request)).filter(project__team=team)
    page = paginate(rows.select_related("created_by"), cursor=cursor, limit=limit)
    return Page[PrivateSessionView].of(page, _private_view)


@router.post(
    "/teams/{team_id}/private-sessions/{private_session_id}/abort",
    response={202: PrivateSessionView},
    operation_id="abort_private_session",
)
def post_abort(request: HttpRequest, team_id: str, private_session_id: str) -> Status[PrivateSessionView]:
    """Stop the running turn of a private session without seeing its content. Only admins of the team can do this."""
    row = _find_private(request, team_id, private_session_id)
    abort_turn(actor=current_user(request), session=row)
    row.refresh_from_db(fields=["status", "updated_at"])
    return Status(202, _private_view(row))


@router.delete(
    "/teams/{team_id}/private-sessions/{private_session_id}",
    response={204: None},
    operation_id="delete_private_session",
)
def remove_session(request: HttpRequest, team_id: str, private_session_id: str) -> Status[None]:
    """Delete a private session without seeing its content. For admins of the team."""
    delete_session(actor=current_user(request), session=_find_private(request, team_id, private_session_id))
    return Status(204, None)


def _run_team(request: HttpRequest, team_id: str) -> Team:
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.MANAGE_SESSIONS, team_id=team.pk)
    return team


def _find_private(request: HttpRequest, team_id: str, session_id: str) -> Session:
    team = _run_team(request, team_id)
    rows = Session.objects.known_to_exist(current_user(request)).filter(project__team=team)
    return rows.select_related("project", "workspace", "created_by").by_public_id(session_id)


def _view(request: HttpRequest, session: Session) -> AudienceView:
    root = session.audience_root
    guests = User.objects.filter(pk__in=root.guests.values("user")).order_by("name", "email")
    people = [view for guest in guests if (view := views.person(guest))]
    mine = root.created_by_id == current_user(request).pk and session.root_id is None
    return AudienceView(
        shared_with=root.shared_with, started_by=views.person(root.created_by), people=people, may_change=mine
    )


def _private_view(row: Session) -> PrivateSessionView:
    return PrivateSessionView(
        id=row.public_id,
        project_id=to_public("prj", row.project_id),
        status=row.status,
        cost=float(row.cost),
        unpriced_calls=row.unpriced_calls,
        created_by=views.person(row.created_by),
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
