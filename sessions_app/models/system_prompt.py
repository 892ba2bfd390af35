"""System prompts as they were sent to models."""

import uuid

from django.db import models

from sessions_app.models.audience import SessionBoundQuerySet
from sessions_app.models.base import AnyRow, Row


class SystemPromptQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class SystemPrompt(Row):
    """A system prompt that answers of a session were made with. Equal prompts of one session share a row.

    `blocks` are its parts in order, as {kind, name, names, tokens} (`sessions_app.agent.sent_prompt`); `tools` are the
    tools that were offered with it, as {name, tokens}. The tokens are estimated.
    """

    PREFIX = "spr"

    session = models.ForeignKey("sessions_app.Session", on_delete=models.CASCADE, related_name="system_prompts")
    text = models.TextField()
    blocks = models.JSONField(default=list)
    tools = models.JSONField(default=list)

    objects = SystemPromptQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)

    @staticmethod
    def id_in(session_id: uuid.UUID, digest: bytes) -> uuid.UUID:
        """Return the id of the session's row for a prompt with this digest of 16 bytes."""
        return uuid.UUID(int=session_id.int ^ int.from_bytes(digest, "big"))

    @staticmethod
    def id_of_copy(row: "SystemPrompt", session_id: uuid.UUID) -> uuid.UUID:
        """Return the id of the same prompt in another session."""
        return uuid.UUID(int=row.pk.int ^ row.session_id.int ^ session_id.int)
