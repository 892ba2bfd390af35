"""The gateway that the agent worker uses: it sends each request to the adapter of its endpoint's kind.

Importing this module loads neither openai nor litellm; each comes with the first call that needs it.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from sessions_app.llm.litellm_adapter import LitellmAdapter
from sessions_app.llm.openai_compatible import CallTimeouts, OpenAiCompatibleAdapter
from sessions_app.llm.port import AdapterKind, ModelEndpoint, ModelEvent, ModelRequest
from tools_app.web.rules import WebRules


class ModelGateway:
    """An `LlmGateway`. One per process; safe to use from several event loops, fastest with one that lives long,
    because connections are kept per loop."""

    def __init__(self, timeouts: CallTimeouts | None = None, rules: Callable[[], WebRules] = WebRules) -> None:
        """`rules` says where the addresses that teams name may lead."""
        self._openai_compatible = OpenAiCompatibleAdapter(timeouts, rules)
        self._litellm = LitellmAdapter(timeouts)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        adapter = self._litellm if request.endpoint.kind == "litellm" else self._openai_compatible
        async with aclosing(adapter.stream(request)) as events:
            async for event in events:
                yield event

    async def list_models(self, endpoint: ModelEndpoint) -> list[str]:
        """The names that an OpenAI-compatible place lists itself. Raises LlmError."""
        return await self._openai_compatible.list_models(endpoint)

    def warm(self, kind: AdapterKind) -> None:
        """Pays the imports of one adapter now (openai 1 s, litellm 5 to 11 s). Blocking: call it from a thread."""
        (self._litellm if kind == "litellm" else self._openai_compatible).warm()

    async def aclose(self) -> None:
        """Closes the connections of the running event loop."""
        await self._openai_compatible.aclose()
