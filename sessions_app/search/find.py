"""Run a search query among the texts that the user can see.

The newest matching texts, at most `MAX_MATCHES`, are ranked the same way on every database: titles before prompts
before answers before tool calls, complete words before prefixes, frequent before rare, new before old.
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Left

from agentsite.base.errors import BadInput
from agentsite.tenancy.models import Project, User
from sessions_app.models import SearchText, Session
from sessions_app.search.query import SearchQuery, for_postgres, for_sqlite, parse_query

MAX_MATCHES: Final = 300
RANKED_CHARACTERS: Final = 4000
_WEIGHTS: Final = {"title": 4.0, "prompt": 2.0, "answer": 1.0, "tool": 0.5, "comment": 1.5}
_IN_POSTGRES: Final = "sessions_app_searchtext.vector @@ %s::tsquery"
_WORDS_OF_SQLITE: Final = "sessions_app_searchwords"
_OF_THE_TEXT: Final = "sessions_app_searchwords.rowid = sessions_app_searchtext.id"
_IN_SQLITE: Final = "sessions_app_searchwords MATCH %s"


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a search. `person` has started the session or written the text."""

    project: Project | None = None
    person: User | None = None
    status: str = ""
    after: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class SearchResults:
    """A page of results. `rows` are loaded with session, project and person; `question` is the parsed query."""

    rows: list[SearchText]
    question: SearchQuery
    next_cursor: str | None


def search(*, user: User, text: str, filters: Filters, cursor: str | None, limit: int) -> SearchResults:
    question = parse_query(text)
    if not question.wanted:
        return SearchResults([], question, None)
    newest, start = _read_cursor(cursor)
    rows = _visible_texts(user, filters)
    rows = _matching(rows if newest is None else rows.filter(pk__lte=newest), question)
    columns = rows.annotate(start=Left("words", RANKED_CHARACTERS)).values_list("pk", "kind", "start")
    candidates = list(_newest_first(columns)[:MAX_MATCHES])
    if not candidates:
        return SearchResults([], question, None)
    ranked = sorted(candidates, key=lambda found: (-_rank(found[1], found[2], question), -found[0]))
    page = [found[0] for found in ranked[start : start + limit]]
    known = SearchText.objects.select_related("session__project", "person").in_bulk(page)
    more = start + limit < len(ranked)
    next_cursor = _cursor(newest or candidates[0][0], start + limit) if more else None
    return SearchResults([known[key] for key in page if key in known], question, next_cursor)


def _visible_texts(user: User, filters: Filters) -> QuerySet[SearchText]:
    """Return the texts that match the filters and that the user can see. A separate subquery selects the visible
    sessions, so that the database searches for the words first."""
    sessions = Session.objects.visible_to(user)
    if filters.project is not None:
        sessions = sessions.filter(project=filters.project)
    if filters.status:
        sessions = sessions.filter(status=filters.status)
    rows = SearchText.objects.filter(session__in=sessions.order_by().values("pk"))
    if filters.person is not None:
        rows = rows.filter(Q(person=filters.person) | Q(session__created_by=filters.person))
    if filters.after is not None:
        rows = rows.filter(at__gte=filters.after)
    if filters.before is not None:
        rows = rows.filter(at__lt=filters.before)
    return rows


def _matching(rows: QuerySet[SearchText], question: SearchQuery) -> QuerySet[SearchText]:
    if connection.vendor == "postgresql":
        return rows.extra(where=[_IN_POSTGRES], params=[for_postgres(question)])  # noqa: S610 - a constant
    where = [_OF_THE_TEXT, _IN_SQLITE]
    return rows.extra(tables=[_WORDS_OF_SQLITE], where=where, params=[for_sqlite(question)])  # noqa: S610 - constants


def _newest_first(rows: QuerySet[SearchText, Any]) -> QuerySet[SearchText, Any]:
    """Order the texts newest first. On SQLite, the order is by the rowid of the FTS table, whose search already yields
    this order and can stop at the limit; an order by the text's key would collect all matches first."""
    if connection.vendor == "postgresql":
        return rows.order_by("-pk")
    return rows.order_by().extra(order_by=[f"-{_WORDS_OF_SQLITE}.rowid"])


def _rank(kind: str, words: str, question: SearchQuery) -> float:
    padded = f" {words} "
    score = 0.0
    for term in question.terms:
        beginning = f" {' '.join(term.words)}"
        whole, begun = padded.count(f"{beginning} "), padded.count(beginning)
        score += min(begun, 4) + 2.0 * bool(whole)
    return score * _WEIGHTS[kind] / (1 + len(padded) / RANKED_CHARACTERS)


def _cursor(newest: int, start: int) -> str:
    return base64.urlsafe_b64encode(f"{newest}.{start}".encode()).decode().rstrip("=")


def _read_cursor(cursor: str | None) -> tuple[int | None, int]:
    """Parse a cursor: the key of the text that was the newest when the first page was read, so that later texts do not
    shift the pages, and the index of the first result."""
    if not cursor:
        return None, 0
    try:
        text = base64.urlsafe_b64decode(cursor[:64] + "=" * (-len(cursor[:64]) % 4)).decode("ascii")
        newest, start = (int(number) for number in text.split("."))
    except (ValueError, binascii.Error):
        newest, start = 0, 0
    if not (0 < newest < 2**63 and 0 < start <= MAX_MATCHES):
        raise BadInput("The cursor is not valid.", fields={"cursor": "use the next_cursor of the previous page"})
    return newest, start
