"""REST endpoints: create, list and revoke share links."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Router, Status

from agentsite.base.ids import to_public
from agentsite.base.pagination import Page, paginate
from agentsite.base.timestamps import Timestamp
from agentsite.http.request_body import RequestBody
from agentsite.tenancy.access import require
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Team
from agentsite.tenancy.roles import Act
from sessions_app.actions.sharing import create_share_link, revoke_share_link
from sessions_app.audience import readable_ids
from sessions_app.events import schema, views
from sessions_app.models import ShareLink
from sessions_app.models.sharing import ShareLinkQuerySet
from sessions_app.queries.sessions import find_session

router = Router(tags=["together"])


class ShareLinkView(schema.View):
    """A share link. `session_title` is empty if you may not see the session."""

    id: str
    session_id: str
    session_title: str
    project_id: str
    reach: Literal["team", "public"]
    show_names: bool
    created_by: schema.PersonView | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


class IssuedShareLinkView(ShareLinkView):
    """A new share link. `path` is the path of the link's page on this site. `secret` and `path` are shown only this
    once."""

    secret: str
    path: str


class NewShareLink(RequestBody):
    """A share link to create. A `public` link works for anybody who has it, if the policies allow public links; a
    `team` link works for signed-in members. `show_names`: readers see the names of the authors."""

    reach: Literal["team", "public"] = "team"
    expires_at: Timestamp | None = None
    show_names: bool = False


@router.get("/sessions/{session_id}/share-links", response=Page[ShareLinkView], operation_id="list_session_share_links")
def list_session_links(
    request: HttpRequest, session_id: str, cursor: str | None = None, limit: int = 50
) -> Page[ShareLinkView]:
    """List the share links of a session, newest first, including revoked and expired ones."""
    return _page(request, ShareLink.objects.filter(session=find_session(request, session_id)), cursor, limit)


@router.post(
    "/sessions/{session_id}/share-links", response={201: IssuedShareLinkView}, operation_id="create_share_link"
)
def post_link(request: HttpRequest, session_id: str, payload: NewShareLink) -> Status[IssuedShareLinkView]:
    """Create a share link for a session. Its address is shown only in this response."""
    issued = create_share_link(
        actor=current_user(request),
        session=find_session(request, session_id),
        reach=payload.reach,
        expires_at=payload.expires_at,
        show_names=payload.show_names,
    )
    view = _view(issued.link, {issued.link.session.public_id})
    path = f"/shared/{issued.secret}"
    return Status(201, IssuedShareLinkView(**view.model_dump(), secret=issued.secret, path=path))


@router.get("/teams/{team_id}/share-links", response=Page[ShareLinkView], operation_id="list_team_share_links")
def list_team_links(
    request: HttpRequest, team_id: str, cursor: str | None = None, limit: int = 50
) -> Page[ShareLinkView]:
    """List all share links of the team. For admins of the team."""
    user = current_user(request)
    team = Team.objects.visible_to(user).by_public_id(team_id)
    require(user, Act.MANAGE_SESSIONS, team_id=team.pk)
    return _page(request, ShareLink.objects.filter(session__project__team=team), cursor, limit)


@router.delete("/share-links/{share_link_id}", response={204: None}, operation_id="revoke_share_link")
def delete_link(request: HttpRequest, share_link_id: str) -> Status[None]:
    """Revoke a share link. It stops working at once."""
    rows = ShareLink.objects.visible_to(current_user(request)).select_related("session__project")
    revoke_share_link(actor=current_user(request), link=rows.by_public_id(share_link_id))
    return Status(204, None)


def _page(request: HttpRequest, rows: ShareLinkQuerySet, cursor: str | None, limit: int) -> Page[ShareLinkView]:
    user = current_user(request)
    visible = rows.visible_to(user).select_related("session", "created_by")
    page = paginate(visible, cursor=cursor, limit=limit)
    seen = readable_ids(user, (row.session.public_id for row in page.rows))
    return Page[ShareLinkView].of(page, lambda row: _view(row, seen))


def _view(row: ShareLink, seen: set[str]) -> ShareLinkView:
    session = row.session
    return ShareLinkView(
        id=row.public_id,
        session_id=session.public_id,
        session_title=session.title if session.public_id in seen else "",
        project_id=to_public("prj", session.project_id),
        reach=row.reach,
        show_names=row.show_names,
        created_by=views.person(row.created_by),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
