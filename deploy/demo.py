"""The demo story without a browser: sign in, prompt, watch, answer, check. Uses nothing but the public API.

    AGENTSITE_URL=http://127.0.0.1:8000 python -m deploy.demo

Ends with 0 only if the agent's turn completed and the workspace's own tests pass afterwards.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import httpx
import websockets

CHECK: Final = "Run `python3 -m pytest -q`"
PATIENCE: Final = 180.0  # seconds for one turn; the demo needs ten
ENDED: Final = ("completed", "aborted", "failed")


class DemoFailed(Exception):
    """The story did not end as it should; the text says where."""


class Narrator:
    """Prints a session as it happens, from events and deltas."""

    def __init__(self) -> None:
        self._at_line_start = True
        self._told_calls: set[str] = set()

    def say(self, line: str) -> None:
        if not self._at_line_start:
            print()
        print(line, flush=True)
        self._at_line_start = True

    def stream(self, text: str) -> None:
        print(text, end="", flush=True)
        self._at_line_start = text.endswith("\n")

    def call(self, call: dict[str, Any]) -> None:
        if call["state"] in ("completed", "error", "aborted") and call["id"] not in self._told_calls:
            self._told_calls.add(call["id"])
            self.say(f"  [{call['state']}] {call['title'] or call['tool']}")
            if diff := call["metadata"].get("diff"):
                self.say(_indented(diff))

    def request(self, request: dict[str, Any]) -> None:
        self.say(f"  [asked] {request['title']}")
        for reason in request["reasons"]:
            self.say(f"          because: {reason['permission']} is '{reason['action']}' ({reason['layer']})")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())


class SiteClient:
    """A program's view of the site: a bearer token for REST, a ticket for each socket."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._http = httpx.AsyncClient(base_url=address, timeout=30, trust_env=False)

    async def sign_in(self) -> None:
        """As the demo person in a browser would, once, to make a token."""
        site = await self._get("/api/v1/site")
        login = site["demo_login"]
        if login is None:
            raise DemoFailed("This site has no demo login.")
        await self._http.get("/_allauth/browser/v1/config")
        answer = await self._http.post("/_allauth/browser/v1/auth/login", json=login, headers=self._csrf())
        if answer.status_code != 200:
            raise DemoFailed(f"The demo login was refused: {answer.text[:300]}")
        made = await self._http.post("/api/v1/tokens", json={"name": "make demo"}, headers=self._csrf())
        made.raise_for_status()
        self._http.cookies.clear()
        self._http.headers["Authorization"] = f"Bearer {made.json()['token']}"

    def _csrf(self) -> dict[str, str]:
        return {"X-CSRFToken": self._http.cookies.get("csrftoken") or "", "Referer": self._address}

    async def demo_project(self) -> dict[str, Any]:
        projects: list[dict[str, Any]] = (await self._get("/api/v1/projects"))["items"]
        if not projects:
            raise DemoFailed("The demo team has no project.")
        return projects[0]

    async def open_session(self, project: dict[str, Any]) -> dict[str, Any]:
        path = f"/api/v1/projects/{project['id']}/sessions"
        session: dict[str, Any] = await self._post(path, {"new_workspace": True})
        return session

    async def diff(self, session_id: str) -> list[dict[str, Any]]:
        files: list[dict[str, Any]] = (await self._get(f"/api/v1/sessions/{session_id}/diff"))["files"]
        return files

    async def reply_once(self, request_id: str) -> None:
        await self._post(f"/api/v1/permission-requests/{request_id}/reply", {"reply": "once"})

    async def frames(self, session_id: str) -> AsyncIterator[tuple[Any, dict[str, Any]]]:
        """The session's socket, from its snapshot on: (socket, frame) pairs."""
        ticket = (await self._post("/api/v1/socket-tickets", {}))["ticket"]
        parts = urlsplit(self._address)
        address = urlunsplit(
            (
                "wss" if parts.scheme == "https" else "ws",
                parts.netloc,
                f"/ws/sessions/{session_id}",
                f"ticket={ticket}",
                "",
            )
        )
        async with websockets.connect(address, max_size=64 * 1024 * 1024, proxy=None) as socket:
            await socket.send(json.dumps({"id": "hello", "type": "hello", "after": None}))
            async for text in socket:
                yield socket, json.loads(text)

    async def close(self) -> None:
        await self._http.aclose()

    async def _get(self, path: str) -> Any:
        return _read(await self._http.get(path))

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        return _read(await self._http.post(path, json=body))


def _read(answer: httpx.Response) -> Any:
    if answer.is_error:
        raise DemoFailed(f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:300]}")
    return answer.json()


async def follow_turn(client: SiteClient, session_id: str, prompt: str, narrator: Narrator) -> list[dict[str, Any]]:
    """Send the prompt over the socket, narrate, allow what is asked, until its turn ends. Returns its tool calls."""
    narrator.say(f"> {prompt}")
    turn_id = ""
    calls: dict[str, dict[str, Any]] = {}
    async for socket, frame in client.frames(session_id):
        match frame:
            case {"type": "snapshot"}:
                await socket.send(json.dumps({"id": "prompt", "type": "prompt", "text": prompt}))
            case {"type": "ack", "id": "prompt", "data": {"turn": turn}}:
                turn_id = turn["id"]
            case {"type": "error", "error": error}:
                raise DemoFailed(f"{error['message']} {error['hint']}")
            case {"type": "delta", "text": text}:
                narrator.stream(text)
            case {"type": "event", "event_type": "call.updated", "data": call}:
                calls[call["id"]] = call
                narrator.call(call)
            case {"type": "event", "event_type": "permission.asked", "data": request}:
                narrator.request(request)
                await client.reply_once(request["id"])
                narrator.say("  [allowed once]")
            case {"type": "event", "event_type": "turn.updated", "data": turn} if turn["state"] in ENDED:
                if turn["id"] == turn_id or not turn_id:
                    _check_end(turn)
                    return [call for call in calls.values() if call["turn_id"] == turn["id"]]
    raise DemoFailed("The socket closed before the turn ended.")


def _check_end(turn: dict[str, Any]) -> None:
    if turn["state"] != "completed":
        error = turn["error"] or {"message": "It was stopped.", "hint": ""}
        raise DemoFailed(f"The turn ended as {turn['state']}: {error['message']} {error['hint']}")


async def tell_story(address: str) -> None:
    narrator = Narrator()
    client = SiteClient(address)
    try:
        await client.sign_in()
        project = await client.demo_project()
        session = await client.open_session(project)
        narrator.say(f"Project '{project['name']}', a fresh workspace.\n")
        async with asyncio.timeout(PATIENCE):
            await follow_turn(client, session["id"], project["suggested_prompt"], narrator)
        narrator.say("\nWhat changed:")
        for file in await client.diff(session["id"]):
            narrator.say(f"  {file['status']} {file['path']} +{file['additions']} -{file['deletions']}")
        narrator.say("\nAnd now the workspace's own tests, once more:")
        async with asyncio.timeout(PATIENCE):
            calls = await follow_turn(client, session["id"], CHECK, narrator)
        codes = [call["metadata"].get("exit_code") for call in calls if call["tool"] == "bash"]
        if not codes or codes[-1] != 0:
            raise DemoFailed(f"The workspace's tests do not pass (exit codes {codes}).")
        narrator.say("\nThe workspace's tests pass.")
    finally:
        await client.close()


def main() -> int:
    address = os.environ.get("AGENTSITE_URL", "http://127.0.0.1:8000")
    try:
        asyncio.run(tell_story(address))
    except DemoFailed as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        return 1
    except TimeoutError:
        print(f"\nThe demo failed: a turn took longer than {PATIENCE:.0f} s.", file=sys.stderr)
        return 1
    except (httpx.HTTPError, OSError, websockets.WebSocketException) as error:
        print(f"\nThe demo failed: the site at {address} does not answer ({error}).", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
