"""Copies of a workspace's files, made by the worker of its node when a turn has ended or somebody asked for one.

Nothing waits for a copy: it gives way to calls and turns, and `sweep_copies` has it tried again within a minute.
"""

import threading
import time
import uuid
from collections import defaultdict
from typing import IO, Final

import structlog
from asgiref.sync import sync_to_async
from django.utils import timezone

from agentsite.background import background
from sandbox.limits import Limits
from sessions_app.actions.archives import Copy, confirm_copy, gives_way, is_due, keep_copy
from sessions_app.archive_storage import archive_storage, delete_old, spooled, store
from sessions_app.models import Workspace
from sessions_app.queueing import forget_archive
from sessions_app.tasks import node as this_node

MIB: Final = 1 << 20
GLANCE: Final = 0.5  # seconds between two looks at whether it must give way

logger = structlog.get_logger(__name__)
_copying: Final[defaultdict[uuid.UUID, threading.Lock]] = defaultdict(threading.Lock)


class Postponed(Exception):
    """Somebody works in the workspace now."""


def archive(workspace_id: uuid.UUID, *, wanted: bool, node: str) -> None:
    """Make a copy if one is due, or if it is `wanted`. Never raises: what fails is tried again after the next turn."""
    forget_archive(workspace_id)
    workspace = Workspace.objects.select_related("project").filter(pk=workspace_id, node=node).first()
    if workspace is None or not workspace.seeded or not (wanted or is_due(workspace, timezone.now())):
        return
    if not _copying[workspace_id].acquire(blocking=wanted):
        return
    try:
        _copy(workspace, wanted=wanted)
    except Postponed:
        logger.debug("archive_postponed", workspace=workspace.public_id)
    except Exception as error:  # noqa: BLE001 - storages raise what they like, and no copy is worth a worker
        logger.warning("archive_failed", workspace=workspace.public_id, error=repr(error))
    finally:
        _copying[workspace_id].release()


def _copy(workspace: Workspace, *, wanted: bool) -> None:
    runtime = this_node.runtime_of(workspace)
    at = timezone.now()
    if not wanted and workspace.archive and background.run(runtime.archive_state()) == workspace.archived_state:
        confirm_copy(workspace, at=at)
        return
    with spooled() as file:
        spool = Spool(file, None if wanted else workspace)
        summary = background.run(runtime.archive(spool.take, limit=_limit(workspace)))
        copy = Copy(store(workspace, file), spool.size, summary.state, at)
    if not keep_copy(workspace, copy):
        archive_storage().delete(copy.name)
        return
    workspace.archive = copy.name
    delete_old(workspace)
    if workspace.state == Workspace.State.REMOVING:
        background.run(this_node.deployment().stop(workspace.public_id))
    logger.info("archived", workspace=workspace.public_id, size=copy.size, left_out=summary.left_out)


def _limit(workspace: Workspace) -> int:
    """As much as its disk may hold."""
    return int(workspace.limits.get("disk_mib") or Limits().disk_mib) * MIB


class Spool:
    """Takes the pieces of a copy to the disk, and looks now and then whether its workspace is wanted for better."""

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
