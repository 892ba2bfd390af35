"""Vertex AI: a service account signs in at the token service, and each vendor's models get its own request format."""

from collections.abc import Iterator

import pytest

from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import (
    Finished,
    LlmRefused,
    ModelEndpoint,
    ModelEvent,
    ModelRequest,
    TextDelta,
    TokenUsage,
    ToolDefinition,
)
from tests.support.vertex import TOKEN, Vertex, vertex_server

pytestmark = pytest.mark.litellm
PLACE = {"vertex_project": "tea-shop-1", "vertex_location": "europe-west1"}
READ = ToolDefinition("read", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
CHAT = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]


@pytest.fixture
def vertex() -> Iterator[Vertex]:
    with vertex_server() as server:
        yield server


async def ask(vertex: Vertex, model: str) -> list[ModelEvent]:
    endpoint = ModelEndpoint(
        "litellm", f"vertex_ai/{model}", base_url=vertex.address, api_key=vertex.service_account(), options=PLACE
    )
    return [event async for event in ModelGateway().stream(ModelRequest(endpoint, CHAT, [READ]))]


def said(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_gemini_is_asked_in_its_own_format_with_a_token_of_the_service_account(vertex: Vertex) -> None:
    events = await ask(vertex, "gemini-2.5-pro")
    assert said(events) == "Hello from Gemini."
    assert events[-1] == Finished("stop", TokenUsage(input=7, output=3))
    path, authorization, body = vertex.asked[0]
    assert path.endswith(
        "/projects/tea-shop-1/locations/europe-west1/publishers/google/models/gemini-2.5-pro:streamGenerateContent"
    )
    assert authorization == f"Bearer {TOKEN}"
    assert body["contents"][0]["parts"] == [{"text": "Hello"}]
    assert vertex.signed[0]["iss"] == "agent@tea-shop-1.iam.gserviceaccount.com"


async def test_claude_is_asked_in_its_own_format_with_marks_for_its_cache(vertex: Vertex) -> None:
    events = await ask(vertex, "claude-sonnet-4-5@20250929")
    assert said(events) == "Hello from Claude."
    path, authorization, body = vertex.asked[0]
    assert path.endswith("/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict")
    assert authorization == f"Bearer {TOKEN}"
    assert body["anthropic_version"] == "vertex-2023-10-16"
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["tools"][0]["name"] == "read"


async def test_one_token_serves_many_calls(vertex: Vertex) -> None:
    await ask(vertex, "gemini-2.5-pro")
    await ask(vertex, "gemini-2.5-flash")
    assert len(vertex.signed) == 1


async def test_a_service_account_that_is_refused_is_a_fault_of_the_key(vertex: Vertex) -> None:
    vertex.refuses = True
    with pytest.raises(LlmRefused) as caught:
        await ask(vertex, "gemini-2.5-pro")
    assert caught.value.about == "key"
    assert "Invalid JWT Signature" in caught.value.message
    assert "PRIVATE KEY" not in f"{caught.value.message} {caught.value.hint}"
