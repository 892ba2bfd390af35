"""The gateway of the agent worker, which sends each request to the adapter of its endpoint's kind.

Importing this module loads neither openai nor litellm; each is imported with the first call that needs it.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from sessions_app.llm.litellm_adapter import LitellmAdapter
from sessions_app.llm.openai_compatible import CallTimeouts, OpenAiCompatibleAdapter
from sessions_app.llm.port import (
    AdapterKind,
    LlmRefused,
    ModelEndpoint,
    ModelEvent,
    ModelRequest,
    follows_tool_result,
)
from tools_app.web.rules import WebRules

if TYPE_CHECKING:
    from sessions_app.llm.discovery import Server
    from sessions_app.llm.found_models import FoundModel
    from sessions_app.llm.sign_in import Credentials, SignIn


class ModelGateway:
    """An `LlmGateway`, one per process.

    It can be used from several event loops. Connections are kept per loop, so one long-lived loop is fastest.
    """

    def __init__(
        self, timeouts: CallTimeouts | None = None, rules: Callable[[], WebRules] = WebRules,
        credentials: "Credentials | None" = None,
    ) -> None:  # fmt: skip
        """Create the gateway. `rules` returns the current rules for the addresses of team providers. `credentials`
        stores the renewed credentials of sign-ins."""
        self._rules = rules
        self._credentials = credentials
        self._openai_compatible = OpenAiCompatibleAdapter(timeouts, rules)
        self._litellm = LitellmAdapter(timeouts)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        adapter = self._litellm if request.endpoint.kind == "litellm" else self._openai_compatible
        stored = request.endpoint
        if stored.exchange:
            starts = not follows_tool_result(request)
            request = replace(request, endpoint=await self.sign_in.with_token(stored, starts=starts))
        try:
            async with aclosing(adapter.stream(request)) as events:
                async for event in events:
                    yield event
        except LlmRefused as error:
            if stored.exchange and error.about == "key":
                self.sign_in.forget(stored)
            raise

    async def list_models(self, endpoint: ModelEndpoint) -> list[str]:
        """Return the names of the models that an OpenAI-compatible endpoint lists. Raises LlmError."""
        if endpoint.exchange:
            endpoint = await self.sign_in.with_token(endpoint)
        return await self._openai_compatible.list_models(endpoint)

    async def find_models(self, endpoint: ModelEndpoint, server: "Server") -> "list[FoundModel]":
        """Return the models of an OpenAI-compatible endpoint, with the facts that its server gives about them. Raises
        LlmError."""
        from sessions_app.llm.discovery import find_models

        if endpoint.exchange:
            endpoint = await self.sign_in.with_token(endpoint)
        return await find_models(self._openai_compatible.ask_server, endpoint, server)

    @cached_property
    def sign_in(self) -> "SignIn":
        """Return the object that exchanges stored credentials for tokens of providers. It is created at its first
        use."""
        from sessions_app.llm.sign_in import SignIn

        return SignIn(self._rules, credentials=self._credentials)

    def warm(self, kind: AdapterKind) -> None:
        """Import the SDK of one adapter now (openai 1 s, litellm 5 to 11 s). Blocks; call it from a thread."""
        (self._litellm if kind == "litellm" else self._openai_compatible).warm()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._openai_compatible.aclose()
