"""Check uploads: unpack each in a container of its own, and store the resulting workspace as an archive."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from importlib.resources import files
from typing import Any, Final

import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.base.sqlite_lock import sqlite_write_lock
from sandbox.errors import SandboxError, SandboxLost, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ports import Process, ProcessRequest, Runtime, SandboxSpec
from sessions_app.models import Upload
from sessions_app.storage.archives import spooled
from sessions_app.uploads import storage
from sessions_app.uploads.kinds import SNIFFED_BYTES, kind_of
from sessions_app.workers.sandbox.deployment import deployment
from sessions_app.workers.shared.lease import Keeper, run_with_keeper
from tools_app.policies.current import current_policies
from tools_app.text import clean_value

LEASE: Final = timedelta(seconds=30)
MAX_ATTEMPTS: Final = 3
UNPACK_TIMEOUT: Final = 600.0  # seconds
MAX_ANSWER_BYTES: Final = 1 << 16
CONTENT_SHARE: Final = 2
"""The unpacked files may use this part (a half) of the disk limit, because git's objects and the packages that set-up
installs have to fit as well."""
FAILED: Final = "The site could not check the upload ({reason}). Try again later."
State = Upload.State

logger = structlog.get_logger(__name__)


class Superseded(Exception):
    """Raised when another worker has taken over the check of an upload, or a person has deleted the upload."""


def check_upload(upload_id: uuid.UUID, *, node: str) -> None:
    """Unpack an upload and store the result, or the reason why it is refused. Does nothing while another worker checks
    the upload."""
    upload = _claim(upload_id, node=node)
    if upload is None:
        return
    try:
        _check(upload)
    except Superseded:
        logger.info("upload_check_superseded", upload=upload.public_id)
    except (SandboxError, OSError) as error:
        logger.warning("upload_check_failed", upload=upload.public_id, error=repr(error))
        if upload.attempts >= MAX_ATTEMPTS:
            reason = getattr(error, "message", type(error).__name__)
            _finish(upload, state=State.REFUSED, problem=FAILED.format(reason=reason))


def _claim(upload_id: uuid.UUID, *, node: str) -> Upload | None:
    """Acquire the lease of an upload, and return the upload. Returns None if another worker holds the lease, if the
    upload is not waiting for its check, or after `MAX_ATTEMPTS`."""
    now, token = timezone.now(), uuid.uuid4().hex
    with sqlite_write_lock():
        rows = Upload.objects.filter(pk=upload_id, state=State.CHECKING).exclude(lease_until__gt=now)
        row = rows.first()
        if row is None or not rows.filter(attempts=row.attempts).update(
            lease_token=token, lease_until=now + LEASE, attempts=row.attempts + 1, node=node
        ):
            return None
    row.refresh_from_db()
    if row.attempts <= MAX_ATTEMPTS:
        return row
    _finish(row, state=State.REFUSED, problem=FAILED.format(reason="the check ended unexpectedly several times"))
    return None


def _check(upload: Upload) -> None:
    with _container(upload) as (runtime, limits), spooled() as file:
        facts = background.run(run_with_keeper(_unpack(runtime, upload, limits), _LeaseKeeper(upload)))
        if "refused" in facts:
            _finish(upload, state=State.REFUSED, problem=str(facts["refused"]))
            return
        size = 0

        async def write(piece: bytes) -> None:
            nonlocal size
            size += len(piece)
            await sync_to_async(file.write, thread_sensitive=False)(piece)

        archived = runtime.archive(write, limit=limits.disk_mib << 20)
        background.run(run_with_keeper(archived, _LeaseKeeper(upload)))
        name = storage.save_archive(upload, file)
        if not _finish(upload, state=State.READY, facts=facts, archive=name, archive_size=size):
            storage.delete_archive(name)


@contextmanager
def _container(upload: Upload) -> Iterator[tuple[Runtime, Limits]]:
    """Start an empty container with the limits of the team's workspaces; at the end, remove it with its files."""
    if not settings.SANDBOX_IMAGE:
        raise SandboxUnavailable("this node has no sandboxes")
    policy = current_policies(team_id=upload.team_id).sandbox()
    name = upload.public_id
    spec = SandboxSpec(
        workspace_id=name,
        image=settings.SANDBOX_IMAGE,
        runtime=policy.runtime or settings.SANDBOX_RUNTIME,
        limits=policy.limits,
        labels={"team": to_public("tea", upload.team_id), "workspace": name},
    )
    background.run(deployment().remove(name, files=True))  # what a worker that died has left
    try:
        yield background.run(deployment().ensure(spec)), policy.limits
    finally:
        background.run(deployment().remove(name, files=True))


async def _unpack(runtime: Runtime, upload: Upload, limits: Limits) -> dict[str, Any]:
    """Send the uploaded file to the program that unpacks it in the container, and return the program's answer."""
    parts = storage.read_parts(upload)
    read = sync_to_async(lambda: next(parts, b""), thread_sensitive=False)
    part = await read()
    options = {
        "kind": kind_of(part[:SNIFFED_BYTES]),
        "size": upload.size,
        "max_bytes": (limits.disk_mib << 20) // CONTENT_SHARE,
        "max_entries": limits.inodes // CONTENT_SHARE,
        "disk_mib": limits.disk_mib,
    }
    program = files("sessions_app.uploads").joinpath("unpack.py").read_text()
    argv = ("python3", "-I", "-c", program, json.dumps(options))
    process = await runtime.open_process(ProcessRequest("upload", argv))
    try:
        async with asyncio.timeout(UNPACK_TIMEOUT):
            with suppress(SandboxLost):  # the program has ended early, and says why
                while part:
                    await process.send(part)
                    part = await read()
            return await _answer(process)
    except TimeoutError:
        return {"refused": f"The upload could not be unpacked within {UNPACK_TIMEOUT:.0f} s."}
    finally:
        process.close()


async def _answer(process: Process) -> dict[str, Any]:
    """Parse the output of the unpacking program. The program ran as the tool user, so nothing in its output is
    trusted."""
    printed = b""
    while piece := await process.receive():
        printed = (printed + piece)[:MAX_ANSWER_BYTES]
    end = process.end
    try:
        answer = json.loads(printed)
        if "refused" in answer:
            return {"refused": clean_value(str(answer["refused"])[:1000])}
        counts = {name: max(0, int(answer[name])) for name in ("files", "bytes", "left_out")}
        return {**counts, "kind": str(answer["kind"])[:16], "branch": clean_value(str(answer["branch"])[:200])}
    except (ValueError, KeyError, TypeError):
        logger.warning("upload_unpacked_badly", exit_code=end and end.exit_code, words=end and end.words[-500:])
        return {"refused": "The upload could not be unpacked within the limits of a workspace (memory_mib, disk_mib)."}


class _LeaseKeeper(Keeper):
    def __init__(self, upload: Upload) -> None:
        self._mine = Upload.objects.filter(pk=upload.pk, lease_token=upload.lease_token, state=State.CHECKING)

    def renew(self) -> None:
        if not self._mine.update(lease_until=timezone.now() + LEASE):
            raise Superseded


def _finish(upload: Upload, **news: Any) -> bool:
    """Store the result of an upload's check, and delete the upload's stored parts. Returns False if another worker has
    taken over the check."""
    mine = Upload.objects.filter(pk=upload.pk, lease_token=upload.lease_token, state=State.CHECKING)
    with sqlite_write_lock():
        if not mine.update(lease_token="", lease_until=None, parts=[], moved_at=timezone.now(), **news):
            return False
    storage.delete_parts(upload)
    return True


def delete_upload(upload_id: uuid.UUID, *, node: str) -> None:
    """Delete the files of an upload that is marked for deletion, then its row."""
    upload = Upload.objects.filter(pk=upload_id, state=State.DELETING).first()
    if upload is None:
        return
    storage.delete_parts(upload)
    storage.delete_archives(upload)
    with sqlite_write_lock():
        Upload.objects.filter(pk=upload_id, state=State.DELETING).delete()
    logger.info("upload_deleted", upload=upload.public_id, node=node)
