"""The demo model over HTTP, as an OpenAI client uses it."""

import json
import subprocess
import sys
from typing import Any

import pytest
from starlette.testclient import TestClient

from deploy.demo_model.app import DemoModel

HELLO = {"model": "demo", "messages": [{"role": "user", "content": "hello"}]}
LIST = {
    "model": "demo",
    "messages": [{"role": "user", "content": "list the files"}],
    "tools": [{"type": "function", "function": {"name": "list"}}],
}


@pytest.fixture
def client() -> TestClient:
    return TestClient(DemoModel(chunk_delay=0).app())


def ask(client: TestClient, body: dict[str, Any]) -> Any:
    return client.post("/v1/chat/completions", json=body)


def events(text: str) -> list[Any]:
    return [json.loads(line.removeprefix("data: ")) for line in text.split("\n\n") if line and "[DONE]" not in line]


def test_it_is_healthy_and_lists_its_models(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["demo", "demo-small"]


def test_an_answer_without_streaming_is_one_object(client: TestClient) -> None:
    answer = ask(client, HELLO).json()
    assert "demo model" in answer["choices"][0]["message"]["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert answer["usage"]["total_tokens"] == answer["usage"]["prompt_tokens"] + answer["usage"]["completion_tokens"]


def test_calls_without_streaming_have_whole_arguments(client: TestClient) -> None:
    call = ask(client, LIST).json()["choices"][0]["message"]["tool_calls"][0]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("list", {"path": "."})


def test_a_stream_joins_to_the_same_text_in_many_pieces(client: TestClient) -> None:
    whole = ask(client, HELLO).json()["choices"][0]["message"]["content"]
    chunks = events(ask(client, {**HELLO, "stream": True}).text)
    pieces = [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]
    assert "".join(pieces) == whole
    assert len(pieces) > 10


def test_usage_is_streamed_only_when_asked_for(client: TestClient) -> None:
    without = events(ask(client, {**HELLO, "stream": True}).text)
    asked = events(ask(client, {**HELLO, "stream": True, "stream_options": {"include_usage": True}}).text)
    assert not any("usage" in chunk for chunk in without)
    assert asked[-1]["usage"]["completion_tokens"] > 0


def test_each_call_has_an_id_of_its_own(client: TestClient) -> None:
    ids = {ask(client, LIST).json()["choices"][0]["message"]["tool_calls"][0]["id"] for _ in range(3)}
    assert len(ids) == 3


def test_an_unknown_model_is_not_there(client: TestClient) -> None:
    answer = ask(client, {**HELLO, "model": "gpt-4o"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages": 1}'])
def test_a_body_that_is_no_request_is_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/v1/chat/completions", content=body).status_code == 400


def test_without_control_there_is_nothing_to_script_or_to_look_at(client: TestClient) -> None:
    assert client.post("/control/scripts", json={"key": "k", "steps": [{}]}).status_code == 404
    assert client.get("/control/requests").status_code == 404


def test_the_program_loads_no_django_and_no_provider_library() -> None:
    code = (
        "import sys, deploy.demo_model.__main__;"
        "print(sorted({'django', 'openai', 'litellm', 'httpx', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
