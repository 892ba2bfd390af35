"""Where models are, what fits into them and what they cost, by the site's settings."""

from typing import Final

from django.conf import settings

from sessions_app.agent.compaction import Window
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import ModelEndpoint
from sessions_app.llm.prices import ModelFacts, model_facts
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


def facts_of(place: ModelEndpoint) -> ModelFacts:
    """Its sizes and prices, as far as they are known."""
    return model_facts(place)


def provider_of(_place: ModelEndpoint) -> str:
    """Who is paid: the public id of a provider, or "site"."""
    return "site"
