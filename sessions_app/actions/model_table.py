"""Download the table of models again, store it, or return to the bundled table."""

import json
import os
import zlib
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import NotAllowed, Stale, TooMany
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.base import SITE_PLACE
from agentsite.tenancy.models import User
from sessions_app.models import ModelTable
from sessions_app.queueing import enqueue_model_table

MIN_INTERVAL: Final = timedelta(seconds=10)  # between two attempts
logger = structlog.get_logger(__name__)


def find_table() -> ModelTable | None:
    """Return the row of the table of models without its content; None if no download was ever tried, or if the bundled
    table was chosen after the last download."""
    return ModelTable.objects.defer("content").filter(place=SITE_PLACE).first()


def request_table(*, actor: User) -> None:
    """Enqueue the download of the table of models by the door.

    Raises NotAllowed; Stale if the site has no address of a table; TooMany shortly after another attempt.
    """
    _require_operator(actor)
    if not settings.MODEL_TABLE_URL:
        raise Stale(
            "This site reads no table of models, because MODEL_TABLE_URL is `none`.",
            hint="The bundled table is in use. An operator can set MODEL_TABLE_URL.",
        )
    row = find_table()
    if row is not None and row.tried_at is not None and timezone.now() - row.tried_at < MIN_INTERVAL:
        raise TooMany("The table of models was read a moment ago.", hint="Wait ten seconds, then try again.")
    with sqlite_write_lock(), transaction.atomic():
        data = {"address": settings.MODEL_TABLE_URL}
        audit.record(team_id=None, actor=actor, action="model_table.requested", subject=SITE_PLACE, data=data)
        transaction.on_commit(enqueue_model_table)


def keep_table(content: bytes, address: str) -> None:
    """Store a downloaded table. `content` is the file that `read_table` returned."""
    now = timezone.now()
    news = {
        "content": zlib.compress(content), "model_count": len(json.loads(content)), "address": address,
        "read_at": now, "tried_at": now, "problem": "",
    }  # fmt: skip
    with sqlite_write_lock():
        ModelTable.objects.update_or_create(place=SITE_PLACE, defaults=news)
    take_over_table()


def note_failed_table(problem: str) -> None:
    """Store why the newest table of models could not be read. The table that is in use stays."""
    with sqlite_write_lock():
        news = {"tried_at": timezone.now(), "problem": problem[:500]}
        ModelTable.objects.update_or_create(place=SITE_PLACE, defaults=news)


def use_bundled_table(*, actor: User) -> None:
    """Delete the downloaded table, so that the bundled one is in use. Raises NotAllowed."""
    _require_operator(actor)
    with sqlite_write_lock(), transaction.atomic():
        if ModelTable.objects.filter(place=SITE_PLACE).exclude(read_at=None).delete()[0]:
            audit.record(team_id=None, actor=actor, action="model_table.reset", subject=SITE_PLACE, data={})
    take_over_table()


def take_over_table() -> None:
    """Write the stored table to the file that processes of this machine read, unless the file has it already. Delete
    the file if no table is stored. The file's modification time is the time when the table was downloaded."""
    row, path = find_table(), Path(settings.MODEL_TABLE_FILE)
    try:
        if row is None or row.read_at is None:
            path.unlink(missing_ok=True)
        elif not _is_of(path, row.read_at):
            _write(
                path, zlib.decompress(ModelTable.objects.values_list("content", flat=True).get(pk=row.pk)), row.read_at
            )
    except (OSError, zlib.error, ModelTable.DoesNotExist) as error:  # the table that is in use stays
        logger.warning("model_table_not_taken_over", error=repr(error))


def _is_of(path: Path, read_at: datetime) -> bool:
    with suppress(OSError):
        return path.stat().st_mtime_ns == _nanoseconds(read_at)
    return False


def _write(path: Path, content: bytes, read_at: datetime) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_bytes(content)
    os.utime(new, ns=(_nanoseconds(read_at), _nanoseconds(read_at)))
    new.replace(path)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000_000 + at.microsecond * 1000


def _require_operator(actor: User) -> None:
    if not actor.runs_site:
        raise NotAllowed("Only operators may change the site's table of models.", hint="Ask an operator.")
