"""One step of a turn: what the agent worker does between taking the turn's lease and giving it back."""

import random
import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from agentsite.background import background
from agentsite.errors import Missing
from sessions_app.actions.sessions import name_session
from sessions_app.actions.turns import LeaseLost, Spent, Step, begin_step, fail_turn, finish_step, retry_step
from sessions_app.agent.answer import Answer
from sessions_app.agent.definitions import AGENTS, BUILD, TITLE
from sessions_app.agent.given_form import with_form_wanted
from sessions_app.agent.prompt import Surroundings, system_prompt
from sessions_app.attached import fill_in
from sessions_app.history import history
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import LlmError, ModelEndpoint, ModelRequest, TextDelta, ToolDefinition, Usage
from sessions_app.llm.prices import cost, model_facts
from sessions_app.llm.retry import Retry, decide_retry
from sessions_app.model_traits import model_kind, traits_of
from sessions_app.models import Message, Part, Session
from sessions_app.tasks.stream import collect_answer
from sessions_app.toolset import listed_skills, offer_context, offered_tools

OUR_FAULT: Final = {
    "code": "internal_error",
    "message": "The step failed on our side.",
    "hint": "Send the message again. If it happens again, tell the people who run this site.",
}
gateway: Final = ModelGateway()
logger = structlog.get_logger(__name__)


def advance(turn_id: uuid.UUID) -> None:
    """Run the turn's next step, if it is due and nobody else does."""
    step = begin_step(turn_id, token=uuid.uuid4().hex, model=settings.MODEL_NAME)
    if step is None:
        return
    try:
        _take(step)
    except (LeaseLost, Missing):
        logger.info("step_dropped", turn=str(turn_id), step=step.number)


def _take(step: Step) -> None:
    try:
        request = _build_request(step)
        keeper = background.run(collect_answer(step, request, gateway.stream))
        finish_step(step, keeper.answer, _spent(keeper.answer, request.endpoint), opened=keeper.opened)
    except LlmError as error:
        _after_failure(step, error)
    except (LeaseLost, Missing, OperationalError, InterfaceError):  # the database is away: `recover` tries again
        raise
    except Exception as error:  # else it would be tried for ever
        logger.error("step_failed", turn=str(step.turn_id), step=step.number, exc_info=error)
        fail_turn(step, error=OUR_FAULT)


def _after_failure(step: Step, error: LlmError) -> None:
    verdict = decide_retry(error, failures=step.attempt + 1, jitter=random.random())  # noqa: S311 - not a secret
    if isinstance(verdict, Retry):
        retry_step(step, message=error.message, delay=verdict.delay)
    else:
        fail_turn(step, error={"code": error.code, "message": error.message, "hint": error.hint or verdict.reason})


def _build_request(step: Step) -> ModelRequest:
    session = step.session
    agent = AGENTS.get(step.agent, BUILD)
    around = Surroundings(
        project=session.project.name,
        model=step.model,
        today=timezone.now().date(),
        instructions=session.workspace.instructions,
        skills=listed_skills(session),
    )
    system = {"role": "system", "content": system_prompt(agent, around)}
    said = history.load(step.session_id, before=step.message_id)
    messages = [system, *fill_in(said, traits_of(step.model), session_id=step.session_id)]
    in_form = step.turn.output_schema is not None
    return ModelRequest(
        endpoint=_endpoint(step.model),
        messages=with_form_wanted(messages) if in_form else messages,
        tools=_offered_tools(session, step),
        must_call=in_form,
        temperature=agent.temperature,
    )


def _offered_tools(session: Session, step: Step) -> Sequence[ToolDefinition]:
    offers = offered_tools(session, offer_context(session, step.model, step.turn.output_schema))
    return [ToolDefinition(offer.name, offer.description, offer.schema) for offer in offers]


def _endpoint(model: str) -> ModelEndpoint:
    return ModelEndpoint(
        kind=model_kind(),
        model=model,
        base_url=settings.MODEL_BASE_URL,
        api_key=settings.MODEL_API_KEY,
    )


def _spent(answer: Answer, endpoint: ModelEndpoint) -> Spent:
    usage = answer.usage or Usage()
    price = cost(usage, model_facts(endpoint))
    tokens = {name: getattr(usage, name) for name in ("input", "output", "reasoning", "cache_read", "cache_write")}
    return Spent(tokens, price or Decimal(0))


def write_title(session_id: uuid.UUID) -> None:
    """Name a session after its first message. A title is a comfort: without one, the message's first words serve."""
    first = _first_words(session_id)
    if not first:
        return
    request = ModelRequest(
        endpoint=_endpoint(settings.SMALL_MODEL_NAME),
        messages=[{"role": "system", "content": TITLE.prompt}, {"role": "user", "content": first[:4000]}],
        temperature=TITLE.temperature,
        max_tokens=60,
    )
    try:
        title = background.run(_read_text(request))
    except LlmError as error:
        logger.info("title_failed", session=str(session_id), error=error.message)
        title = ""
    name_session(session_id, title=_one_line(title) or _one_line(first)[:60])


def _first_words(session_id: uuid.UUID) -> str:
    """Of the first prompt, with the names of its files."""
    first = Message.objects.filter(session_id=session_id, role=Message.Role.USER).order_by("id").first()
    parts = Part.objects.filter(message=first).order_by("index")
    return "\n".join(part.text or part.data.get("attachment", {}).get("name", "") for part in parts).strip()


def _one_line(text: str) -> str:
    return " ".join(text.split()).strip("\"'")[:100]


async def _read_text(request: ModelRequest) -> str:
    pieces: list[Any] = [event async for event in gateway.stream(request)]
    return "".join(event.text for event in pieces if isinstance(event, TextDelta))
