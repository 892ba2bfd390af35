"""REST endpoint: search in session titles, messages, tool calls and review comments."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Query, Router, Schema

from agentsite.base.errors import Missing
from agentsite.base.ids import from_public, to_public
from agentsite.base.pagination import MAX_LIMIT, Page
from agentsite.base.timestamps import Timestamp
from agentsite.tenancy.authentication import current_user
from agentsite.tenancy.models import Project, User
from sessions_app.events import schema, views
from sessions_app.models import SearchText
from sessions_app.search.find import Filters, search
from sessions_app.search.query import SearchQuery
from sessions_app.search.snippet import snippet

router = Router(tags=["together"])

Status = Literal["idle", "running", "waiting"]


class PieceView(schema.View):
    """A piece of a text. `hit` is true if the piece matches the query."""

    text: str
    hit: bool


class SearchHit(schema.View):
    """A search result. `ref` is the id of the match: the session if its title matches, otherwise the part, the tool
    call or the comment. `person` wrote it, or started the session if its title matches."""

    kind: Literal["title", "prompt", "answer", "tool", "comment"]
    ref: str
    session_id: str
    session_title: str
    session_status: Status
    shared_with: Literal["team", "private"]
    project_id: str
    project_name: str
    person: schema.PersonView | None
    at: datetime
    pieces: list[PieceView]


class SearchPage(Page[SearchHit]):
    pass


class SearchParameters(Schema):
    """A search. `q` is the query. `person_id` restricts results to sessions that this person started and messages that
    they wrote."""

    q: str = ""
    project_id: str | None = None
    person_id: str | None = None
    status: Status | None = None
    after: Timestamp | None = None
    before: Timestamp | None = None
    cursor: str | None = None
    limit: int = Field(default=20, ge=1, le=MAX_LIMIT)


@router.get("/search", response=SearchPage, operation_id="search")
def get_search(request: HttpRequest, asked: Query[SearchParameters]) -> SearchPage:
    """Search titles, prompts, answers, tool calls and sent review comments of the sessions that you can see, best
    matches first. Each word matches as a prefix. `"two words"` finds them side by side, `tea OR coffee` finds either,
    `-milk` excludes a word."""
    user = current_user(request)
    filters = Filters(
        project=Project.objects.visible_to(user).by_public_id(asked.project_id) if asked.project_id else None,
        person=_person(user, asked.person_id) if asked.person_id else None,
        status=asked.status or "",
        after=asked.after,
        before=asked.before,
    )
    found = search(user=user, text=asked.q, filters=filters, cursor=asked.cursor, limit=asked.limit)
    return SearchPage(items=[_hit(row, found.question) for row in found.rows], next_cursor=found.next_cursor)


def _person(user: User, person_id: str) -> User:
    row = User.objects.visible_to(user).filter(pk=from_public(User.PREFIX, person_id)).first()
    if row is None:
        raise Missing(f"There is no person '{person_id[:60]}'.")
    return row


def _hit(row: SearchText, question: SearchQuery) -> SearchHit:
    session = row.session
    return SearchHit(
        kind=row.kind,
        ref=row.ref,
        session_id=session.public_id,
        session_title=session.title,
        session_status=session.status,
        shared_with=session.shared_with,
        project_id=to_public("prj", session.project_id),
        project_name=session.project.name,
        person=views.person(row.person),
        at=row.at,
        pieces=[PieceView(text=piece.text, hit=piece.hit) for piece in snippet(row.text, question)],
    )
