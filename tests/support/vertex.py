"""A stand-in for Google's token service and for Vertex AI, over real HTTP: Gemini and Claude in their own formats."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from agentsite.tenancy.service_account_key import TOKEN_ADDRESS
from tests.support.served import served

TOKEN: Final = "ya29.canary-of-vertex"
_KEY: Final = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Vertex(ThreadingHTTPServer):
    """A stand-in for Vertex AI and Google's token service. `asked` are the model calls: (path, authorization, body);
    `signed` are the claims of accepted sign-ins. While `refuses` is true, every sign-in is refused."""

    asked: list[tuple[str, str, dict[str, Any]]]
    signed: list[dict[str, Any]]
    refuses: bool

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def service_account(self, **changes: Any) -> str:
        """Return a key file in Google's format."""
        pem = _KEY.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return json.dumps({
            "type": "service_account", "project_id": "tea-shop-1", "private_key_id": "0123456789abcdef",
            "private_key": pem.decode(), "client_email": "agent@tea-shop-1.iam.gserviceaccount.com",
            "client_id": "1", "token_uri": f"{self.address}/token", "universe_domain": "googleapis.com", **changes,
        }, indent=2)  # fmt: skip


@contextmanager
def vertex_server() -> Iterator[Vertex]:
    server = Vertex(("127.0.0.1", 0), _Handler)
    server.asked, server.signed, server.refuses = [], [], False
    with served(server):
        yield server


class _Handler(BaseHTTPRequestHandler):
    server: Vertex

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path).path
        if path == "/token":
            self._sign_in(parse_qs(body.decode())["assertion"][0])
            return
        self.server.asked.append((path, self.headers.get("Authorization", ""), json.loads(body)))
        frames = _CLAUDE if "/publishers/anthropic/" in path else _GEMINI
        self._send(200, "text/event-stream", "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames))

    def _sign_in(self, assertion: str) -> None:
        if self.server.refuses:
            refusal = {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
            self._send(400, "application/json", json.dumps(refusal))
            return
        self.server.signed.append(jwt.decode(assertion, _KEY.public_key(), ["RS256"], audience=TOKEN_ADDRESS))
        self._send(200, "application/json", json.dumps({"access_token": TOKEN, "expires_in": 3600}))

    def _send(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_request(self, *_args: Any) -> None:
        """Write nothing to the output of the test."""


_GEMINI: Final = (
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello "}]}}]},
    {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "from Gemini."}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10},
    },
)
_CLAUDE: Final = (
    {
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 7, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello from Claude."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"input_tokens": 7, "output_tokens": 5},
    },
    {"type": "message_stop"},
)  # fmt: skip
