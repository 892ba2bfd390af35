"""A program that uses the public API, as tests and benchmarks need it."""

import json
import time
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.sync.client import ClientConnection, connect

from tests.support.deadline import wait_until

ENDED = ("completed", "aborted", "failed")


class ApiClient:
    """Signed in with an API token that the demo login made."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.Client(base_url=address, timeout=30, trust_env=False)

    def __enter__(self) -> Self:
        self.sign_in()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.http.close()

    def sign_in(self) -> None:
        login = self.get("/api/v1/site")["demo_login"]
        self.http.get("/_allauth/browser/v1/config").raise_for_status()
        answer = self.http.post("/_allauth/browser/v1/auth/login", json=login, headers=self._csrf())
        answer.raise_for_status()
        made = self.http.post("/api/v1/tokens", json={"name": "test"}, headers=self._csrf())
        made.raise_for_status()
        self.http.cookies.clear()
        self.http.headers["Authorization"] = f"Bearer {made.json()['token']}"

    def _csrf(self) -> dict[str, str]:
        return {"X-CSRFToken": self.http.cookies.get("csrftoken") or "", "Referer": self.address}

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        answer.raise_for_status()
        return answer.json()

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.http.post(path, json={} if body is None else body)
        answer.raise_for_status()
        return answer.json()

    def project(self) -> dict[str, Any]:
        project: dict[str, Any] = self.get("/api/v1/projects")["items"][0]
        return project

    def open_session(self, *, new_workspace: bool = True) -> str:
        body = {"new_workspace": new_workspace}
        session_id: str = self.post(f"/api/v1/projects/{self.project()['id']}/sessions", body)["id"]
        return session_id

    def prompt(self, session_id: str, text: str) -> str:
        turn_id: str = self.post(f"/api/v1/sessions/{session_id}/prompts", {"text": text})["turn"]["id"]
        return turn_id

    def snapshot(self, session_id: str) -> dict[str, Any]:
        snapshot: dict[str, Any] = self.get(f"/api/v1/sessions/{session_id}/snapshot")
        return snapshot

    def reply(self, request_id: str, reply: str = "once", **more: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.post(f"/api/v1/permission-requests/{request_id}/reply", {"reply": reply, **more})
        return answer

    def socket(self, session_id: str) -> ClientConnection:
        """The session's socket, not yet greeted."""
        ticket = self.post("/api/v1/socket-tickets")["ticket"]
        address = self.address.replace("http", "ws", 1)
        return connect(f"{address}/ws/sessions/{session_id}?ticket={ticket}", max_size=2**26, proxy=None)

    def wait_for_turn(
        self, session_id: str, turn_id: str, *, states: tuple[str, ...] = ENDED, seconds: float = 60
    ) -> Any:
        """Follow the event log until the turn is in one of the states; its view."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = next(turn for turn in self.snapshot(session_id)["turns"] if turn["id"] == turn_id)
            if found["state"] in states:
                return found
            self._wait_for_news(session_id, deadline)
        raise AssertionError(f"after {seconds:g} s the turn is still {found['state']}")

    def wait_for_call(self, session_id: str, tool: str, state: str, *, seconds: float = 60) -> None:
        """Until a call of the tool is in the state."""

        def is_there() -> bool:
            calls = self.snapshot(session_id)["calls"]
            return any(call["tool"] == tool and call["state"] == state for call in calls)

        wait_until(is_there, f"a {tool} call is {state}", seconds=seconds, step=0.1)

    def wait_until_up(self, *, seconds: float = 60) -> None:
        """Until every part of the site says that it is ready."""

        def is_ready() -> bool:
            try:
                return self.http.get("/api/v1/health/ready").status_code == 200
            except httpx.HTTPError:
                return False

        wait_until(is_ready, "the site is ready", seconds=seconds, step=0.2)

    def _wait_for_news(self, session_id: str, deadline: float) -> None:
        """Until a turn changes, or two seconds pass."""
        try:
            with self.socket(session_id) as socket:
                socket.send(json.dumps({"id": "1", "type": "hello", "after": self.snapshot(session_id)["seq"]}))
                stop = min(deadline, time.monotonic() + 2)
                while (left := stop - time.monotonic()) > 0:
                    if json.loads(socket.recv(timeout=left)).get("event_type") == "turn.updated":
                        return
        except (TimeoutError, OSError, httpx.HTTPError):
            return
