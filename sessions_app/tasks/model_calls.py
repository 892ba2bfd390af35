"""Where models are, what fits into them and what a call has cost, by the site's settings."""

from decimal import Decimal
from typing import Final

from django.conf import settings

from sessions_app.actions.turns import Spent
from sessions_app.agent.answer import Answer
from sessions_app.agent.compaction import Window
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import ModelEndpoint, Usage
from sessions_app.llm.prices import cost, model_facts
from sessions_app.model_traits import model_kind

gateway: Final = ModelGateway()


def endpoint(model: str) -> ModelEndpoint:
    return ModelEndpoint(
        kind=model_kind(),
        model=model,
        base_url=settings.MODEL_BASE_URL,
        api_key=settings.MODEL_API_KEY,
    )


def window_of(place: ModelEndpoint) -> Window:
    """What people said of the site's model counts more than what the table of models knows."""
    facts = model_facts(place)
    said = settings.MODEL_CONTEXT if place.model == settings.MODEL_NAME else 0
    return Window.of(said or facts.context, facts.max_output)


def spent(answer: Answer, place: ModelEndpoint) -> Spent:
    usage = answer.usage or Usage()
    price = cost(usage, model_facts(place))
    tokens = {name: getattr(usage, name) for name in ("input", "output", "reasoning", "cache_read", "cache_write")}
    return Spent(tokens, price or Decimal(0), limit=window_of(place).usable or 0)
