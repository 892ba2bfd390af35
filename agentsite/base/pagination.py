"""Cursor pagination in the order of ids, so that new rows never shift the items of a page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from django.db.models import Model, QuerySet
from ninja import Schema
from pydantic import BaseModel

from agentsite.base.errors import BadInput, Missing
from agentsite.base.ids import from_public, to_public

T = TypeVar("T", bound=Model)
V = TypeVar("V", bound=BaseModel)

MAX_LIMIT = 100


@dataclass(frozen=True, slots=True)
class RowPage(Generic[T]):
    """One page of rows. `next_cursor` is None on the last page."""

    rows: list[T]
    next_cursor: str | None


class Page(Schema, Generic[V]):
    """One page of a list of views, as a response. The API document calls `Page[TeamView]` TeamPage."""

    items: list[V]
    next_cursor: str | None

    @classmethod
    def of(cls, page: RowPage[T], view: Callable[[T], V]) -> Self:
        return cls(items=[view(row) for row in page.rows], next_cursor=page.next_cursor)

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        name: str = params[0].__name__
        return name.removesuffix("View") + "Page"


def paginate(
    rows: QuerySet[T, Any],
    *,
    cursor: str | None = None,
    limit: int = 50,
    max_limit: int = MAX_LIMIT,
    oldest_first: bool = False,
) -> RowPage[T]:
    """Return one page of at most `limit` rows after `cursor`, newest first unless `oldest_first` is true.

    Raises BadInput if the cursor is not valid or `limit` is not between 1 and `max_limit`.
    """
    if not 1 <= limit <= max_limit:
        raise BadInput("The page size is out of range.", fields={"limit": f"must be between 1 and {max_limit}"})
    if cursor:
        rows = rows.filter(**{"pk__gt" if oldest_first else "pk__lt": _read(cursor)})
    found = list(rows.order_by("pk" if oldest_first else "-pk")[: limit + 1])
    more = len(found) > limit
    return RowPage(found[:limit], to_public("cur", found[limit - 1].pk) if more else None)


def _read(cursor: str) -> Any:
    try:
        return from_public("cur", cursor)
    except Missing:
        raise BadInput(
            "The cursor is not valid.", fields={"cursor": "use the next_cursor of the previous page"}
        ) from None
