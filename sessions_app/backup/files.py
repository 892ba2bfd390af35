"""Files outside the database that its rows refer to: attachments, archives of workspaces, and the sealing keys."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage

from sessions_app.models import Attachment, Upload, Workspace
from sessions_app.storage.archives import archive_storage
from sessions_app.storage.attachments import attachment_storage

KEYS: Final = "keys"


@dataclass(frozen=True, slots=True)
class FileStorage:
    """A file storage of the site. `address` is the setting that names its directory or bucket."""

    name: str
    address: str

    @property
    def is_local(self) -> bool:
        """Return whether the files are in a local directory. Files in a bucket are backed up with the tools of the
        bucket's provider, because this program has no keys for the bucket."""
        return urlsplit(self.address).scheme == "file"

    def open(self) -> Storage:
        return attachment_storage() if self.name == "attachments" else archive_storage()

    def referenced_names(self) -> Iterator[str]:
        """Yield the names of the files that rows refer to."""
        if self.name == "attachments":
            yield from Attachment.objects.values_list("place", flat=True).iterator()
        else:
            for rows in (Workspace.objects, Upload.objects):
                yield from rows.exclude(archive="").values_list("archive", flat=True).iterator()


def file_storages() -> list[FileStorage]:
    return [FileStorage("attachments", settings.ATTACHMENT_STORAGE), FileStorage("archives", settings.ARCHIVE_STORAGE)]


def copy_out(shelf: FileStorage, folder: Path) -> list[Path]:
    """Copy the files of a storage to the folder and return the paths of the copies. Stored files never change, so
    copies from an earlier backup are not replaced. Files that are missing in the storage are skipped, and copies that
    no database row refers to are deleted from the folder."""
    storage, kept = shelf.open(), set()
    for name in shelf.referenced_names():
        target = folder / shelf.name / name
        kept.add(target)
        if not target.exists() and storage.exists(name):
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = target.with_name(f"{target.name}.new")
            with storage.open(name) as source, temporary.open("wb") as file:
                shutil.copyfileobj(source, file)
            temporary.replace(target)
    for path in sorted((folder / shelf.name).rglob("*"), reverse=True):
        if path.is_file() and path not in kept:
            path.unlink()
    return sorted(path for path in kept if path.exists())


def copy_in(shelf: FileStorage, folder: Path) -> int:
    storage, count = shelf.open(), 0
    for name in shelf.referenced_names():
        source = folder / shelf.name / name
        if source.is_file() and not storage.exists(name):
            with source.open("rb") as file:
                storage.save(name, File(file))
            count += 1
    return count


def copy_keys(source: Path, target: Path) -> list[Path]:
    """Copy the key files of a single-machine site; other sites have their keys in the settings. Existing files are
    never overwritten."""
    copied = []
    for path in sorted(source.glob("*")) if source.is_dir() else ():
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = target / path.name
        if not place.exists():
            place.touch(mode=0o600)
            place.write_bytes(path.read_bytes())
        copied.append(place)
    return copied
