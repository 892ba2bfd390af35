"""Images and documents arrive in each provider's own format through both adapters."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from sessions_app.agent.attachment_parts import with_files
from sessions_app.agent.context import StoredCall, StoredMessage, chat_messages
from sessions_app.llm.gateway import ModelGateway
from sessions_app.llm.port import Finished, LlmError, ModelEndpoint, ModelRequest
from tests.contract.llm.conftest import READ_TOOL, Caller
from tests.support import pictures
from tests.support.model_server import ModelServer, text
from tools_app.spec import ModelTraits

pytestmark = pytest.mark.filterwarnings("ignore")

PICTURE = {"id": "att_1", "name": "shot.png", "media_type": "image/png", "size": 9}
PDF = {"id": "att_2", "name": "plan.pdf", "media_type": "application/pdf", "size": 9}
CONTENTS = {"att_1": pictures.png(), "att_2": pictures.pdf()}
CALL = StoredCall("c1", "read", '{"filePath": "shot.png"}', "shot.png is attached.", [PICTURE])
STORED = [
    StoredMessage("user", ["Look"], files=[PICTURE, PDF]),
    StoredMessage("assistant", [], [CALL]),
]
MESSAGES = with_files(chat_messages(STORED), ModelTraits(sees_images=True, sees_pdf=True), CONTENTS)


def encoded(key: str) -> str:
    return base64.b64encode(CONTENTS[key]).decode()


async def test_chat_completions_get_data_urls(caller: Caller, model_server: ModelServer) -> None:
    script = model_server.script(text("I see."))
    await caller.answer(script, messages=MESSAGES, tools=[READ_TOOL])
    prompt, _, _, brought = script.requests(at_least=1)[0]["body"]["messages"]
    picture, document = prompt["content"][2], prompt["content"][4]
    assert picture["image_url"]["url"] == f"data:image/png;base64,{encoded('att_1')}"
    assert document["file"]["file_data"] == f"data:application/pdf;base64,{encoded('att_2')}"
    assert document["file"]["filename"] == "plan.pdf"
    assert brought["content"][2]["image_url"]["url"] == picture["image_url"]["url"]


async def test_silence_after_what_a_tool_attached_is_an_answer(caller: Caller, model_server: ModelServer) -> None:
    events = await caller.answer(model_server.script(text("")), messages=MESSAGES, tools=[READ_TOOL])
    assert [event for event in events if not isinstance(event, Finished)] == []


class Anthropic(HTTPServer):
    """A server with the API of Anthropic that records the bodies of requests and refuses each of them."""

    bodies: list[Any]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Refuse(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server: Any = self.server
        server.bodies.append(json.loads(body))
        answer = b'{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}'
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_request(self, *_args: Any) -> None:
        """Write nothing to the test's output."""


@pytest.fixture
def anthropic() -> Iterator[Anthropic]:
    server = Anthropic(("127.0.0.1", 0), _Refuse)
    server.bodies = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.litellm
async def test_anthropic_gets_marks_for_its_cache(anthropic: Anthropic) -> None:
    endpoint = ModelEndpoint(kind="litellm", model="anthropic/claude-sonnet-4-5", base_url=anthropic.address)
    chat = [{"role": "system", "content": "Be brief."}, *({"role": "user", "content": "Hello"} for _ in range(1))]
    with pytest.raises(LlmError):
        [event async for event in ModelGateway().stream(ModelRequest(replace(endpoint, api_key="sk-test"), chat))]
    body = anthropic.bodies[0]
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}


@pytest.mark.litellm
async def test_anthropic_gets_images_and_documents_beside_results(anthropic: Anthropic) -> None:
    endpoint = ModelEndpoint(kind="litellm", model="anthropic/claude-sonnet-4-5", base_url=anthropic.address)
    request = ModelRequest(replace(endpoint, api_key="sk-test"), MESSAGES, [READ_TOOL])
    with pytest.raises(LlmError):
        [event async for event in ModelGateway().stream(request)]
    prompt, _, results = anthropic.bodies[0]["messages"]
    kinds = [block["type"] for block in prompt["content"]]
    assert kinds == ["text", "text", "image", "text", "document"]
    image, document = prompt["content"][2]["source"], prompt["content"][4]["source"]
    assert (image["media_type"], image["data"]) == ("image/png", encoded("att_1"))
    assert (document["media_type"], document["data"]) == ("application/pdf", encoded("att_2"))
    assert [block["type"] for block in results["content"]] == ["tool_result", "text", "text", "image"]
