"""Write titles and summaries with agents that have no tools. Nothing waits for this work."""

import asyncio
import uuid
from typing import Final

import structlog

from agentsite.base.background import background
from agentsite.base.errors import Missing
from agentsite.base.ids import new_id
from sessions_app.actions.sessions import name_session, summarize_session
from sessions_app.agent.answer import ModelAnswer
from sessions_app.agent.built_in import SUMMARY, TITLE
from sessions_app.agent.compaction import summary_request
from sessions_app.agent.definitions import request_options
from sessions_app.agents import effective_agents
from sessions_app.llm.port import LlmError, LlmUnavailable, ModelRequest
from sessions_app.model_endpoints import default_models
from sessions_app.models import Message, ModelCall, Part, Session, Turn
from sessions_app.spending.reservations import BudgetExceeded, billing_of
from sessions_app.workers.agent.history import load_messages, load_summary
from sessions_app.workers.agent.metering import metered_small_call
from sessions_app.workers.agent.provider_keys import endpoint_for, gateway

MAX_PROMPT_CHARACTERS: Final = 4_000  # characters of the first message that a title is made from
SUMMARIZED_TOKENS: Final = 8_000  # tokens of the conversation that a summary is made from
MAX_SUMMARY_CHARACTERS: Final = 2_000  # characters
TIMEOUT_SECONDS: Final = 180.0  # seconds; shorter than the time after which `settle_abandoned` considers a call dead
PURPOSES: Final = {TITLE.name: ModelCall.Purpose.TITLE, SUMMARY.name: ModelCall.Purpose.SUMMARY}

logger = structlog.get_logger(__name__)


def write_title(session_id: uuid.UUID) -> None:
    """Name a session after its first message. If no title can be generated, its first words are used."""
    session = Session.objects.select_related("project", "workspace").filter(pk=session_id).first()
    first = _first_words(session_id)
    if session is None or not first:
        return
    title = _ask(TITLE.name, session, first[:MAX_PROMPT_CHARACTERS], max_tokens=60)
    name_session(session_id, title=_one_line(title) or _one_line(first)[:60])


def _first_words(session_id: uuid.UUID) -> str:
    """Return the first words of the first prompt, with the names of its files."""
    first = Message.objects.filter(session_id=session_id, role=Message.Role.USER).order_by("id").first()
    parts = Part.objects.filter(message=first, type__in=(Part.Type.TEXT, Part.Type.FILE)).order_by("index")
    return "\n".join(part.text or part.data.get("attachment", {}).get("name", "") for part in parts).strip()


def write_summary(session_id: uuid.UUID, *, payer_id: uuid.UUID | None = None) -> None:
    """Write a short summary of what was done in a session, billed to the person who requested it."""
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
    """Return the answer of an agent without tools, or "" if the agent is disabled or its model fails.

    Without `payer_id` the call is billed to the person who was billed last.
    """
    agent = effective_agents(session).get(name)
    if agent is None:
        return ""
    try:
        place = endpoint_for(session, agent.model or default_models(session)[1])
    except LlmError as error:
        logger.info("small_agent_failed", agent=name, session=str(session.pk), error=error.message)
        return ""
    request = ModelRequest(
        endpoint=place,
        messages=[{"role": "system", "content": agent.prompt}, {"role": "user", "content": text}],
        temperature=agent.temperature,
        top_p=agent.top_p,
        max_tokens=max_tokens,
        options=request_options(agent.options, agent.variant),
    )
    answer = ModelAnswer(new_id)
    billing = billing_of(session, user_id=payer_id or _last_billed_person(session))
    try:
        with metered_small_call(billing, request, PURPOSES[name], answer) as paid:
            background.run(_read(answer, paid.request))
        return "".join(part.text for part in answer.parts if part.type == Part.Type.TEXT)
    except (LlmError, BudgetExceeded, Missing) as error:
        logger.info("small_agent_failed", agent=name, session=str(session.pk), error=str(error))
        return ""


def _last_billed_person(session: Session) -> uuid.UUID | None:
    last = Turn.objects.filter(session=session).order_by("-id").only("payer_id", "started_by_id").first()
    return (last and (last.payer_id or last.started_by_id)) or session.created_by_id


def _one_line(text: str) -> str:
    return " ".join(text.split()).strip("\"'")[:100]


async def _read(answer: ModelAnswer, request: ModelRequest) -> None:
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            async for event in gateway.stream(request):
                answer.add(event)
    except TimeoutError:
        raise LlmUnavailable("The model took too long.") from None
