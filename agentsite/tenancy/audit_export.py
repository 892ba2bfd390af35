"""Stream a team's audit log as JSON Lines or CSV."""

import csv
import io
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final, Literal

from asgiref.sync import sync_to_async

from agentsite.tenancy.audit_privacy import readable_data
from agentsite.tenancy.models import AuditEntry, AuditQuerySet, User

Format = Literal["jsonl", "csv"]

MEDIA_TYPES: Final[Mapping[Format, str]] = {
    "jsonl": "application/x-ndjson; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
COLUMNS: Final = ("seq", "id", "at", "actor", "actor_name", "action", "subject", "project", "data", "digest")
PAGE_SIZE: Final = 500  # entries of one database query
FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_row(entry: AuditEntry, reader: User) -> dict[str, Any]:
    return {
        "seq": entry.seq,
        "id": entry.public_id,
        "at": entry.at.isoformat(),
        "actor": entry.actor,
        "actor_name": entry.actor_name,
        "action": entry.action,
        "subject": entry.subject,
        "project": entry.project,
        "data": dict(readable_data(entry, reader)),
        "digest": entry.digest,
    }


def as_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Render entries of the audit log as CSV; text that a spreadsheet would run as a formula gets an apostrophe in
    front."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for row in rows:
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return f"'{value}"
    return value


_WRITERS: Final[Mapping[Format, Callable[[Iterable[Mapping[str, Any]]], str]]] = {"jsonl": as_jsonl, "csv": as_csv}


async def stream_export(rows: AuditQuerySet, *, reader: User, form: Format) -> AsyncIterator[str]:
    """Yield the audit entries in `rows` as text, oldest first. Entries that are added while this runs are left out."""
    last = await sync_to_async(_last_seq)(rows)
    if form == "csv":
        yield ",".join(COLUMNS) + "\r\n"
    after = 0
    while page := await sync_to_async(_page)(rows, after, last):
        yield _WRITERS[form](as_row(entry, reader) for entry in page)
        after = page[-1].seq


def _last_seq(rows: AuditQuerySet) -> int:
    return rows.order_by("-seq").values_list("seq", flat=True).first() or 0


def _page(rows: AuditQuerySet, after: int, last: int) -> list[AuditEntry]:
    return list(rows.filter(seq__gt=after, seq__lte=last).order_by("seq")[:PAGE_SIZE])
