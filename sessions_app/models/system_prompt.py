"""System prompts as they were sent to models."""

import uuid
from typing import TYPE_CHECKING, Final

from django.db import models

from agentsite.base.prepared import insert_rows
from sessions_app.models.base import AnyRow, Row, SessionBoundQuerySet

if TYPE_CHECKING:
    from sessions_app.agent.context import SentPrompt
    from sessions_app.models.session import Session

MAX_KEPT: Final = 100
"""The most system prompts of one session that are kept. They differ by day, agent, model and instructions."""


class SystemPromptQuerySet(SessionBoundQuerySet[AnyRow]):
    pass


class SystemPrompt(Row):
    """A system prompt that was sent to models for answers of a session. Equal prompts of one session share a row.

    `blocks` are its parts in order, as {kind, name, names, tokens} (`sessions_app.agent.context`); `tools` are the
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

    @classmethod
    def keep(cls, session: "Session", prompt: "SentPrompt") -> None:
        """Set the session's last system prompt to `prompt`. If it differs from the last one, which is rare, this runs
        one more database statement.

        Call it under the session's lock; the caller saves the session's row.
        """
        row_id = uuid.UUID(int=session.pk.int ^ int.from_bytes(prompt.digest, "big"))
        if session.system_prompt_id == row_id:
            return
        row = cls(
            pk=row_id,
            session=session,
            text=prompt.text,
            blocks=prompt.described_blocks(),
            tools=prompt.described_tools(),
        )
        insert_rows([row], unique="id", replacing=["created_at"])
        session.system_prompt_id = row_id

    @classmethod
    def forget_old(cls, session: "Session") -> None:
        """Delete all but the newest system prompts of a session. The answers made with deleted prompts remain."""
        rows = cls.objects.filter(session=session)
        oldest = rows.order_by("-created_at").values_list("id", flat=True)[MAX_KEPT:]
        rows.filter(id__in=set(oldest) - {session.system_prompt_id}).delete()

    @staticmethod
    def id_of_copy(row: "SystemPrompt", session_id: uuid.UUID) -> uuid.UUID:
        """Return the id that a copy of the system prompt has in the session `session_id`."""
        return uuid.UUID(int=row.pk.int ^ row.session_id.int ^ session_id.int)
