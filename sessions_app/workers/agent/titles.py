"""Write titles and summaries with agents that have no tools. No turn waits for them."""

import uuid
from typing import Final

import structlog

from agentsite.base.ids import new_id
from sessions_app.actions.sessions import name_session, summarize_session
from sessions_app.agent.built_in import SUMMARY, TITLE
from sessions_app.agent.compaction import summary_request
from sessions_app.models import Message, Part, Session, Turn
from sessions_app.queries.sent_messages import load_messages, load_summary
from sessions_app.workers.agent.small_agents import SmallAgentFailed, ask_small_agent

MAX_PROMPT_CHARACTERS: Final = 4_000  # characters of the first message that a title is made from
SUMMARIZED_TOKENS: Final = 8_000  # tokens of the conversation that a summary is made from
MAX_SUMMARY_CHARACTERS: Final = 2_000  # characters

logger = structlog.get_logger(__name__)


def write_title(session_id: uuid.UUID) -> None:
    """Name a session after its first message. If no title can be generated, the first words of the message are used."""
    session = Session.objects.select_related("project", "workspace").filter(pk=session_id).first()
    first = _first_prompt(session_id)
    if session is None or not first:
        return
    title = _ask(TITLE.name, session, first[:MAX_PROMPT_CHARACTERS], max_tokens=60)
    name_session(session_id, title=_one_line(title) or _one_line(first)[:60])


def _first_prompt(session_id: uuid.UUID) -> str:
    """Return the text of a session's first prompt, with the names of the attached files."""
    first = Message.objects.filter(session_id=session_id, role=Message.Role.USER).order_by("id").first()
    parts = Part.objects.filter(message=first, type__in=(Part.Type.TEXT, Part.Type.FILE)).order_by("index")
    return "\n".join(part.text or part.data.get("attachment", {}).get("name", "") for part in parts).strip()


def write_summary(session_id: uuid.UUID, *, payer_id: uuid.UUID | None = None) -> None:
    """Write a short summary of a session, billed to the person who requested it."""
    session = Session.objects.select_related("project", "workspace").filter(pk=session_id).first()
    if session is None:
        return
    now = new_id()
    notes = load_summary(session_id, before=now)
    stored = load_messages(session_id, after=notes.last_covered_id if notes else None, before=now)
    text = summary_request(
        [message for _, message in stored], earlier=notes.text if notes else "", budget=SUMMARIZED_TOKENS
    )
    summary = _ask(SUMMARY.name, session, text, max_tokens=400, payer_id=payer_id).strip()
    if summary:
        summarize_session(session_id, summary=summary[:MAX_SUMMARY_CHARACTERS])


def _ask(name: str, session: Session, text: str, *, max_tokens: int, payer_id: uuid.UUID | None = None) -> str:
    """Return the answer of an agent without tools; "" if the agent is disabled or its model fails.

    Without `payer_id` the call is billed to the person to whom the session's newest turn is billed.
    """
    payer_id = payer_id or _last_billed_person(session)
    try:
        return ask_small_agent(name, session, text, max_tokens=max_tokens, payer_id=payer_id)
    except SmallAgentFailed as error:
        logger.info("small_agent_failed", agent=name, session=str(session.pk), error=str(error))
        return ""


def _last_billed_person(session: Session) -> uuid.UUID | None:
    last = Turn.objects.filter(session=session).order_by("-id").only("payer_id", "started_by_id").first()
    return (last and (last.payer_id or last.started_by_id)) or session.created_by_id


def _one_line(text: str) -> str:
    return " ".join(text.split()).strip("\"'")[:100]
