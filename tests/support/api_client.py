"""A program that uses the public API through our client, or through plain HTTP where a test needs the raw response."""

import time
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.sync.client import ClientConnection, connect

from agentsite.client import Client
from agentsite.client.types import ProjectView
from deploy import demo_project
from deploy.demo import make_token
from tests.support.deadline import wait_until

SCOPES = ("read", "sessions:write", "answer", "admin", "tokens")
ENDED = ("completed", "aborted", "failed")


class ApiClient:
    """A client of a site, signed in with an API token of the demo login."""

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
        self.site.close()

    def sign_in(self) -> None:
        token = make_token(self.address, "test", scopes=SCOPES)
        self.http.headers["Authorization"] = f"Bearer {token}"
        self.site = Client(self.address, token=token)

    def get(self, path: str) -> Any:
        answer = self.http.get(path)
        answer.raise_for_status()
        return answer.json()

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.http.post(path, json={} if body is None else body)
        answer.raise_for_status()
        return answer.json()

    def project(self) -> ProjectView:
        """Return the demo project, even if tests of the same site have created others."""
        return next(each for each in self.site.projects() if each.name == demo_project.NAME)

    def open_session(self, *, new_workspace: bool = True) -> str:
        return self.site.start_session(self.project().id, new_workspace=new_workspace).id

    def prompt(self, session_id: str, text: str) -> str:
        return self.site.session(session_id).prompt(text).id

    def snapshot(self, session_id: str) -> dict[str, Any]:
        snapshot: dict[str, Any] = self.get(f"/api/v1/sessions/{session_id}/snapshot")
        return snapshot

    def reply(self, request_id: str, reply: str = "once", **more: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.post(f"/api/v1/permission-requests/{request_id}/reply", {"reply": reply, **more})
        return answer

    def socket(self, session_id: str) -> ClientConnection:
        """Open the session's socket, without sending `hello`."""
        ticket = self.post("/api/v1/socket-tickets")["ticket"]
        address = self.address.replace("http", "ws", 1)
        return connect(f"{address}/ws/sessions/{session_id}?ticket={ticket}", max_size=2**26, proxy=None)

    def wait_for_turn(
        self, session_id: str, turn_id: str, *, states: tuple[str, ...] = ENDED, seconds: float = 60
    ) -> Any:
        """Follow the session's event log until the turn is in one of the states; return the turn as the API describes
        it."""
        deadline = time.monotonic() + seconds
        snapshot = self.snapshot(session_id)
        found = next(turn for turn in snapshot["turns"] if turn["id"] == turn_id)
        if found["state"] in states:
            return found
        for event in self.site.session(session_id).follow(snapshot["seq"]):
            if event and event.type == "turn.updated" and event.data["id"] == turn_id:
                found = event.data
            if found["state"] in states:
                return found
            if time.monotonic() > deadline:
                break
        raise AssertionError(f"after {seconds:g} s the turn is still {found['state']}")

    def wait_for_call(self, session_id: str, tool: str, state: str, *, seconds: float = 60) -> None:
        """Wait until the session has a call of the tool in the state."""

        def is_there() -> bool:
            calls = self.snapshot(session_id)["calls"]
            return any(call["tool"] == tool and call["state"] == state for call in calls)

        wait_until(is_there, f"a {tool} call is {state}", seconds=seconds, step=0.1)

    def wait_until_up(self, *, seconds: float = 60) -> None:
        """Wait until every part of the site is ready."""

        def is_ready() -> bool:
            try:
                return self.http.get("/api/v1/health/ready").status_code == 200
            except httpx.HTTPError:
                return False

        wait_until(is_ready, "the site is ready", seconds=seconds, step=0.2)
