"""Files that people and tools attach: upload them, use them in a prompt or result, and delete them."""

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Stale, TooLarge, Unavailable
from agentsite.base.ids import new_id
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.access import require
from agentsite.tenancy.models import User
from agentsite.tenancy.roles import Act
from sessions_app.events import views
from sessions_app.events.log import SessionWrite, session_write
from sessions_app.models import Attachment, LooseFile, Part, Session
from sessions_app.storage import attachments as storage
from tools_app.attachment_types import NotAttachable, clean_name, inspect
from tools_app.media import Media

MAX_ATTACHMENTS_PER_PROMPT: Final = 20
MAX_ATTACHMENTS_PER_SESSION: Final = 500
MAX_SESSION_BYTES: Final = 500 << 20  # total of the attachments of one session
WRITE_TIMEOUT: Final = timedelta(hours=1)
"""A file whose writing takes longer than this counts as abandoned and is deleted."""
UNUSED_TTL: Final = timedelta(hours=24)
"""An uploaded file that no prompt uses is deleted after this time."""
RETRY_DELAY: Final = timedelta(minutes=10)
BATCH: Final = 200
FULL: Final = (
    f"A session can have at most {MAX_ATTACHMENTS_PER_SESSION} files with {MAX_SESSION_BYTES >> 20} MiB in total;"
    " this file exceeds that."
)

logger = structlog.get_logger(__name__)


def upload_attachment(*, actor: User, session: Session, name: str, content: bytes) -> Attachment:
    """Store a file for a prompt that is about to be sent. Without a prompt it is deleted after 24 hours."""
    require(actor, Act.PROMPT, team_id=session.project.team_id)
    if session.archived:
        raise Stale("This session is archived.", hint="Unarchive the session first.")
    shown = clean_name(name)
    try:
        return store_attachment(session, shown, content, inspect(shown, content), actor=actor)
    except NotAttachable as error:
        kind = TooLarge if error.too_large else BadInput
        code = None if error.too_large else ErrorCode.NOT_ATTACHABLE
        raise kind(error.message, code=code, hint=error.hint, fields={"file": "not accepted"}) from error


def store_attachment(
    session: Session, name: str, content: bytes, media: Media, *, actor: User | None = None
) -> Attachment:
    """Store the content of an attachment, then create its row. `session` must be loaded with its project. `actor` is
    None for a tool's file.

    Raises TooLarge if the session's limit is reached, Missing if the session is gone, Unavailable if the storage fails.
    """
    row = Attachment(
        id=new_id(),
        session=session,
        name=name,
        media_type=media.media_type,
        width=media.width,
        height=media.height,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        created_by=actor,
    )
    row.place = storage.storage_name(session, row.public_id)
    _require_room(session, len(content))
    with sqlite_write_lock(), transaction.atomic():
        LooseFile.objects.create(place=row.place, until=timezone.now() + WRITE_TIMEOUT)
    try:
        storage.store(row.place, content)
    except Exception as error:
        logger.error("attachment_not_stored", place=row.place, exc_info=error)
        raise Unavailable("The file could not be stored.", code=ErrorCode.STORAGE_UNAVAILABLE) from error
    with session_write(session.id):
        _require_room(session, len(content))
        if not LooseFile.objects.filter(place=row.place).delete()[0]:
            raise Unavailable("Storing the file took too long.", code=ErrorCode.STORAGE_UNAVAILABLE)
        row.save(force_insert=True)
    return row


def _require_room(session: Session, size: int) -> None:
    kept = Attachment.objects.filter(session=session)
    total = kept.aggregate(size=Sum("size"))["size"] or 0
    if kept.count() >= MAX_ATTACHMENTS_PER_SESSION or total + size > MAX_SESSION_BYTES:
        raise TooLarge(
            FULL, code=ErrorCode.ATTACHMENT_LIMIT, hint="Start another session, or put the file into the workspace."
        )


def remove_attachment(*, actor: User, attachment: Attachment) -> None:
    """Delete an upload that no prompt uses. Raises Stale if a prompt uses it; such a file is deleted with its
    session."""
    require(actor, Act.PROMPT, team_id=attachment.session.project.team_id)
    with session_write(attachment.session_id):
        if not Attachment.objects.filter(pk=attachment.pk, used=False).delete()[0]:
            raise Stale("This file is part of the conversation.", hint="It is deleted with its session.")


def take_attachments(write: SessionWrite, public_ids: Sequence[str]) -> list[Attachment]:
    """Return the session's files with these ids, in their order, and mark them as used by a prompt. Raises BadInput if
    a file does not exist or belongs to another session, or if there are too many files."""
    wanted = list(dict.fromkeys(public_ids))
    if len(wanted) > MAX_ATTACHMENTS_PER_PROMPT:
        raise BadInput(
            f"A prompt can have at most {MAX_ATTACHMENTS_PER_PROMPT} files.", fields={"attachments": "too many"}
        )
    rows = _mark_used(write, wanted)
    if missing := [public_id for public_id in wanted if public_id not in rows]:
        raise BadInput(
            f"This session has no file '{missing[0][:60]}'.",
            hint="Upload it to this session first; a file that no prompt used is kept for 24 hours.",
            fields={"attachments": "unknown"},
        )
    return [rows[public_id] for public_id in wanted]


def release_attachments(write: SessionWrite, public_ids: Sequence[str]) -> None:
    """Mark the files of a removed prompt as unused, except files that are also attached to another prompt."""
    for public_id in public_ids:
        others = Part.objects.filter(session=write.session, type=Part.Type.FILE, data__attachment__id=public_id)
        if not others.exists():
            Attachment.objects.filter(session=write.session).named([public_id]).update(used=False)


def mark_attachments_used(write: SessionWrite, attached: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mark the session's files in a tool's result as used and return their stored descriptions. Files of other sessions
    are left out."""
    wanted = list(dict.fromkeys(str(item.get("id", "")) for item in attached))
    rows = _mark_used(write, wanted)
    return [views.attachment(rows[public_id]).model_dump() for public_id in wanted if public_id in rows]


def mark_attachments_refused(session_id: uuid.UUID, public_ids: Sequence[str], *, refused: bool = True) -> None:
    """Record that a provider rejected these files, so that models do not get them again. With `refused=False`, remove
    this mark."""
    with sqlite_write_lock(), transaction.atomic():
        Attachment.objects.filter(session_id=session_id).named(public_ids).update(refused=refused)


def _mark_used(write: SessionWrite, public_ids: Sequence[str]) -> dict[str, Attachment]:
    if not public_ids:
        return {}
    own = Attachment.objects.filter(session=write.session).named(public_ids)
    rows = {row.public_id: row for row in own.select_for_update().order_by("id")}
    Attachment.objects.filter(pk__in=[row.pk for row in rows.values()]).update(used=True)
    return rows


def delete_expired_attachments(now: datetime) -> int:
    """Delete unused attachments, attachments older than the site's limit, and stored files without a row. Returns the
    number of deleted files. Failures are retried in the next run."""
    _delete_rows(Attachment.objects.filter(used=False, created_at__lt=now - UNUSED_TTL))
    if settings.ATTACHMENT_DAYS > 0:
        _delete_rows(Attachment.objects.filter(created_at__lt=now - timedelta(days=settings.ATTACHMENT_DAYS)))
    return sum(_delete(loose, now) for loose in LooseFile.objects.filter(until__lte=now)[:BATCH])


def _delete_rows(rows: QuerySet[Attachment]) -> None:
    with sqlite_write_lock(), transaction.atomic():
        chosen = list(rows.select_for_update().order_by("id").values_list("id", flat=True)[:BATCH])
        if chosen:
            Attachment.objects.filter(pk__in=chosen).delete()


def _delete(loose: LooseFile, now: datetime) -> bool:
    if Attachment.objects.filter(place=loose.place).exists():  # a fork uses the same file
        loose.delete()
        return False
    try:
        storage.delete(loose.place)
    except Exception as error:  # noqa: BLE001 - storages raise what they like
        logger.warning("attachment_not_deleted", place=loose.place, error=repr(error))
        LooseFile.objects.filter(pk=loose.pk).update(until=now + RETRY_DELAY)
        return False
    LooseFile.objects.filter(pk=loose.pk).delete()
    return True
