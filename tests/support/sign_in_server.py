"""An authorization server over real HTTP, with the device flows of GitHub and GitLab, and the tokens of Copilot and
GitLab."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any, Final
from urllib.parse import parse_qsl

from sessions_app.llm.sign_in import Addresses
from tests.support.served import served

CREDENTIAL: Final = "gho_canary-credential-of-copilot"
DEVICE_CODE: Final = "canary-device-code"
TOKEN: Final = "canary-token"
ACCESS: Final = "canary-access"
REFRESH: Final = "canary-refresh"
ERRORS: Final = {"pending": "authorization_pending", "denied": "access_denied", "expired": "expired_token"}


class SignInServer(ThreadingHTTPServer):
    """A stand-in for the sign-in servers of GitHub and GitLab. `asked` are the requests: (path, authorization, body).
    `device` is the next answer of the device flow: pending, done, denied or expired. `refreshed` counts the renewals at
    GitLab, which accepts each refresh token once, and none while `revoked`. `model_address` is the address of Copilot's
    models. Tokens are valid for `lifetime` seconds; while `refuses` is true, none is issued."""

    asked: list[tuple[str, str, dict[str, Any]]]
    device = "pending"
    model_address = ""
    lifetime = 1_800
    given = 0
    refuses = False
    refreshed = 0
    revoked = False

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def addresses(self, copilot_hosts: str = ".githubcopilot.com") -> Addresses:
        start = f"http://{self.netloc}"
        return Addresses(
            f"{start}/login/device/code", f"{start}/login/oauth/access_token", f"{start}/copilot_internal/v2/token",
            copilot_hosts, f"{start}/api/v4/ai/third_party_agents/direct_access", f"{start}/oauth/authorize_device",
            f"{start}/oauth/token",
        )  # fmt: skip

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if path == "/oauth/token":
            return self._gitlab(body)
        if path in ("/login/device/code", "/oauth/authorize_device"):
            if body["client_id"] == "unknown":
                return 401, {"error": "invalid_client", "error_description": "Client authentication failed."}
            return 200, {
                "device_code": DEVICE_CODE, "user_code": "WDJB-MJHT", "interval": 5, "expires_in": 899,
                "verification_uri": f"http://{self.netloc}/login/device",
            }  # fmt: skip
        if path == "/login/oauth/access_token":
            done = {"access_token": CREDENTIAL, "token_type": "bearer", "scope": "read:user"}
            return 200, done if self.device == "done" else {"error": ERRORS[self.device]}
        if self.refuses:
            return 401, {"message": "Bad credentials"}
        self.given += 1
        if path == "/copilot_internal/v2/token":
            token = {"token": f"{TOKEN}-{self.given}", "expires_at": int(time()) + self.lifetime}
            return 200, {**token, "endpoints": {"api": self.model_address}}
        headers = {"X-Gitlab-Instance-Id": "7", "Host": "evil.example", "Cookie": "x=1"}
        return 201, {"token": f"{TOKEN}-{self.given}", "headers": headers}

    def _gitlab(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if body["grant_type"] == "refresh_token":
            if self.revoked or body["refresh_token"] != f"{REFRESH}-{self.refreshed}":
                return 400, {"error": "invalid_grant", "error_description": "The grant is revoked."}
            self.refreshed += 1
        elif self.device != "done":
            return 400, {"error": ERRORS[self.device]}
        return 200, {
            "access_token": f"{ACCESS}-{self.refreshed}", "refresh_token": f"{REFRESH}-{self.refreshed}",
            "token_type": "Bearer", "expires_in": self.lifetime,
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    server: SignInServer

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        is_json = self.headers["Content-Type"] == "application/json"
        self._answer(json.loads(sent) if is_json else dict(parse_qsl(sent.decode())))

    def _answer(self, body: dict[str, Any]) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization", ""), body))
        status, answer = self.server.answer(self.path, body)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_request(self, *_args: Any) -> None:
        """Write nothing to the output of the test."""


@contextmanager
def sign_in_server() -> Iterator[SignInServer]:
    server = SignInServer(("127.0.0.1", 0), _Handler)
    server.asked = []
    with served(server):
        yield server
