"""Keep the system prompts that answers were made with."""

from typing import Final

from agentsite.base.prepared import insert_rows
from sessions_app.agent.sent_prompt import SentPrompt
from sessions_app.models import Session, SystemPrompt

MAX_KEPT: Final = 100
"""System prompts of one session. They differ by day, agent, model and instructions."""


def keep_system_prompt(session: Session, prompt: SentPrompt) -> None:
    """Make the prompt the session's last system prompt. If it differs from the one before, which is rare, this costs
    one statement.

    Call it under the session's lock; the caller saves the session's row.
    """
    row_id = SystemPrompt.id_in(session.pk, prompt.digest)
    if session.system_prompt_id == row_id:
        return
    row = SystemPrompt(
        pk=row_id,
        session=session,
        text=prompt.text,
        blocks=prompt.described_blocks(),
        tools=prompt.described_tools(),
    )
    insert_rows([row], unique="id", replacing=["created_at"])
    session.system_prompt_id = row_id


def forget_old_prompts(session: Session) -> None:
    """Delete all but the newest system prompts of a session. Their answers remain, without a system prompt."""
    rows = SystemPrompt.objects.filter(session=session)
    oldest = rows.order_by("-created_at").values_list("id", flat=True)[MAX_KEPT:]
    rows.filter(id__in=set(oldest) - {session.system_prompt_id}).delete()
