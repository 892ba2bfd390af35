"""Export every model call as a CSV row. Texts that a spreadsheet would read as a formula are escaped."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

from asgiref.sync import sync_to_async
from django.db.models import QuerySet

from agentsite.tenancy.models import User
from sessions_app.models import ModelCall, Session

COLUMNS: Final = (
    "at", "team", "project", "person", "session", "purpose", "provider", "model", "input_tokens", "output_tokens",
    "reasoning_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd", "price", "estimated",
)  # fmt: skip
PAGE: Final = 1_000
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")


async def table_of(rows: QuerySet[ModelCall, Any], *, reader: User) -> AsyncIterator[bytes]:
    """Yield model calls as CSV rows, newest first and one page at a time, so that memory stays bounded and no query
    stays open while the client reads."""
    yield lines([COLUMNS])
    last = None
    while True:
        page = await sync_to_async(_page, thread_sensitive=False)(rows, last, reader)
        if not page:
            return
        last = page[-1][0]
        yield lines(cells for _, cells in page)


def lines(rows: Iterable[Sequence[Any]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows([escape_formula(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8", "replace")


def escape_formula(cell: Any) -> str:
    text = str(cell)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def _page(rows: QuerySet[ModelCall, Any], last: Any, reader: User) -> list[tuple[Any, list[Any]]]:
    rows = rows if last is None else rows.filter(pk__lt=last)
    page = list(rows.select_related("team", "project", "user").order_by("-pk")[:PAGE])
    seen = Session.objects.visible_to(reader).filter(pk__in={row.session_id for row in page if row.session_id})
    visible = set(seen.values_list("pk", flat=True))
    return [(row.pk, _cells(row, session=row.session_public_id if row.session_id in visible else "")) for row in page]


def _cells(row: ModelCall, *, session: str) -> list[Any]:
    return [
        row.at.isoformat(),
        row.team.name,
        row.project.name if row.project else "",
        (row.user.name or row.user.email) if row.user else "",
        session,
        row.purpose,
        row.provider,
        row.model,
        *(getattr(row, name) for name in ModelCall.COUNTS),
        "" if row.cost is None else row.cost,
        "unknown" if row.cost is None else "known",
        "yes" if row.is_estimated else "no",
    ]
