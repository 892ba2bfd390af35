"""Have the agent worker test a provider or ask it for its models: only that process can decrypt the provider's key."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from agentsite.base.error_codes import ErrorCode
from sessions_app.queries.live import send_query
from sessions_app.queueing import enqueue_model_search, enqueue_provider_check, enqueue_sign_in

SIGN_IN_TIMEOUT: Final = 45.0  # seconds
CHECK_TIMEOUT: Final = 75.0  # seconds: the worker may have to load litellm first


async def request_check(provider_id: uuid.UUID, model: str) -> Any:
    """Let an agent worker test a provider, and return the report {ok, checks: [{name, ok, message, hint}], models}.
    Raises Unavailable if no worker answers in time."""
    return await _ask_worker(
        partial(enqueue_provider_check, provider_id, model=model),
        CHECK_TIMEOUT,
        "No agent worker tested the provider in time.",
    )


async def request_models(provider_id: uuid.UUID) -> Any:
    """Let an agent worker ask a provider for its models, and return {models, others, problem}; `others` is the number
    of models that are left out. Raises Unavailable if no worker answers in time."""
    return await _ask_worker(
        partial(enqueue_model_search, provider_id), CHECK_TIMEOUT, "No agent worker asked the provider in time."
    )


async def request_sign_in(provider_id: uuid.UUID, *, begin: bool, actor_id: uuid.UUID) -> Any:
    """Begin or continue the sign-in at a provider, and return its state, as in `ProviderSignIn`. Raises Unavailable if
    no worker answers in time."""
    return await _ask_worker(
        partial(enqueue_sign_in, provider_id, begin=begin, actor_id=actor_id),
        SIGN_IN_TIMEOUT,
        "No agent worker answered in time.",
    )


async def _ask_worker(enqueue: Callable[..., None], timeout_seconds: float, silence: str) -> Any:
    return await send_query(
        enqueue,
        timeout_seconds,
        silence,
        ErrorCode.PROVIDER_CHECK_SILENT,
        hint="The workers may be busy or down. Nothing has changed; try again in a minute.",
    )
