"""Fixtures that run both adapters of the model gateway against the same fault-injecting server."""

import socket
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.openai_compatible import CallTimeouts
from sessions_app.llm.port import (
    Finished,
    LlmError,
    ModelEndpoint,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolDefinition,
)
from tests.support.model_server import ModelServer, PostedScript, model_server

__all__ = ["model_server"]

KEY = "sk-secret-4f9a1c77e2"
SHORT_SILENCE = CallTimeouts(connect=5.0, write=5.0, read=0.4)
READ_TOOL = ToolDefinition(
    name="read",
    description="Reads a file.",
    schema={"type": "object", "properties": {"filePath": {"type": "string"}}, "required": ["filePath"]},
)


@dataclass(slots=True)
class Caller:
    """A caller of models through the gateway, by one of the two adapters."""

    kind: str
    gateway: ModelGateway = field(default_factory=ModelGateway)

    def endpoint(self, script: PostedScript, **changes: Any) -> ModelEndpoint:
        endpoint = replace(script.endpoint, api_key=KEY, **changes)
        if self.kind == "litellm":
            return replace(endpoint, kind="litellm", model=f"openai/{endpoint.model}")
        return endpoint

    def request(self, script: PostedScript, **changes: Any) -> ModelRequest:
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]
        return ModelRequest(**{"endpoint": self.endpoint(script), "messages": messages, **changes})

    async def events(self, request: ModelRequest) -> list[ModelEvent]:
        async with aclosing(self.gateway.stream(request)) as stream:
            return [event async for event in stream]

    async def answer(self, script: PostedScript, **changes: Any) -> list[ModelEvent]:
        return await self.events(self.request(script, **changes))

    async def failure(self, script: PostedScript, **changes: Any) -> LlmError:
        with pytest.raises(LlmError) as caught:
            await self.answer(script, **changes)
        return caught.value


@pytest.fixture(params=["openai_compatible", pytest.param("litellm", marks=pytest.mark.litellm)])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def caller(kind: str) -> AsyncIterator[Caller]:
    one = Caller(kind)
    yield one
    await one.gateway.aclose()


@pytest.fixture
async def impatient_caller(kind: str) -> AsyncIterator[Caller]:
    one = Caller(kind, ModelGateway(SHORT_SILENCE))
    yield one
    await one.gateway.aclose()


@pytest.fixture
def closed_port() -> int:
    """Return a port that no process listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@pytest.fixture
def server(model_server: ModelServer) -> ModelServer:
    return model_server


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thought(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReasoningDelta))


def ending(events: list[ModelEvent]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]
