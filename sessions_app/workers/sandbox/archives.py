"""Archives of a workspace's files, made by the worker of its node when a turn has ended or somebody asked for one.

Nothing waits for an archive: it gives way to calls and turns, and `sweep_archives` has it tried again within a minute.
"""

import threading
import time
import uuid
from collections import defaultdict
from typing import IO, Final

import structlog
from asgiref.sync import sync_to_async
from django.utils import timezone

from agentsite.base.background import background
from sessions_app.actions.archives import Archive, confirm_archive, gives_way, is_due, keep_archive
from sessions_app.models import Workspace
from sessions_app.queueing import forget_archive
from sessions_app.storage.archives import archive_storage, delete_old, let_go_of_archive, spooled, store
from sessions_app.workers.sandbox import deployment as this_node

GLANCE: Final = 0.5  # seconds between two looks at whether it must give way

logger = structlog.get_logger(__name__)
_making: Final[defaultdict[uuid.UUID, threading.Lock]] = defaultdict(threading.Lock)


class Postponed(Exception):
    """Somebody works in the workspace now."""


def archive(workspace_id: uuid.UUID, *, wanted: bool, node: str) -> None:
    """Make one if it is due, or if it is `wanted`. Never raises: what fails is tried again after the next turn."""
    forget_archive(workspace_id)
    workspace = Workspace.objects.select_related("project").filter(pk=workspace_id, node=node).first()
    if workspace is None or not workspace.seeded or not (wanted or is_due(workspace, timezone.now())):
        return
    if not _making[workspace_id].acquire(blocking=wanted):
        return
    try:
        _make(workspace, wanted=wanted)
    except Postponed:
        logger.debug("archive_postponed", workspace=workspace.public_id)
    except Exception as error:  # noqa: BLE001 - storages raise what they like, and no archive is worth a worker
        logger.warning("archive_failed", workspace=workspace.public_id, error=repr(error))
    finally:
        _making[workspace_id].release()


def _make(workspace: Workspace, *, wanted: bool) -> None:
    runtime = this_node.runtime_of(workspace)
    at = timezone.now()
    if not wanted and workspace.archive and background.run(runtime.archive_state()) == workspace.archived_state:
        confirm_archive(workspace, at=at)
        return
    with spooled() as file:
        spool = Spool(file, None if wanted else workspace)
        summary = background.run(runtime.archive(spool.take, limit=this_node.disk_bytes(workspace)))
        made = Archive(store(workspace, file), spool.size, summary.state, at)
    if not keep_archive(workspace, made):
        archive_storage().delete(made.name)
        return
    before, workspace.archive = workspace.archive, made.name
    delete_old(workspace)
    let_go_of_archive(workspace, before)
    if workspace.state == Workspace.State.REMOVING:
        background.run(this_node.deployment().stop(workspace.public_id))
    logger.info("archived", workspace=workspace.public_id, size=made.size, left_out=summary.left_out)


class Spool:
    """Takes the pieces of an archive to the disk, and looks now and then whether its workspace is wanted for better."""

    def __init__(self, file: IO[bytes], gives_way_to: Workspace | None) -> None:
        self.size = 0
        self._file = file
        self._workspace = gives_way_to
        self._looked = time.monotonic()

    async def take(self, piece: bytes) -> None:
        await sync_to_async(self._take, thread_sensitive=False)(piece)

    def _take(self, piece: bytes) -> None:
        if self._workspace and time.monotonic() - self._looked > GLANCE:
            self._looked = time.monotonic()
            if gives_way(self._workspace, timezone.now()):
                raise Postponed
        self._file.write(piece)
        self.size += len(piece)
