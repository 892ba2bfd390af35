"""The demo story without a browser: sign in, prompt, watch, answer, check. Uses nothing but the public API.

    AGENTSITE_URL=http://127.0.0.1:8000 python -m deploy.demo

Ends with 0 only if the agent's turn completed and the workspace's own tests pass afterwards.
"""

import os
import sys
from collections.abc import Sequence
from typing import Final

import httpx

from agentsite.client import Client, ClientError, Event, Once, Session, TurnResult
from agentsite.client.types import MessageView, PartView, PermissionRequestView, ToolCallView

CHECK: Final = "Run `python3 -m pytest -q`"
SCOPES: Final = ("read", "sessions:write", "answer")
PATIENCE: Final = 180.0  # seconds for one turn; the demo needs ten
SIGN_IN: Final = "/_allauth/browser/v1"


class DemoFailed(Exception):
    """The story did not end as it should; the text says where."""


class Narrator:
    """Prints a session as it happens."""

    def __init__(self) -> None:
        self._at_line_start = True
        self._told_calls: set[str] = set()
        self._told_text: dict[str, int] = {}
        self._prompts: set[str] = set()

    def say(self, line: str) -> None:
        if not self._at_line_start:
            print()
        print(line, flush=True)
        self._at_line_start = True

    def tell(self, event: Event) -> None:
        match event.view:
            case ToolCallView() as call:
                self._tell_call(call)
            case MessageView(role="user") as message:
                self._prompts.add(message.id)
            case PartView(type="text") as part if part.message_id not in self._prompts:
                self._tell_text(part)

    def allow(self, request: PermissionRequestView) -> Once:
        self.say(f"  [asked] {request.title}")
        for reason in request.reasons:
            self.say(f"          because: {reason.permission} is '{reason.action}' ({reason.layer})")
        self.say("  [allowed once]")
        return Once()

    def _tell_text(self, part: PartView) -> None:
        new = part.text[self._told_text.get(part.id, 0) :]
        self._told_text[part.id] = len(part.text)
        if new:
            print(new, end="", flush=True)
            self._at_line_start = new.endswith("\n")

    def _tell_call(self, call: ToolCallView) -> None:
        if call.state in ("completed", "error", "aborted") and call.id not in self._told_calls:
            self._told_calls.add(call.id)
            self.say(f"  [{call.state}] {call.title or call.tool}")
            if diff := call.metadata.get("diff"):
                self.say(_indented(diff))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())


def make_token(address: str, name: str, scopes: Sequence[str] = SCOPES) -> str:
    """Sign in as the demo person in a browser would, once, to make an API token."""
    with httpx.Client(base_url=address, timeout=30, trust_env=False) as http:
        login = http.get("/api/v1/site").raise_for_status().json()["demo_login"]
        if login is None:
            raise DemoFailed("This site has no demo login.")
        http.get(f"{SIGN_IN}/config").raise_for_status()
        answer = http.post(f"{SIGN_IN}/auth/login", json=login, headers=_form_headers(http, address))
        if answer.status_code != 200:
            raise DemoFailed(f"The demo login was refused: {answer.text[:300]}")
        headers = _form_headers(http, address)
        made = http.post("/api/v1/tokens", json={"name": name, "scopes": list(scopes)}, headers=headers)
        token: str = made.raise_for_status().json()["token"]
        return token


def _form_headers(http: httpx.Client, address: str) -> dict[str, str]:
    return {"X-CSRFToken": http.cookies.get("csrftoken") or "", "Referer": address}


def _run(session: Session, prompt: str, narrator: Narrator) -> TurnResult:
    """Narrate, allow what is asked, until the turn ends."""
    narrator.say(f"> {prompt}")
    return session.run(prompt, on_permission=narrator.allow, on_event=narrator.tell, timeout=PATIENCE)


def tell_story(address: str) -> None:
    narrator = Narrator()
    with Client(address, token=make_token(address, "make demo")) as site:
        projects = site.projects()
        if not projects:
            raise DemoFailed("The demo team has no project.")
        project = projects[0]
        session = site.start_session(project.id, new_workspace=True)
        narrator.say(f"Project '{project.name}', a fresh workspace.\n")
        _run(session, project.suggested_prompt, narrator)
        narrator.say("\nWhat changed:")
        for file in session.diff():
            narrator.say(f"  {file.status} {file.path} +{file.additions} -{file.deletions}")
        narrator.say("\nAnd now the workspace's own tests, once more:")
        done = _run(session, CHECK, narrator)
    codes = [call.metadata.get("exit_code") for call in done.calls.values() if call.tool == "bash"]
    if not codes or codes[-1] != 0:
        raise DemoFailed(f"The workspace's tests do not pass (exit codes {codes}).")
    narrator.say("\nThe workspace's tests pass.")


def main() -> int:
    address = os.environ.get("AGENTSITE_URL", "http://127.0.0.1:8000")
    try:
        tell_story(address)
    except (DemoFailed, ClientError) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        return 1
    except TimeoutError:
        print(f"\nThe demo failed: a turn took longer than {PATIENCE:.0f} s.", file=sys.stderr)
        return 1
    except (httpx.HTTPError, OSError) as error:
        print(f"\nThe demo failed: the site at {address} does not answer ({error}).", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
