"""Models are found at servers that list them as Ollama, vLLM and LM Studio do, over real HTTP."""

from collections.abc import Mapping
from typing import Any

import pytest

from sessions_app.llm.discovery import Server
from sessions_app.llm.found_models import FoundModel
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import LlmError, ModelEndpoint
from tests.support.model_list_server import LM_STUDIO, OLLAMA, VLLM, ModelListServer, model, model_list_server
from tools_app.web.rules import WebRules

KEY = "sk-canary-of-a-list"
QWEN = model("qwen3:8b", 40_960, can="calls_tools reasons", cannot="sees_images")
LLAVA = model("llava:7b", 8_192, can="sees_images", cannot="calls_tools reasons")
EMBEDS = model("nomic-embed-text:latest", 2_048, cannot="calls_tools sees_images reasons chats")


async def found(server: ModelListServer, kind: Server = "", *, allowed: bool = True) -> list[FoundModel]:
    gateway = ModelGateway(rules=lambda: WebRules.exempting([server.netloc] if allowed else []))
    endpoint = ModelEndpoint("openai_compatible", "none", server.base_url, KEY, provider="pvd_1")
    try:
        return await gateway.find_models(endpoint, kind)
    finally:
        await gateway.aclose()


async def failure(pages: Mapping[str, Any], *, allowed: bool = True) -> LlmError:
    with model_list_server(pages) as server, pytest.raises(LlmError) as caught:
        await found(server, allowed=allowed)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"
    return caught.value


@pytest.mark.parametrize("kind", ["", "ollama"])
async def test_ollama_tells_sizes_and_abilities_of_each_model(kind: Server) -> None:
    with model_list_server(OLLAMA) as server:
        assert await found(server, kind) == [LLAVA, EMBEDS, QWEN]
    asked = sorted(server.asked)
    assert asked == [("GET /api/tags", f"Bearer {KEY}"), ("GET /v1/models", f"Bearer {KEY}")] + 3 * [
        ("POST /api/show", f"Bearer {KEY}")
    ]


@pytest.mark.parametrize("shown", [{}, dict.fromkeys(("qwen3:8b", "llava:7b"), (200, b"<html>"))])
async def test_a_model_of_ollama_that_says_nothing_is_found_by_its_name(shown: Mapping[str, Any]) -> None:
    with model_list_server({**OLLAMA, "/api/tags": (404, b""), "/api/show": shown}) as server:
        models = await found(server)
    assert [each.name for each in models] == ["llava:7b", "nomic-embed-text:latest", "qwen3:8b"]
    assert {each.calls_tools for each in models} == {None}


async def test_vllm_tells_the_context_with_the_list() -> None:
    with model_list_server(VLLM) as server:
        assert await found(server) == [model("Qwen/Qwen3-Coder-30B", 65_536)]
    assert [path for path, _ in server.asked] == ["GET /v1/models"]


async def test_lm_studio_tells_more_in_a_list_of_its_own_which_older_ones_lack() -> None:
    with model_list_server(LM_STUDIO) as server:
        assert await found(server) == [model("gemma-3", 4_096, can="sees_images")]
    with model_list_server({"/v1/models": LM_STUDIO["/v1/models"]}) as server:
        assert await found(server, "lm_studio") == [model("gemma-3")]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((404, b"404 page not found"), "gives no list of models at this address"),
        ((200, b"<html>Welcome</html>"), "gives no list of models at this address"),
        ((200, b"[" * 100_000), "gives no list of models at this address"),
        ({"data": "none"}, "gives no list of models at this address"),
        ((302, b""), "gives no list of models at this address"),
        ((401, b'{"error": "bad key ' + KEY.encode() + b'"}'), "refused the key"),
        ((403, b""), "refused the key"),
        ((503, b""), "has a problem (status 503)"),
    ],
)
async def test_an_odd_server_is_a_plain_sentence_with_a_next_step(answer: Any, words: str) -> None:
    error = await failure({"/v1/models": answer})
    assert words in error.message
    assert error.hint


async def test_an_address_inside_is_not_asked() -> None:
    error = await failure(VLLM, allowed=False)
    assert "does not exist, or this site does not allow connections to it" in error.message
