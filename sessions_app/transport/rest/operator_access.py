"""REST endpoints: time-limited read access of operators to a session, and its record for the team."""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.rest.teams import find_team
from agentsite.tenancy.roles import Act
from sessions_app.actions import operator_access as actions
from sessions_app.events import schema, views
from sessions_app.models import OperatorAccess
from sessions_app.models.operator_access import OperatorAccessQuerySet
from sessions_app.queries.sessions import find_session

router = Router(tags=["operators"])


class OperatorAccessView(Schema):
    id: str
    team_id: str
    session_id: str
    operator: schema.PersonView | None
    reason: str
    alive: bool
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    readings: int
    last_read_at: datetime | None

    @classmethod
    def of(cls, row: OperatorAccess) -> Self:
        return cls(
            id=row.public_id,
            team_id=to_public("tea", row.session.project.team_id),
            session_id=to_public("ses", row.session_id),
            operator=views.person(row.operator),
            reason=row.reason,
            alive=row.is_alive,
            created_at=row.created_at,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
            readings=row.readings,
            last_read_at=row.last_read_at,
        )


class NewOperatorAccess(RequestBody):
    """A request of an operator for read access to a session. `reason` is shown to the team."""

    session_id: str = Field(pattern="^ses_[0-9a-f]{32}$")
    reason: str = Field(min_length=actions.MIN_REASON_CHARACTERS, max_length=actions.MAX_REASON_CHARACTERS)
    minutes: int = Field(actions.MAX_MINUTES, ge=1, le=actions.MAX_MINUTES)


@router.post("/operator-accesses", response={201: OperatorAccessView}, operation_id="open_operator_access")
def post_access(request: HttpRequest, payload: NewOperatorAccess) -> Status[OperatorAccessView]:
    """Open read access to one session for at most an hour. For operators. The access is recorded in the session and in
    the audit logs of the team and the site."""
    row = actions.open_operator_access(actor=current_user(request), **payload.model_dump())
    return Status(201, OperatorAccessView.of(row))


@router.get("/operator-accesses", response=Page[OperatorAccessView], operation_id="list_own_operator_accesses")
def list_own(request: HttpRequest, cursor: str | None = None, limit: int = 50) -> Page[OperatorAccessView]:
    """List the accesses that you opened as an operator."""
    actions.require_operator(current_user(request))
    rows = OperatorAccess.objects.of_operator(current_user(request))
    return _page(rows, cursor, limit)


@router.get(
    "/operator-accesses/{access_id}/snapshot", response=schema.SnapshotView, operation_id="read_session_as_operator"
)
def get_snapshot(request: HttpRequest, access_id: str) -> schema.SnapshotView:
    """Return the current state of the session, for the operator who opened the access. Every call is recorded for the
    team."""
    row = OperatorAccess.objects.of_operator(current_user(request)).by_public_id(access_id)
    return actions.read_by_operator(actor=current_user(request), access=row)


@router.delete("/operator-accesses/{access_id}", response={204: None}, operation_id="end_operator_access")
def delete_access(request: HttpRequest, access_id: str) -> Status[None]:
    """End an operator's access to a session at once. For admins of the team, and for the operator."""
    user = current_user(request)
    rows = OperatorAccess.objects.visible_to(user) | OperatorAccess.objects.of_operator(user)
    row = rows.distinct().select_related("session__project").by_public_id(access_id)
    actions.end_operator_access(actor=user, access=row)
    return Status(204, None)


@router.get(
    "/sessions/{session_id}/operator-accesses",
    response=Page[OperatorAccessView],
    operation_id="list_operator_accesses_of_session",
)
def list_of_session(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[OperatorAccessView]:
    """List every operator access to the session. Everybody who can see the session can read this list."""
    rows = OperatorAccess.objects.filter(session=find_session(request, session_id))
    return _page(rows, cursor, limit)


@router.get(
    "/teams/{team_id}/operator-accesses",
    response=Page[OperatorAccessView],
    operation_id="list_operator_accesses_of_team",
)
def list_of_team(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[OperatorAccessView]:
    """List every operator access to sessions of the team. For admins of the team."""
    team = find_team(request, team_id)
    require(current_user(request), Act.READ_AUDIT, team_id=team.pk)
    rows = OperatorAccess.objects.visible_to(current_user(request)).filter(session__project__team=team)
    return _page(rows, cursor, limit)


def _page(rows: OperatorAccessQuerySet, cursor: str | None, limit: int) -> Page[OperatorAccessView]:
    page = paginate(rows.select_related("operator", "session__project"), cursor=cursor, limit=limit)
    return Page[OperatorAccessView].of(page, OperatorAccessView.of)
