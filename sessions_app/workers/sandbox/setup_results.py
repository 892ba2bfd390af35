"""Store the files that a run of set-up created, and put them into later workspaces of the project that have the same
script, lock files and image."""

import time
import uuid
from collections.abc import Iterable
from typing import Final

import structlog
from asgiref.sync import sync_to_async

from agentsite.base.background import background
from agentsite.base.ids import to_public
from agentsite.base.sqlite_lock import sqlite_write_lock
from sandbox.ports import Runtime
from sessions_app.actions.setups import mark_setup
from sessions_app.actions.workspace_notes import note_workspace
from sessions_app.models import SetupResult, Workspace
from sessions_app.storage.archives import SpooledFile, archive_storage, read_pieces, spooled
from sessions_app.workers.sandbox import deployment as this_node

KEPT: Final = 3  # results of one project
CLOCK_GRAIN_NS: Final = 10_000_000
"""Nanoseconds by which the timestamps of files may be behind the clock."""

logger = structlog.get_logger(__name__)


def reuse_result(workspace: Workspace, runtime: Runtime) -> bool:
    """Restore the files that an earlier set-up with the same key created, into a new workspace in which nothing has
    run. Returns False if nothing was restored. A stored result that cannot be restored is deleted, so set-up runs."""
    if workspace.setup["state"] != Workspace.SetupState.DUE:
        return False
    result = SetupResult.objects.filter(project=workspace.project_id, key=workspace.setup["key"]).first()
    if result is None:
        return False
    began = time.monotonic()
    limit = 2 * this_node.disk_bytes(workspace)
    try:
        with this_node.deployment().at_full_speed(workspace.public_id):
            summary = background.run(runtime.restore(read_pieces(result.archive), limit=limit, keep_files=True))
    except Exception as error:  # noqa: BLE001 - storages raise any error; set-up then simply runs
        logger.warning("setup_result_unusable", workspace=workspace.public_id, error=repr(error))
        _delete([result])
        return False
    seconds = time.monotonic() - began
    mark_setup(workspace, Workspace.SetupState.REUSED, after=result.after, seconds=round(seconds, 3))
    text = f"The workspace has the result of an earlier set-up ({seconds:.1f} s)."
    note_workspace(workspace.pk, "setup", text, data={"key": result.key, "seconds": round(seconds, 3)})
    logger.info("setup_reused", workspace=workspace.public_id, entries=summary.entries, seconds=round(seconds, 3))
    return True


async def keep_result(workspace: Workspace, runtime: Runtime, *, started_at: float, key: str, after: str) -> int:
    """Archive the files created since `started_at` (Unix time) as the result of set-up with this key. Returns the size
    of the archive in bytes."""
    since_ns = int(started_at * 1e9) - CLOCK_GRAIN_NS
    with spooled() as file:
        size = 0

        async def write(piece: bytes) -> None:
            nonlocal size
            size += len(piece)
            await sync_to_async(file.write, thread_sensitive=False)(piece)

        await runtime.archive(write, limit=this_node.disk_bytes(workspace), since_ns=since_ns)
        file.flush()
        spool = SpooledFile(file, name=str(file.name))
        await sync_to_async(_store, thread_sensitive=False)(workspace, spool, size, key, after)
    return size


def _store(workspace: Workspace, file: SpooledFile, size: int, key: str, after: str) -> None:
    project = workspace.project
    folder = "/".join((to_public("tea", project.team_id), project.public_id, "setups"))
    file.seek(0)
    name = archive_storage().save(f"{folder}/{key}.tar.gz", file)
    before = SetupResult.objects.filter(project=project, key=key).first()
    with sqlite_write_lock():
        fields = {"after": after, "archive": name, "size": size}
        SetupResult.objects.update_or_create(project=project, key=key, defaults=fields)
    if before is not None and before.archive != name:
        archive_storage().delete(before.archive)
    _delete(SetupResult.objects.filter(project=project).order_by("-id")[KEPT:])


def delete_results(project_id: uuid.UUID) -> None:
    """Delete the stored files of all runs of set-up of a project that is being deleted."""
    _delete(SetupResult.objects.filter(project=project_id))


def _delete(results: Iterable[SetupResult]) -> None:
    for result in list(results):
        archive_storage().delete(result.archive)
        with sqlite_write_lock():
            SetupResult.objects.filter(pk=result.pk).delete()
