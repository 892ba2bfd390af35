"""The storage of attachment contents: a directory or a bucket, never the database.

A file is named `<team>/<project>/<session>/<attachment>` with ids only; the name given by a person or tool is not used.
"""

from collections.abc import Iterable
from contextlib import suppress

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage

from agentsite.base.ids import to_public
from sessions_app.models import Attachment, Session
from sessions_app.storage.backends import open_storage


def attachment_storage() -> Storage:
    return open_storage(
        "ATTACHMENT_STORAGE",
        settings.ATTACHMENT_STORAGE,
        key=settings.ATTACHMENT_S3_KEY,
        secret=settings.ATTACHMENT_S3_SECRET,
    )


def storage_name(session: Session, public_id: str) -> str:
    """Return the name of an attachment in the storage. `session` must be loaded with its project."""
    project = session.project
    return "/".join((to_public("tea", project.team_id), to_public("prj", project.pk), session.public_id, public_id))


def store(place: str, content: bytes) -> None:
    attachment_storage().save(place, ContentFile(content))


def read(place: str) -> bytes:
    """Return the content of an attachment. Raises FileNotFoundError if it does not exist."""
    with attachment_storage().open(place) as file:
        content: bytes = file.read()
    return content


def delete(place: str) -> None:
    """Delete the file of an attachment if it exists. The session's folder is deleted with its last file."""
    storage = attachment_storage()
    storage.delete(place)
    if isinstance(storage, FileSystemStorage):
        with suppress(OSError):
            storage.delete(place.rpartition("/")[0])


def read_all(rows: Iterable[Attachment]) -> dict[str, bytes]:
    """Return the contents of attachments by public id; those whose files no longer exist are left out."""
    found: dict[str, bytes] = {}
    for row in rows:
        try:
            found[row.public_id] = read(row.place)
        except FileNotFoundError:
            continue
    return found
