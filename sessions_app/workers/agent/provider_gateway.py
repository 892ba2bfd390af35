"""Gateway that records whether calls to teams' providers succeed, so that a failing key is shown where it can be
replaced."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from asgiref.sync import sync_to_async

from agentsite.base.ids import from_public
from agentsite.tenancy.actions.providers import note_state
from agentsite.tenancy.models import Provider
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import LlmError, ModelEndpoint, ModelEvent, ModelRequest


class StateRecordingGateway(ModelGateway):
    """A ModelGateway that saves the state of providers. A success is saved only if the last call failed or none was
    made."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        endpoint, heard = request.endpoint, False
        try:
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    if not heard and endpoint.unverified:
                        await record_result(endpoint, None)
                    heard = True
                    yield event
        except LlmError as error:
            if error.about:
                await record_result(endpoint, error)
            raise


async def record_result(endpoint: ModelEndpoint, error: LlmError | None) -> None:
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
