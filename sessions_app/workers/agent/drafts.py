"""Write drafts of commit messages and pull requests for other processes, which do not have the API keys of model
providers."""

import time
import uuid
from typing import Any, Final

import structlog
from channels.layers import get_channel_layer

from agentsite.base.background import background
from sessions_app.agent.built_in import DRAFT
from sessions_app.models import Session
from sessions_app.repositories.drafts.asking import MODEL_SECONDS
from sessions_app.workers.agent.small_agents import SmallAgentFailed, ask_small_agent

MAX_TOKENS: Final = 800

logger = structlog.get_logger(__name__)


def answer_draft(session_id: uuid.UUID, *, payer_id: uuid.UUID, text: str, until: float, reply_to: str) -> None:
    """Let the agent `draft` answer a text, and send {"ok": {text}} or {"ok": {problem}} on the private reply channel.
    Does nothing if the requester no longer waits."""
    if time.time() > until:
        return
    session = Session.objects.select_related("project", "workspace").filter(pk=session_id).first()
    if session is not None:
        answer = _answer(session, payer_id, text)
        background.run(get_channel_layer().send(reply_to, {"type": "draft.answer", "ok": answer}))


def _answer(session: Session, payer_id: uuid.UUID, text: str) -> dict[str, Any]:
    try:
        answer = ask_small_agent(
            DRAFT.name, session, text, max_tokens=MAX_TOKENS, payer_id=payer_id, timeout_seconds=MODEL_SECONDS
        )
    except SmallAgentFailed as error:
        logger.info("draft_failed", session=str(session.pk), error=str(error))
        return {"problem": str(error)}
    return {"text": answer}
