"""Where archives of workspaces lie: a directory of this machine, or a bucket that speaks S3.

An archive is `<team>/<project>/<workspace>/<generation>-<time>.tar.gz`, so names sort by age. What is written is
complete or not there: a directory gets its files by renaming, a bucket shows an object when all of it has arrived.
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
"""How many archives of a workspace are kept; older ones are deleted."""
PIECE: Final = 1 << 20
ABANDONED_AFTER_SECONDS: Final = 24 * 3600.0  # an older spooled file was left by a worker that died


class SpooledFile(File):  # type: ignore[type-arg]
    """A complete file of this machine: a storage on the same disk takes it by renaming."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def archive_storage() -> Storage:
    return open_storage(
        "ARCHIVE_STORAGE", settings.ARCHIVE_STORAGE, key=settings.ARCHIVE_S3_KEY, secret=settings.ARCHIVE_S3_SECRET
    )


def is_near() -> bool:
    """Whether every process of this machine can read the archives; a bucket's keys are the sandbox worker's alone."""
    return urlsplit(settings.ARCHIVE_STORAGE).scheme == "file"


@contextmanager
def spooled() -> Iterator[IO[bytes]]:
    """A file to write an archive into before it is stored; gone at the end unless the storage took it."""
    folder: Path = settings.SPOOL_DIR
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _forget_abandoned(folder)
    descriptor, name = tempfile.mkstemp(suffix=".part", dir=folder)
    os.close(descriptor)
    try:
        with Path(name).open("w+b") as file:
            yield file
    finally:
        Path(name).unlink(missing_ok=True)


def _forget_abandoned(folder: Path) -> None:
    for path in folder.glob("*.part"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - ABANDONED_AFTER_SECONDS:
                path.unlink()


def store(workspace: Workspace, file: IO[bytes]) -> str:
    """Put a complete spooled file into the storage; its name there."""
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
    """All but the newest, the one that the row names, and those that forks have their files from."""
    names = names_of(workspace)
    old = names[: max(0, len(names) - kept)]
    others = Workspace.objects.exclude(pk=workspace.pk).filter(archive__in=old)
    needed = {*others.values_list("archive", flat=True), *([workspace.archive] if kept else [])}
    for name in old:
        if name not in needed:
            archive_storage().delete(name)


def release_archive(workspace: Workspace, name: str) -> None:
    """The workspace needs this archive no more, which may be of another, whose files it began with. Delete it if that
    one is gone and no other fork has its files from it; else it goes with that one's own."""
    if not name or name.startswith(f"{folder_of(workspace)}/"):
        return
    maker = from_public(Workspace.PREFIX, name.split("/")[-2])
    if not Workspace.objects.exclude(pk=workspace.pk).filter(Q(pk=maker) | Q(archive=name)).exists():
        archive_storage().delete(name)


def names_of(workspace: Workspace) -> list[str]:
    """The stored archives of a workspace, the oldest first."""
    folder = folder_of(workspace)
    try:
        _, files = archive_storage().listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(f"{folder}/{name}" for name in files)


async def read_pieces(name: str) -> AsyncIterator[bytes]:
    """A stored archive, a piece at a time; the reading is done in threads. FileNotFoundError when it is not there."""
    file = await sync_to_async(archive_storage().open, thread_sensitive=False)(name, "rb")
    read = sync_to_async(file.read, thread_sensitive=False)
    try:
        while piece := await read(PIECE):
            yield piece
    finally:
        await sync_to_async(file.close, thread_sensitive=False)()
