"""Receive uploads in parts, start projects with them, and delete them."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import BadInput, Missing, Stale, TooLarge, TooMany
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy import audit
from agentsite.tenancy.access import require
from agentsite.tenancy.actions.projects import create_project, require_usable_project
from agentsite.tenancy.actions.team_lock import team_write
from agentsite.tenancy.display_names import one_line
from agentsite.tenancy.models import Project, Team, User
from agentsite.tenancy.roles import Act
from sessions_app.models import Upload
from sessions_app.models.base import move
from sessions_app.queueing import PLACE_QUEUE, enqueue_delete_upload, enqueue_upload_check, has_room
from sessions_app.uploads import storage
from sessions_app.uploads.kinds import ACCEPTED, SNIFFED_BYTES, kind_of
from tools_app.policies.current import current_policies

MAX_UNFINISHED: Final = 10  # uploads of a team that no project uses
DISK_SHARE: Final = 4
"""An upload may be as large as this part (a quarter) of `disk_mib`: its files, its history and the packages that set-up
installs have to fit as well."""
EXPIRES_AFTER: Final = timedelta(hours=24)
"""An upload that no project uses is deleted when it has not changed for this time."""
WAKE_UP_TIMEOUT: Final = timedelta(seconds=5)
BATCH: Final = 200
State = Upload.State


def most_bytes(team: Team) -> int:
    """Return the maximum size, in bytes, of an upload to this team."""
    return int(_disk_mib(team) << 20) // DISK_SHARE


def _disk_mib(team: Team) -> int:
    return int(current_policies(team_id=team.pk).sandbox().limits.disk_mib)


def begin_upload(*, actor: User, team: Team, name: str, size: int) -> Upload:
    """Create an upload for a file of `size` bytes that is about to be sent. Raises TooLarge before any part of a file
    that is too large is sent."""
    require(actor, Act.MANAGE_PROJECT, team_id=team.pk)
    if size > (most := most_bytes(team)):
        raise TooLarge(
            f"The file has {size / 2**20:,.0f} MiB. With the limit disk_mib of {_disk_mib(team):,} MiB, an upload may"
            f" have at most {most >> 20:,} MiB.",
            code=ErrorCode.UPLOAD_TOO_LARGE,
            fields={"size": f"at most {most}"},
        )
    with team_write(team.pk) as row:
        if Upload.objects.filter(team=row, project=None).exclude(state=State.DELETING).count() >= MAX_UNFINISHED:
            raise TooMany(
                f"This team has {MAX_UNFINISHED} uploads that no project uses.",
                hint="Delete one of them, or wait: they are deleted after a day.",
            )
        return Upload.objects.create(team=row, created_by=actor, name=one_line(name)[:200] or "upload", size=size)


def store_part(*, actor: User, upload: Upload, offset: int, content: bytes) -> Upload:
    """Store the part of the file that begins at `offset`. The last part starts the check.

    A part that has already arrived is not stored again. Raises Stale for a part that is not the next one.
    """
    require(actor, Act.MANAGE_PROJECT, team_id=upload.team_id)
    if offset < upload.received and offset + len(content) <= upload.received:
        return upload
    _require_next(upload, offset, content)
    name = storage.save_part(upload, offset, content)
    received = offset + len(content)
    if not _record_part(upload, offset, received, name):
        storage.delete_part(name)
        raise Stale("This part has arrived meanwhile.", code=ErrorCode.UPLOAD_OFFSET)
    return upload


def _record_part(upload: Upload, offset: int, received: int, name: str) -> bool:
    """Store that a part of the file has arrived. Returns False if another request has sent this part meanwhile."""
    news: dict[str, Any] = {"received": received, "parts": [*upload.parts, name], "moved_at": timezone.now()}
    target = State.CHECKING if received == upload.size else State.RECEIVING
    with sqlite_write_lock(), transaction.atomic():
        stored = move(upload, source=State.RECEIVING, target=target, only=Q(received=offset), **news)
        if stored and target == State.CHECKING:
            transaction.on_commit(partial(enqueue_upload_check, upload.pk, node=""))
    return stored


def _require_next(upload: Upload, offset: int, content: bytes) -> None:
    if upload.state != State.RECEIVING or offset != upload.received:
        raise Stale(
            f"The next part of this upload begins at {upload.received}, not at {offset}.",
            code=ErrorCode.UPLOAD_OFFSET,
            fields={"offset": str(upload.received)},
        )
    due = min(storage.PART_BYTES, upload.size - offset)
    if len(content) != due:
        raise BadInput(f"The part at {offset} must have {due:,} bytes; it has {len(content):,}.")
    if offset == 0 and kind_of(content[:SNIFFED_BYTES]) is None:
        raise BadInput(f"This file is not {ACCEPTED}.", code=ErrorCode.UPLOAD_REFUSED)


def create_project_with(*, actor: User, upload: Upload, name: str, description: str = "") -> Project:
    """Create a project whose workspaces start with the files of a checked upload."""
    require(actor, Act.MANAGE_PROJECT, team_id=upload.team_id)
    with team_write(upload.team_id) as team:
        project = create_project(actor=actor, team=team, name=name, description=description)
        _assign(actor, upload, project)
    return project


def set_project_files(*, actor: User, project: Project, upload: Upload | None) -> None:
    """Let new workspaces of a project start with the files of another upload, or without files. Existing workspaces
    keep their files."""
    require(actor, Act.MANAGE_PROJECT, team_id=project.team_id)
    with team_write(project.team_id):
        project.refresh_from_db()
        require_usable_project(project)
        former = Upload.objects.filter(project=project).first()
        if former is not None and (upload is None or former.pk != upload.pk):
            _delete(former)
        if upload is None:
            if former is not None:
                _record(actor, project, upload=None)
        elif former is None or former.pk != upload.pk:
            _assign(actor, upload, project)


def _assign(actor: User, upload: Upload, project: Project) -> None:
    """Store that the project uses the upload. The caller holds the team's lock."""
    rows = Upload.objects.filter(pk=upload.pk, team=project.team_id, state=State.READY, project=None)
    if not rows.update(project=project):
        upload.refresh_from_db()
        raise Stale(_why_not(upload), code=ErrorCode.UPLOAD_NOT_READY)
    upload.project = project
    _record(actor, project, upload=upload)


def _why_not(upload: Upload) -> str:
    if upload.state == State.REFUSED:
        return f"This upload was refused: {upload.problem}"
    if upload.project_id is not None:
        return "Another project starts with this upload."
    return f"This upload is not ready to be used: its state is '{upload.state}'."


def _record(actor: User, project: Project, *, upload: Upload | None) -> None:
    data: dict[str, Any] = {"name": project.name}
    if upload is not None:
        data |= {"upload": upload.public_id, "file": upload.name, "size": upload.size, **upload.facts}
    audit.record(
        team_id=project.team_id, actor=actor, action="project.files_set", subject=project.public_id, data=data,
        project_id=project.pk,
    )  # fmt: skip


def discard_upload(*, actor: User, upload: Upload) -> None:
    """Delete an upload that no project uses, whatever its state is."""
    require(actor, Act.MANAGE_PROJECT, team_id=upload.team_id)
    with team_write(upload.team_id):
        upload = Upload.objects.filter(pk=upload.pk).first() or _gone()
        if upload.project_id is not None:
            raise Stale(
                "A project starts with this upload.", hint="Choose other files for the project, which deletes these."
            )
        _delete(upload)


def _gone() -> Upload:
    raise Missing("This upload was deleted.")


def _delete(upload: Upload) -> None:
    """Mark the upload for deletion. A sandbox worker deletes it with its files, because only sandbox workers can write
    to the archive storage."""
    Upload.objects.filter(pk=upload.pk).update(
        state=State.DELETING, project=None, lease_token="", lease_until=None, moved_at=timezone.now()
    )
    transaction.on_commit(partial(enqueue_delete_upload, upload.pk, node=""))


def delete_expired_uploads(now: datetime) -> int:
    """Mark expired uploads for deletion: uploads without a project that nobody continued for a day, and uploads of
    deleted teams. Returns their number."""
    unused = Upload.objects.filter(project=None).exclude(state=State.DELETING)
    expired = unused.filter(Q(moved_at__lt=now - EXPIRES_AFTER) | Q(team__remove_at__lte=now))
    rows = list(expired.order_by("id")[:BATCH])
    for row in rows:
        with team_write(row.team_id):
            if unused.filter(pk=row.pk).exists():
                _delete(row)
    return len(rows)


def wake_uploads(now: datetime) -> int:
    """Enqueue the uploads that are due to be checked or deleted and have no worker. Returns their number."""
    nobody = Q(lease_until__isnull=True, moved_at__lt=now - WAKE_UP_TIMEOUT) | Q(lease_until__lt=now)
    due = Upload.objects.filter(nobody, state__in=(State.CHECKING, State.DELETING))
    rows = list(due.order_by("?").values_list("pk", "state")[:BATCH])
    if not rows or not has_room(PLACE_QUEUE):
        return 0
    for pk, state in rows:
        (enqueue_upload_check if state == State.CHECKING else enqueue_delete_upload)(pk, node="")
    return len(rows)
