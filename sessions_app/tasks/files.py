"""Where the tools of one session keep and find attached files."""

import uuid

from asgiref.sync import sync_to_async

from agentsite.errors import Missing, SiteError
from agentsite.ids import from_public
from sessions_app.actions.attachments import keep_attachment
from sessions_app.attached import load_contents
from sessions_app.models import Attachment, Session
from tools_app import spec
from tools_app.attachable import NotAttachable, clean_name, inspect
from tools_app.spec import ToolError


class SessionFiles:
    """A FileStore. Called on the background loop; queries and storage are used in threads."""

    def __init__(self, session_id: uuid.UUID) -> None:
        self._session_id = session_id

    async def put(self, name: str, media_type: str, data: bytes) -> spec.Attachment:
        """The content decides what it is, whatever `media_type` says."""
        return await sync_to_async(self._put, thread_sensitive=False)(clean_name(name), data)

    async def describe(self, attachment_id: str) -> spec.Attachment:
        return await sync_to_async(self._describe, thread_sensitive=False)(attachment_id)

    async def get(self, attachment_id: str) -> bytes:
        return await sync_to_async(self._get, thread_sensitive=False)(attachment_id)

    def _put(self, name: str, data: bytes) -> spec.Attachment:
        session = Session.objects.select_related("project").get(pk=self._session_id)
        try:
            return _named(keep_attachment(session, name, data, inspect(name, data)))
        except NotAttachable as error:
            raise ToolError(f"{error.message} {error.hint}") from error
        except SiteError as error:
            raise ToolError(error.message) from error

    def _describe(self, attachment_id: str) -> spec.Attachment:
        return _named(self._find(attachment_id))

    def _get(self, attachment_id: str) -> bytes:
        row = self._find(attachment_id)
        content = load_contents(self._session_id, [attachment_id]).get(attachment_id)
        if content is None:
            raise ToolError(f"{row.name} is not kept any more. Ask for it to be attached again.")
        return content

    def _find(self, attachment_id: str) -> Attachment:
        try:
            key = from_public(Attachment.PREFIX, attachment_id)
            return Attachment.objects.get(pk=key, session_id=self._session_id)
        except (Missing, Attachment.DoesNotExist) as error:
            raise ToolError(f"Nothing of the id {attachment_id[:60]} is attached to this conversation.") from error


def _named(row: Attachment) -> spec.Attachment:
    return {
        "id": row.public_id,
        "name": row.name,
        "media_type": row.media_type,
        "size": row.size,
        "width": row.width,
        "height": row.height,
    }
