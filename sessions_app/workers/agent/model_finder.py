"""Ask a provider which models it has, for the people who configure it."""

import asyncio
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from channels.layers import get_channel_layer

from agentsite.base.background import background
from agentsite.base.error_codes import ErrorCode
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_document import MAX_MODELS
from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.llm.port import LlmError, LlmUnavailable
from sessions_app.model_endpoints import provider_endpoint
from sessions_app.workers.agent.provider_keys import gateway, problem_of, with_key

TIMEOUT_SECONDS: Final = 60.0


def answer_find(provider_id: uuid.UUID, reply_to: str) -> None:
    """Ask a provider for its models and send {"ok": result} on the private reply channel, or {"error": ...} if the
    provider was deleted."""
    provider = Provider.objects.filter(pk=provider_id).first()
    answer: dict[str, Any] = {"error": {"code": ErrorCode.NOT_FOUND, "message": "This provider was deleted."}}
    if provider is not None:
        answer = {"ok": find_provider_models(provider)}
    background.run(get_channel_layer().send(reply_to, {"type": "provider.answer", **answer}))


def find_provider_models(provider: Provider) -> Mapping[str, Any]:
    """Return the models that a provider has: {models, others, problem}. `others` is the number of models that are left
    out, because they cannot hold a conversation or the list is too long; `problem` says why there are none, or is
    None."""
    try:
        found = background.run(_found(provider))
    except LlmError as error:
        return {"models": [], "others": 0, "problem": problem_of(error)}
    models = [asdict(model) for model in found if model.chats][:MAX_MODELS]
    return {"models": models, "others": len(found) - len(models), "problem": None}


async def _found(provider: Provider) -> Any:
    endpoint = with_key(provider_endpoint(provider, {"name": "none"}), provider)
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await gateway.find_models(endpoint, KINDS[provider.kind].server)
    except TimeoutError:
        raise LlmUnavailable("The provider did not answer in time.", hint="Try again in a minute.") from None
