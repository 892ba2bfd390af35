"""Resolve a model to its endpoint, context window and prices, and call it.

Only the agent worker can decrypt the keys of providers.
"""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from asgiref.sync import sync_to_async
from django.conf import settings

from agentsite.base.ids import from_public
from agentsite.tenancy.actions.providers import note_state
from agentsite.tenancy.encryption import CannotUnseal, unseal
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.agent.compaction import Window
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import LlmError, LlmRefused, ModelEndpoint, ModelEvent, ModelRequest
from sessions_app.llm.prices import ModelFacts, model_facts
from sessions_app.model_endpoints import provider_endpoint, site_endpoint, usable_model
from sessions_app.models import Session
from sessions_app.workers.agent.renewed_keys import ProviderCredentials
from tools_app.web.rules import WebRules


def endpoint_for(session: Session, model: str) -> ModelEndpoint:
    """Return the endpoint of the session's model, including the key.

    Raises ModelNotOffered if the model may not be used, and LlmRefused if the key cannot be decrypted.
    `session.project` must be loaded.
    """
    found = usable_model(session, model)
    if found.provider is None:
        return replace(site_endpoint(model), api_key=settings.MODEL_API_KEY)
    return with_key(provider_endpoint(found.provider, found.declared), found.provider)


def with_key(endpoint: ModelEndpoint, provider: Provider) -> ModelEndpoint:
    if KINDS[provider.kind].needs_key and not provider.sealed_key:
        raise _key_missing(f"The provider '{provider.name}' has no key.")
    try:
        key = unseal(provider.sealed_key) if provider.sealed_key else ""
        headers = json.loads(unseal(provider.sealed_headers)) if provider.sealed_headers else {}
    except CannotUnseal:
        raise _key_missing(f"The key of the provider '{provider.name}' cannot be decrypted by this site.") from None
    return replace(endpoint, api_key=key, headers=headers)


def _key_missing(words: str) -> LlmRefused:
    hint = "An admin of the team sets it under Providers. Then send the message again."
    return LlmRefused(words, hint=hint, about="key")


def facts_of(endpoint: ModelEndpoint) -> ModelFacts:
    """Return the model's sizes and prices, as far as they are known."""
    return model_facts(endpoint)


def provider_of(endpoint: ModelEndpoint) -> str:
    """Return the public id of the provider that charges for the model, or "site"."""
    return endpoint.provider


def window_of(endpoint: ModelEndpoint, reserved: int | None = None) -> Window:
    """Return the model's context window, of which `reserved` tokens stay free for the answer. Sizes that people entered
    take precedence over the table of models."""
    facts = model_facts(endpoint)
    from_settings = settings.MODEL_CONTEXT if endpoint.is_of_site and endpoint.model == settings.MODEL_NAME else 0
    return Window.of(from_settings or facts.context, facts.max_output, reserved)


class StateRecordingGateway(ModelGateway):
    """A ModelGateway that stores whether each team provider works: every error that the provider's settings cause, and
    the first answer after an error or before any test."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        endpoint, heard = request.endpoint, False
        try:
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    if not heard and endpoint.unverified:
                        await _record_result(endpoint, None)
                    heard = True
                    yield event
        except LlmError as error:
            if error.about:
                await _record_result(endpoint, error)
            raise


async def _record_result(endpoint: ModelEndpoint, error: LlmError | None) -> None:
    if not endpoint.is_of_site:
        await sync_to_async(_store_result, thread_sensitive=False)(endpoint.provider, error)


def _store_result(provider: str, error: LlmError | None) -> None:
    note_state(from_public(Provider.PREFIX, provider), None if error is None else problem_of(error))


def problem_of(error: LlmError) -> dict[str, str]:
    return {
        "code": f"{error.code}.{error.about}" if error.about else error.code,
        "message": error.message,
        "hint": error.hint,
    }


gateway: Final = StateRecordingGateway(
    rules=lambda: WebRules.exempting(settings.PROVIDER_ALLOW), credentials=ProviderCredentials()
)
