"""Where models are, what fits into them and what they cost. Only the agent worker has the keys."""

import json
from dataclasses import replace
from typing import Final

from django.conf import settings

from agentsite.tenancy.encryption import CannotUnseal, unseal
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.agent.compaction import Window
from sessions_app.llm.port import LlmRefused, ModelEndpoint
from sessions_app.llm.prices import ModelFacts, model_facts
from sessions_app.model_endpoints import provider_place, site_place, usable_model
from sessions_app.models import Session
from sessions_app.workers.agent.provider_gateway import NotingGateway
from tools_app.web.rules import WebRules

gateway: Final = NotingGateway(rules=lambda: WebRules.exempting(settings.PROVIDER_ALLOW))


def endpoint_for(session: Session, model: str) -> ModelEndpoint:
    """Where the session's model is, key included. Raises ModelNotOffered when it may not be used (any more), and
    LlmRefused when the key cannot be read. Reads `session.project`."""
    found = usable_model(session, model)
    if found.provider is None:
        return replace(site_place(model), api_key=settings.MODEL_API_KEY)
    return with_key(provider_place(found.provider, found.said), found.provider)


def with_key(place: ModelEndpoint, provider: Provider) -> ModelEndpoint:
    if KINDS[provider.kind].needs_key and not provider.sealed_key:
        raise _key_missing(f"The provider '{provider.name}' has no key.")
    try:
        key = unseal(provider.sealed_key) if provider.sealed_key else ""
        headers = json.loads(unseal(provider.sealed_headers)) if provider.sealed_headers else {}
    except CannotUnseal:
        raise _key_missing(f"The key of the provider '{provider.name}' cannot be read on this site any more.") from None
    return replace(place, api_key=key, headers=headers)


def _key_missing(words: str) -> LlmRefused:
    hint = "An admin of the team sets it under Providers. Then send the message again."
    return LlmRefused(words, hint=hint, about="key")


def facts_of(place: ModelEndpoint) -> ModelFacts:
    """Its sizes and prices, as far as they are known."""
    return model_facts(place)


def provider_of(place: ModelEndpoint) -> str:
    """Who is paid: the public id of a provider, or "site"."""
    return place.provider


def window_of(place: ModelEndpoint) -> Window:
    """What people said of a model counts more than what the table of models knows."""
    facts = model_facts(place)
    said = settings.MODEL_CONTEXT if place.is_of_site and place.model == settings.MODEL_NAME else 0
    return Window.of(said or facts.context, facts.max_output)
