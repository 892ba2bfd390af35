"""Test a provider for the people who configure it: whether it can be reached, accepts the key, and answers with its
model."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final, cast

from channels.layers import get_channel_layer

from agentsite.base.background import background
from agentsite.base.error_codes import ErrorCode
from agentsite.tenancy.actions.providers import note_state
from agentsite.tenancy.models import Provider
from agentsite.tenancy.provider_kinds import KINDS
from sessions_app.llm.port import Finished, LlmError, LlmUnavailable, ModelEndpoint, ModelEvent, ModelRequest
from sessions_app.model_endpoints import provider_endpoint
from sessions_app.workers.agent.provider_keys import gateway, problem_of, with_key

TIMEOUT_SECONDS: Final = 60.0
TEST_PROMPT: Final = "Answer with the word ok."
MAX_LISTED_MODELS: Final = 500


def answer_check(provider_id: uuid.UUID, model: str, reply_to: str) -> None:
    """Test a provider and send {"ok": report}, or {"error": ...} if it was deleted, on the private reply channel."""
    provider = Provider.objects.filter(pk=provider_id).first()
    answer: dict[str, Any] = {"error": {"code": ErrorCode.NOT_FOUND, "message": "This provider was deleted."}}
    if provider is not None:
        answer = {"ok": check_provider(provider, model)}
    background.run(get_channel_layer().send(reply_to, {"type": "provider.answer", **answer}))


def check_provider(provider: Provider, model: str) -> dict[str, Any]:
    """Test the provider, store the result as its state, and return the report."""
    report = _Report()
    try:
        background.run(_run_checks(provider, model, report))
    except LlmError as error:
        report.add_failure(error)
        note_state(provider.pk, problem_of(error))
    else:
        note_state(provider.pk, None)
    return report.as_dict()


class _Report:
    def __init__(self) -> None:
        self.checks: list[dict[str, Any]] = []
        self.models: list[str] = []
        self.now = "address"

    def add_success(self, message: str) -> None:
        self.checks.append({"name": self.now, "ok": True, "message": message, "hint": ""})

    def add_failure(self, error: LlmError) -> None:
        name = {"key": "key", "credit": "key", "address": "address", "tls": "address"}.get(error.about, self.now)
        self.checks.append({"name": name, "ok": False, "message": error.message, "hint": error.hint})

    def as_dict(self) -> dict[str, Any]:
        ok = bool(self.checks) and all(check["ok"] for check in self.checks)
        return {"ok": ok, "checks": self.checks, "models": self.models}


async def _run_checks(provider: Provider, model: str, report: _Report) -> None:
    kind = KINDS[provider.kind]
    declared = next((one for one in provider.model_list if model in ("", one["name"])), None)
    declared = declared or ({"name": model} if model else None)
    endpoint = with_key(provider_endpoint(provider, declared or {"name": "none"}), provider)
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            if kind.lists_models:
                report.now = "models"
                report.models = (await gateway.list_models(endpoint))[:MAX_LISTED_MODELS]
                report.add_success(f"It lists {len(report.models)} models.")
            if declared is not None:
                report.now = "answer"
                await _ask(endpoint)
                report.add_success(f"The model '{declared['name']}' answers.")
    except TimeoutError:
        raise LlmUnavailable("The provider did not answer in time.", hint="Try again in a minute.") from None


async def _ask(endpoint: ModelEndpoint) -> None:
    request = ModelRequest(endpoint=endpoint, messages=[{"role": "user", "content": TEST_PROMPT}])
    async with aclosing(cast(Any, gateway.stream(request))) as events:
        await _read_to_end(events)


async def _read_to_end(events: AsyncIterator[ModelEvent]) -> None:
    async for event in events:
        if isinstance(event, Finished):
            return
