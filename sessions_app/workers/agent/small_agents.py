"""Send one request to an agent without tools that uses a small model, and return its answer."""

import asyncio
import uuid
from typing import Final

from agentsite.base.background import background
from agentsite.base.errors import Missing
from agentsite.base.ids import new_id
from sessions_app.agent.answer import ModelAnswer
from sessions_app.agent.built_in import DRAFT, SUMMARY, TITLE
from sessions_app.agent.definitions import AgentDefinition, request_options
from sessions_app.agents import effective_agents
from sessions_app.llm.port import LlmError, LlmUnavailable, ModelRequest
from sessions_app.model_endpoints import default_models
from sessions_app.models import ModelCall, Part, Session
from sessions_app.spending.reservations import BudgetExceeded, billing_of
from sessions_app.workers.agent.model_calls import metered_small_call
from sessions_app.workers.agent.provider_keys import endpoint_for, gateway

TIMEOUT_SECONDS: Final = 180.0  # seconds; shorter than the time after which `settle_abandoned` considers a call dead
PURPOSES: Final = {
    TITLE.name: ModelCall.Purpose.TITLE,
    SUMMARY.name: ModelCall.Purpose.SUMMARY,
    DRAFT.name: ModelCall.Purpose.DRAFT,
}


class SmallAgentFailed(Exception):
    """The agent is disabled, its model failed, or a budget has no room. The message says why."""


def ask_small_agent(
    name: str,
    session: Session,
    text: str,
    *,
    max_tokens: int,
    payer_id: uuid.UUID | None,
    timeout_seconds: float = TIMEOUT_SECONDS,
) -> str:
    """Return the answer of an agent without tools to a text, billed to a person. Raises SmallAgentFailed."""
    agent = effective_agents(session).get(name)
    if agent is None:
        raise SmallAgentFailed(f"The agent '{name}' is disabled.")
    answer = ModelAnswer(new_id)
    try:
        request = _request(agent, session, text, max_tokens)
        billing = billing_of(session, user_id=payer_id)
        with metered_small_call(billing, request, PURPOSES[name], answer) as paid:
            background.run(_read(answer, paid.request, timeout_seconds))
    except LlmError as error:
        raise SmallAgentFailed(error.message) from error
    except (BudgetExceeded, Missing) as error:
        raise SmallAgentFailed(str(error)) from error
    return "".join(part.text for part in answer.parts if part.type == Part.Type.TEXT)


def _request(agent: AgentDefinition, session: Session, text: str, max_tokens: int) -> ModelRequest:
    return ModelRequest(
        endpoint=endpoint_for(session, agent.model or default_models(session)[1]),
        messages=[{"role": "system", "content": agent.prompt}, {"role": "user", "content": text}],
        temperature=agent.temperature,
        top_p=agent.top_p,
        max_tokens=max_tokens,
        options=request_options(agent.options, agent.variant),
    )


async def _read(answer: ModelAnswer, request: ModelRequest, timeout_seconds: float) -> None:
    try:
        async with asyncio.timeout(timeout_seconds):
            async for event in gateway.stream(request):
                answer.add(event)
    except TimeoutError:
        raise LlmUnavailable("The model took too long.") from None
