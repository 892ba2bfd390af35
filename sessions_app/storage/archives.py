"""The storage of workspace archives: a local directory or an S3 bucket.

An archive is named `<team>/<project>/<workspace>/<generation>-<time>.tar.gz`, so names sort by age. Writes are atomic:
a directory gets files by renaming, and a bucket shows an object only when it is complete.
"""

import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage
from django.db.models import Q

from agentsite.base.ids import from_public, to_public
from sessions_app.models import Workspace
from sessions_app.storage.backends import open_storage

KEPT_ARCHIVES: Final = 2
"""The number of archives of a workspace that are kept; older archives are deleted."""
CHUNK_BYTES: Final = 1 << 20
ABANDONED_AFTER_SECONDS: Final = 24 * 3600.0  # an older spooled file was left by a worker that died


class SpooledFile(File):  # type: ignore[type-arg]
    """A complete local file. A storage on the same disk moves such a file into place instead of copying it."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def archive_storage() -> Storage:
    return open_storage(
        "ARCHIVE_STORAGE", settings.ARCHIVE_STORAGE, key=settings.ARCHIVE_S3_KEY, secret=settings.ARCHIVE_S3_SECRET
    )


def is_local() -> bool:
    """Return whether every process of this machine can read the archives. If the archives are in a bucket, only the
    sandbox worker has its keys."""
    return urlsplit(settings.ARCHIVE_STORAGE).scheme == "file"


@contextmanager
def spooled() -> Iterator[IO[bytes]]:
    """Yield a temporary file into which an archive is written before it is put into the storage. The file is deleted at
    the end of the block, unless the storage has moved it."""
    folder: Path = settings.SPOOL_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _delete_abandoned(folder)
    descriptor, name = tempfile.mkstemp(suffix=".part", dir=folder)
    os.close(descriptor)
    try:
        with Path(name).open("w+b") as file:
            yield file
    finally:
        Path(name).unlink(missing_ok=True)


def _delete_abandoned(folder: Path) -> None:
    for path in folder.glob("*.part"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - ABANDONED_AFTER_SECONDS:
                path.unlink()


def store(workspace: Workspace, file: IO[bytes]) -> str:
    """Move a complete spooled file into the storage and return its name there."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    name = f"{folder_of(workspace)}/{workspace.generation:06d}-{moment}.tar.gz"
    file.flush()
    os.fsync(file.fileno())
    file.seek(0)
    return archive_storage().save(name, SpooledFile(file, name=str(file.name)))


def folder_of(workspace: Workspace) -> str:
    project = workspace.project
    return "/".join((to_public("tea", project.team_id), to_public("prj", project.pk), workspace.public_id))


def delete_old(workspace: Workspace, *, kept: int = KEPT_ARCHIVES) -> None:
    """Delete the archives of a workspace, except the newest `kept`, the archive recorded in the workspace's row (unless
    `kept` is 0), and archives that forks start from."""
    names = names_of(workspace)
    old = names[: max(0, len(names) - kept)]
    others = Workspace.objects.exclude(pk=workspace.pk).filter(archive__in=old)
    needed = {*others.values_list("archive", flat=True), *([workspace.archive] if kept else [])}
    for name in old:
        if name not in needed:
            archive_storage().delete(name)


def release_archive(workspace: Workspace, name: str) -> None:
    """Delete an archive that a workspace no longer uses. An archive that the workspace itself made is kept. The first
    archive of a fork was made by another workspace: it is deleted if that workspace is gone and no other fork uses
    it."""
    if not name or name.startswith(f"{folder_of(workspace)}/"):
        return
    maker = from_public(Workspace.PREFIX, name.split("/")[-2])
    if not Workspace.objects.exclude(pk=workspace.pk).filter(Q(pk=maker) | Q(archive=name)).exists():
        archive_storage().delete(name)


def names_of(workspace: Workspace) -> list[str]:
    """Return the names of the workspace's archives, oldest first."""
    folder = folder_of(workspace)
    try:
        _, files = archive_storage().listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(f"{folder}/{name}" for name in files)


async def read_pieces(name: str) -> AsyncIterator[bytes]:
    """Yield a stored archive in chunks, read in threads. Raises FileNotFoundError if it does not exist."""
    file = await sync_to_async(archive_storage().open, thread_sensitive=False)(name, "rb")
    read = sync_to_async(file.read, thread_sensitive=False)
    try:
        while piece := await read(CHUNK_BYTES):
            yield piece
    finally:
        await sync_to_async(file.close, thread_sensitive=False)()
