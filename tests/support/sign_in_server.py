"""An authorisation server over real HTTP: GitHub's device flow, and tokens as Copilot and GitLab give them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from sessions_app.llm.sign_in import Addresses

CREDENTIAL: Final = "gho_canary-credential-of-copilot"
DEVICE_CODE: Final = "canary-device-code"
TOKEN: Final = "canary-token"


class SignInServer(ThreadingHTTPServer):
    """`asked` are (path, authorization, body). `device` is what the flow answers next: pending, done, denied, expired.
    `model_address` is where Copilot's models are; tokens live for `lifetime` seconds. While `refuses` is true, no token
    is given."""

    asked: list[tuple[str, str, dict[str, Any]]]
    device = "pending"
    model_address = ""
    lifetime = 1_800
    given = 0
    refuses = False

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def addresses(self, copilot_hosts: str = ".githubcopilot.com") -> Addresses:
        start = f"http://{self.netloc}"
        return Addresses(
            f"{start}/login/device/code", f"{start}/login/oauth/access_token", f"{start}/copilot_internal/v2/token",
            copilot_hosts, f"{start}/api/v4/ai/third_party_agents/direct_access",
        )  # fmt: skip

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        if path == "/login/device/code":
            return 200, {
                "device_code": DEVICE_CODE, "user_code": "WDJB-MJHT", "interval": 5, "expires_in": 899,
                "verification_uri": f"http://{self.netloc}/login/device",
            }  # fmt: skip
        if path == "/login/oauth/access_token":
            errors = {"pending": "authorization_pending", "denied": "access_denied", "expired": "expired_token"}
            done = {"access_token": CREDENTIAL, "token_type": "bearer", "scope": "read:user"}
            return 200, done if self.device == "done" else {"error": errors[self.device]}
        if self.refuses:
            return 401, {"message": "Bad credentials"}
        self.given += 1
        if path == "/copilot_internal/v2/token":
            from time import time

            token = {"token": f"{TOKEN}-{self.given}", "expires_at": int(time()) + self.lifetime}
            return 200, {**token, "endpoints": {"api": self.model_address}}
        headers = {"X-Gitlab-Instance-Id": "7", "Host": "evil.example", "Cookie": "x=1"}
        return 201, {"token": f"{TOKEN}-{self.given}", "headers": headers}


class _Handler(BaseHTTPRequestHandler):
    server: SignInServer

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: dict[str, Any]) -> None:
        self.server.asked.append((self.path, self.headers.get("Authorization", ""), body))
        status, answer = self.server.answer(self.path)
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_request(self, *_args: Any) -> None:
        """Nothing is written about it."""


@contextmanager
def sign_in_server() -> Iterator[SignInServer]:
    server = SignInServer(("127.0.0.1", 0), _Handler)
    server.asked = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
