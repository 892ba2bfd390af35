"""The demo model for tests: a server on a free port, and a small client to script it.

def test_x(model_server: ModelServer) -> None:
    script = model_server.script(text("Hello"), calls(tool_call("read", filePath="a.py")))
    ... endpoint = script.endpoint; or a prompt that contains script.marker ...
    assert script.requests(at_least=1)[0]["body"]["messages"]
"""

import itertools
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import httpx
import pytest

from deploy.demo_model.app import DemoModel
from deploy.demo_model.scripts import ScriptedCall, Step
from deploy.demo_model.server import make_server
from sessions_app.llm.port import ModelEndpoint

_numbers = itertools.count(1)
STARTUP_LIMIT = 10.0
WAIT_LIMIT = 60.0  # seconds; only bounds a hang


def tool_call(name: str, **arguments: Any) -> ScriptedCall:
    return ScriptedCall(name, arguments)


def text(words: str, **options: Any) -> Step:
    return Step(text=words, **options)


def calls(*tool_calls: ScriptedCall, **options: Any) -> Step:
    return Step(tool_calls=tool_calls, **options)


@dataclass(frozen=True, slots=True)
class PostedScript:
    """One script on the server. Requests follow it if a prompt contains `marker`, or if their model is `model`."""

    server: "ModelServer"
    key: str

    @property
    def marker(self) -> str:
        return f"[script:{self.key}]"

    @property
    def model(self) -> str:
        return f"script/{self.key}"

    @property
    def endpoint(self) -> ModelEndpoint:
        return ModelEndpoint(
            kind="openai_compatible", model=self.model, base_url=self.server.base_url, api_key="sk-test-0123456789"
        )

    def requests(self, *, at_least: int = 0, state: str = "", timeout: float = WAIT_LIMIT) -> list[dict[str, Any]]:
        """Wait for `at_least` requests of the script (with `state`, requests in that state), and return all of them."""
        return self.server.requests(key=self.key, at_least=at_least, state=state, timeout=timeout)

    def times(self, *, at_least: int, timeout: float = WAIT_LIMIT) -> list[dict[str, Any]]:
        """Wait for answered requests and return them without bodies, which would disturb measurements."""
        return self.server.requests(key=self.key, at_least=at_least, state="done", timeout=timeout, bodies=False)

    def release(self, name: str) -> None:
        self.server.release(name)


class ModelServer:
    """A running demo model with enabled control routes, which tests use over HTTP. Thread-safe."""

    def __init__(self, address: str) -> None:
        self.base_url = f"{address}/v1"
        self._client = httpx.Client(base_url=address, timeout=60.0, trust_env=False)

    def script(
        self, *steps: Step, key: str = "", by: Literal["request", "conversation"] = "request", loop: bool = False
    ) -> PostedScript:
        key = key or f"s{os.getpid()}-{next(_numbers)}"
        data = {"key": key, "steps": [asdict(step) for step in steps], "by": by, "loop": loop}
        self._post("/control/scripts", data)
        return PostedScript(self, key)

    def requests(
        self,
        *,
        key: str = "",
        at_least: int = 0,
        state: str = "",
        timeout: float = WAIT_LIMIT,
        bodies: bool = True,
    ) -> list[dict[str, Any]]:
        wanted: dict[str, str | float] = {"key": key, "state": state, "at_least": at_least, "timeout": timeout}
        if not bodies:
            wanted["bodies"] = "no"
        answer = self._client.get("/control/requests", params=wanted, timeout=timeout + 10)
        found: list[dict[str, Any]] = answer.json()["requests"]
        if answer.status_code == 408:
            raise TimeoutError(f"{len(found)} of {at_least} requests with {key=} {state=} after {timeout} s")
        return found

    def release(self, name: str) -> None:
        self._post("/control/releases", {"name": name})

    def close(self) -> None:
        self._client.close()

    def _post(self, path: str, data: Mapping[str, Any]) -> None:
        answer = self._client.post(path, content=json.dumps(data), headers={"content-type": "application/json"})
        if answer.is_error:
            raise ValueError(f"{path} was refused: {answer.text}")


def run_model_server(*, chunk_delay: float = 0.0) -> Iterator[ModelServer]:
    """Run the demo model's server in a thread of this process, on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = make_server(DemoModel(chunk_delay=chunk_delay, control=True))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="model-server")
    thread.start()
    client = ModelServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
    try:
        _wait_until_up(client)
        yield client
    finally:
        client.close()
        server.should_exit = True
        thread.join(timeout=STARTUP_LIMIT)
        listener.close()


@pytest.fixture(scope="session")
def model_server() -> Iterator[ModelServer]:
    yield from run_model_server()


def _wait_until_up(client: ModelServer) -> None:
    """Wait until the server answers. Its listener queues connections from the start, so one request is enough."""
    deadline = time.monotonic() + STARTUP_LIMIT
    client.requests(timeout=0)
    if time.monotonic() > deadline:
        raise TimeoutError("the model server did not start in time")
