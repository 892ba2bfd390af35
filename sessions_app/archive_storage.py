"""Where archives of workspaces lie: a directory of this machine, or a bucket that speaks S3.

An archive is `<team>/<project>/<workspace>/<generation>-<time>.tar.gz`, so names sort by age. What is written is
complete or not there: a directory gets its files by renaming, a bucket shows an object when all of it has arrived.
"""

import importlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage

from agentsite.ids import to_public
from sessions_app.models import Workspace

KEPT: Final = 2
"""Archives of a workspace; older ones are deleted."""
PIECE: Final = 1 << 20
ABANDONED: Final = 24 * 3600.0  # seconds after which a spooled file belongs to a worker that is gone
NO_S3: Final = (
    "ARCHIVE_STORAGE names a bucket, and the package for it is not installed. Install the site with the extra 's3'"
    " (django-storages and boto3), or use a file:// address."
)


class SpooledFile(File):  # type: ignore[type-arg]
    """A complete file of this machine: a storage on the same disk takes it by renaming."""

    def temporary_file_path(self) -> str:
        return str(self.name)


def archive_storage() -> Storage:
    return _storage(settings.ARCHIVE_STORAGE)


def is_near() -> bool:
    """Whether every process of this machine can read the archives; a bucket's keys are the sandbox worker's alone."""
    return urlsplit(settings.ARCHIVE_STORAGE).scheme == "file"


@lru_cache(maxsize=4)
def _storage(address: str) -> Storage:
    parts = urlsplit(address)
    if parts.scheme == "file" and not parts.netloc and parts.path:
        folder = Path(unquote(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return FileSystemStorage(folder, file_permissions_mode=0o600, directory_permissions_mode=0o700)
    if parts.scheme == "s3" and parts.netloc:
        return _bucket(parts.netloc, parts.path.strip("/"), parse_qs(parts.query).get("endpoint", [None])[0])
    raise ImproperlyConfigured("ARCHIVE_STORAGE must be file:///directory or s3://bucket/prefix?endpoint=https://...")


def _bucket(name: str, prefix: str, endpoint: str | None) -> Storage:
    try:
        module: Any = importlib.import_module("storages.backends.s3")
    except ImportError as error:
        raise ImproperlyConfigured(NO_S3) from error
    storage: Storage = module.S3Storage(
        bucket_name=name,
        location=prefix,
        endpoint_url=endpoint,
        access_key=settings.ARCHIVE_S3_KEY or None,
        secret_key=settings.ARCHIVE_S3_SECRET or None,
        default_acl=None,
        file_overwrite=False,
    )
    return storage


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
            if path.stat().st_mtime < time.time() - ABANDONED:
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


def delete_old(workspace: Workspace, *, kept: int = KEPT) -> None:
    """All but the newest, and the one that the row names."""
    names = names_of(workspace)
    for name in names[: max(0, len(names) - kept)]:
        if name != workspace.archive or not kept:
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
