"""Archives of a workspace's files, created by the worker of its node after a turn or on request.

Nothing waits for an archive. It is postponed while calls or turns run, and `enqueue_missed_archives` retries it within
a minute.
"""

import time
import uuid
from typing import IO, Final

import structlog
from asgiref.sync import sync_to_async
from django.utils import timezone

from agentsite.base.background import background
from agentsite.base.threads import KeyedLocks
from sessions_app.actions.archives import Archive, confirm_archive, is_due, must_wait, record_archive
from sessions_app.models import Workspace
from sessions_app.queueing import forget_archive_request
from sessions_app.storage.archives import archive_storage, delete_old, release_archive, spooled, store
from sessions_app.workers.sandbox import deployment as this_node

CHECK_INTERVAL: Final = 0.5  # seconds between two checks whether it must be postponed

logger = structlog.get_logger(__name__)
_archive_locks: Final = KeyedLocks[uuid.UUID]()


class Postponed(Exception):
    """The archive is postponed, because a call or turn uses the workspace now."""


def archive(workspace_id: uuid.UUID, *, wanted: bool, node: str) -> None:
    """Create an archive of a workspace's files if one is due or `wanted`. Never raises: a failed archive is retried
    after the next turn."""
    forget_archive_request(workspace_id)
    workspace = Workspace.objects.select_related("project").filter(pk=workspace_id, node=node).first()
    if workspace is None or not workspace.seeded or not (wanted or is_due(workspace, timezone.now())):
        return
    if not _archive_locks[workspace_id].acquire(blocking=wanted):
        return
    try:
        _make(workspace, wanted=wanted)
    except Postponed:
        logger.debug("archive_postponed", workspace=workspace.public_id)
    except Exception as error:  # noqa: BLE001 - storages raise any error; the worker must survive
        logger.warning("archive_failed", workspace=workspace.public_id, error=repr(error))
    finally:
        _archive_locks[workspace_id].release()


def _make(workspace: Workspace, *, wanted: bool) -> None:
    runtime = this_node.runtime_of(workspace)
    at = timezone.now()
    if not wanted and workspace.archive and background.run(runtime.archive_state()) == workspace.archived_state:
        confirm_archive(workspace, at=at)
        return
    with spooled() as file:
        spool = Spool(file, None if wanted else workspace)
        summary = background.run(runtime.archive(spool.write, limit=this_node.disk_bytes(workspace), with_undo=True))
        made = Archive(store(workspace, file), spool.size, summary.state, at)
    if not record_archive(workspace, made):
        archive_storage().delete(made.name)
        return
    before, workspace.archive = workspace.archive, made.name
    delete_old(workspace)
    release_archive(workspace, before)
    if workspace.state == Workspace.State.REMOVING:
        background.run(this_node.deployment().stop(workspace.public_id))
    logger.info("archived", workspace=workspace.public_id, size=made.size, left_out=summary.left_out)


class Spool:
    """A writer of an archive's pieces to disk. It checks periodically whether calls or turns need the workspace
    `yielding_to`, and then raises Postponed."""

    def __init__(self, file: IO[bytes], yielding_to: Workspace | None) -> None:
        self.size = 0
        self._file = file
        self._workspace = yielding_to
        self._checked_at = time.monotonic()

    async def write(self, piece: bytes) -> None:
        await sync_to_async(self._write_piece, thread_sensitive=False)(piece)

    def _write_piece(self, piece: bytes) -> None:
        if self._workspace and time.monotonic() - self._checked_at > CHECK_INTERVAL:
            self._checked_at = time.monotonic()
            if must_wait(self._workspace, timezone.now()):
                raise Postponed
        self._file.write(piece)
        self.size += len(piece)
