"""Servers over real HTTP that list models as Ollama, vLLM and LM Studio do."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sessions_app.llm.found_models import FoundModel
from tests.support.served import served

OLLAMA_SHOWN: Mapping[str, Any] = {
    "qwen3:8b": {
        "capabilities": ["completion", "tools", "thinking"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
    },
    "llava:7b": {
        "capabilities": ["completion", "vision"],
        "model_info": {"llama.context_length": 32768},
        "parameters": 'stop    "USER:"\nnum_ctx                        8192',
    },
    "nomic-embed-text:latest": {"capabilities": ["embedding"], "model_info": {"nomic-bert.context_length": 2048}},
}
OLLAMA: Mapping[str, Any] = {
    "/v1/models": {"object": "list", "data": [{"id": name, "owned_by": "library"} for name in OLLAMA_SHOWN]},
    "/api/tags": {"models": [{"name": name, "model": name, "size": 5} for name in OLLAMA_SHOWN]},
    "/api/show": OLLAMA_SHOWN,
}
VLLM: Mapping[str, Any] = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "Qwen/Qwen3-Coder-30B", "object": "model", "owned_by": "vllm", "max_model_len": 65536}],
    }
}
LM_STUDIO: Mapping[str, Any] = {
    "/v1/models": {"data": [{"id": "gemma-3", "owned_by": "organization_owner"}]},
    "/api/v0/models": {
        "data": [
            {"id": "gemma-3", "type": "vlm", "max_context_length": 131072, "loaded_context_length": 4096},
            {"id": "qwen2.5", "type": "llm", "max_context_length": 32768, "capabilities": ["tool_use"]},
        ]
    },
}


def model(
    name: str, context: int | None = None, max_output: int | None = None, *, can: str = "", cannot: str = ""
) -> FoundModel:
    """Return a model that has the features in `can` and lacks the features in `cannot`."""
    told: dict[str, Any] = dict.fromkeys(can.split(), True) | dict.fromkeys(cannot.split(), False)
    return replace(FoundModel(name, context, max_output), **told)


class ModelListServer(ThreadingHTTPServer):
    """A server that lists models. `pages` are the responses by path: JSON, or (status, bytes). `/api/show` answers by
    the `model` in the body. `asked` are the requests: (method and path, authorization)."""

    pages: Mapping[str, Any]
    asked: list[tuple[str, str]]

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.netloc}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ModelListServer

    def do_GET(self) -> None:
        self._answer(self.server.pages.get(self.path, (404, b"404 page not found")))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shown = self.server.pages.get(self.path, {})
        self._answer(shown.get(body["model"], (404, b'{"error": "model not found"}')))

    def _answer(self, said: Any) -> None:
        self.server.asked.append((f"{self.command} {self.path}", self.headers.get("Authorization", "")))
        status, content = said if isinstance(said, tuple) else (200, json.dumps(said).encode())
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, *_args: Any) -> None:
        """Write nothing to the output of the test."""


@contextmanager
def model_list_server(pages: Mapping[str, Any]) -> Iterator[ModelListServer]:
    server = ModelListServer(("127.0.0.1", 0), _Handler)
    server.pages, server.asked = pages, []
    with served(server):
        yield server
