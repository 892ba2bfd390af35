"""The storage of uploads: parts are stored beside the attachments, because web servers can write there, and checked
uploads beside the archives of workspaces."""

import uuid
from collections.abc import Iterator
from typing import IO, Final

from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

from agentsite.base.ids import to_public
from sessions_app.storage.archives import SpooledFile, archive_storage
from sessions_app.storage.attachments import attachment_storage
from sessions_app.uploads.models import Upload

PART_BYTES: Final = 8 << 20
"""Size of each part except the last; a request of the web server has at most 16 MiB."""


def folder_of(upload: Upload) -> str:
    return "/".join((to_public("tea", upload.team_id), "uploads", upload.public_id))


def save_part(upload: Upload, offset: int, content: bytes) -> str:
    """Store a part of the uploaded file under a name that no other attempt uses, and return the name."""
    name = f"{folder_of(upload)}/{offset:015d}-{uuid.uuid4().hex[:8]}"
    return attachment_storage().save(name, ContentFile(content))


def delete_part(name: str) -> None:
    attachment_storage().delete(name)


def read_parts(upload: Upload) -> Iterator[bytes]:
    """Yield the stored parts of an upload in order. Raises FileNotFoundError if a part is missing."""
    for name in upload.parts:
        with attachment_storage().open(name) as file:
            yield file.read()


def delete_parts(upload: Upload) -> None:
    """Delete all stored parts of an upload, including parts from attempts that are not recorded in its row."""
    storage, folder = attachment_storage(), folder_of(upload)
    try:
        _, names = storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        storage.delete(f"{folder}/{name}")
    if isinstance(storage, FileSystemStorage):
        storage.delete(folder)


def save_archive(upload: Upload, file: IO[bytes]) -> str:
    """Move a complete spooled archive into the storage and return its name there."""
    file.flush()
    file.seek(0)
    name = f"{folder_of(upload)}-{uuid.uuid4().hex[:8]}.tar.gz"
    return archive_storage().save(name, SpooledFile(file, name=str(file.name)))


def delete_archive(name: str) -> None:
    archive_storage().delete(name)


def delete_archives(upload: Upload) -> None:
    """Delete all archives of an upload, including an archive whose worker died before it recorded the name."""
    storage = archive_storage()
    folder, _, own = folder_of(upload).rpartition("/")
    try:
        _, names = storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        if name.startswith(f"{own}-"):
            storage.delete(f"{folder}/{name}")
