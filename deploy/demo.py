"""Run the demo without a browser: sign in, send a prompt, allow permission requests, check the result.

    AGENTSITE_URL=http://127.0.0.1:8000 python -m deploy.demo

It uses only the public API. It exits with 0 if the agent's turn completed, the workspace's own tests then pass, one of
two downloads is refused and the other one arrives, and a second clone sees the branch of a pull request. The downloads
and the repository need servers that the site knows, so they are only shown on a site that the demo has started itself.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

import httpx

from agentsite.client import Client, ClientError, Event, Once, Session, TurnResult
from agentsite.client.types import MessageView, PartView, PermissionRequestView, ProjectView, ToolCallView
from deploy import demo_project
from deploy.demo_network import NetworkShownWrong, show_network
from deploy.demo_repository import PROMPT, RepositoryShownWrong, demo_repository

CHECK_PROMPT: Final = "Run `python3 -m pytest -q`"
SCOPES: Final = ("read", "sessions:write", "answer")
TURN_TIMEOUT: Final = 180.0  # seconds; a turn of the demo takes about ten
SIGN_IN: Final = "/_allauth/browser/v1"


class DemoFailed(Exception):
    """The demo did not complete. The message contains the reason."""


class Narrator:
    """A printer of a session's events, which also allows every permission request."""

    def __init__(self) -> None:
        self._at_line_start = True
        self._printed_calls: set[str] = set()
        self._printed_chars: dict[str, int] = {}
        self._prompts: set[str] = set()

    def print_line(self, line: str) -> None:
        if not self._at_line_start:
            print()
        print(line, flush=True)
        self._at_line_start = True

    def print_event(self, event: Event) -> None:
        match event.view:
            case ToolCallView() as call:
                self._print_call(call)
            case MessageView(role="user") as message:
                self._prompts.add(message.id)
            case PartView(type="text") as part if part.message_id not in self._prompts:
                self._print_text(part)

    def allow(self, request: PermissionRequestView) -> Once:
        self.print_line(f"  [permission request] {request.title}")
        for reason in request.reasons:
            self.print_line(f"      reason: {reason.permission} is '{reason.action}' ({reason.layer})")
        self.print_line("  [allowed once]")
        return Once()

    def _print_text(self, part: PartView) -> None:
        new = part.text[self._printed_chars.get(part.id, 0) :]
        self._printed_chars[part.id] = len(part.text)
        if new:
            print(new, end="", flush=True)
            self._at_line_start = new.endswith("\n")

    def _print_call(self, call: ToolCallView) -> None:
        if call.state in ("completed", "error", "aborted") and call.id not in self._printed_calls:
            self._printed_calls.add(call.id)
            self.print_line(f"  [{call.state}] {call.title or call.tool}")
            if diff := call.metadata.get("diff"):
                self.print_line(_indented(diff))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines())


def make_token(address: str, name: str, scopes: Sequence[str] = SCOPES) -> str:
    """Sign in with the demo login, as a browser would, and create an API token."""
    with httpx.Client(base_url=address, timeout=30, trust_env=False) as http:
        login = http.get("/api/v1/site").raise_for_status().json()["demo_login"]
        if login is None:
            raise DemoFailed("This site has no demo login. Set AGENTSITE_DEMO=true.")
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
    """Send a prompt and wait until its turn ends, while the narrator prints the turn's events."""
    narrator.print_line(f"> {prompt}")
    return session.run(prompt, on_permission=narrator.allow, on_event=narrator.print_event, timeout=TURN_TIMEOUT)


def run_demo(address: str) -> None:
    narrator = Narrator()
    token = make_token(address, "make demo", (*SCOPES, "admin"))
    with Client(address, token=token) as site, demo_repository() as repository, ExitStack() as until_end:
        project = until_end.enter_context(repository.project(site, address, token)) if repository else _seeded(site)
        session = site.start_session(project.id, new_workspace=True)
        narrator.print_line(f"Project '{project.name}', new workspace.\n")
        _run(session, PROMPT if repository else project.suggested_prompt, narrator)
        _show_changes(session, narrator)
        show_network(address, token, project.id, lambda prompt: _run(session, prompt, narrator), narrator.print_line)
        if repository:
            narrator.print_line("\nA pull request on the demo's forge:")
            repository.show_pull_request(session, narrator.print_line)


def _seeded(site: Client) -> ProjectView:
    projects = site.projects()
    if not projects:
        raise DemoFailed("The demo team has no project. Run: python manage.py prepare_site")
    return next((each for each in projects if each.name == demo_project.NAME), projects[0])


def _show_changes(session: Session, narrator: Narrator) -> None:
    """Print the files that the session changed, and run the tests of its workspace. Raises DemoFailed if they do not
    pass."""
    narrator.print_line("\nChanged files:")
    for file in session.diff():
        narrator.print_line(f"  {file.status} {file.path} +{file.additions} -{file.deletions}")
    narrator.print_line("\nRunning the workspace's own tests again:")
    done = _run(session, CHECK_PROMPT, narrator)
    codes = [call.metadata.get("exit_code") for call in done.calls.values() if call.tool == "bash"]
    if not codes or codes[-1] != 0:
        raise DemoFailed(f"The workspace's tests do not pass (exit codes {codes}).")
    narrator.print_line("\nThe workspace's tests pass.")


def main() -> int:
    address = os.environ.get("AGENTSITE_URL", "http://127.0.0.1:8000")
    try:
        run_demo(address)
    except (DemoFailed, NetworkShownWrong, RepositoryShownWrong, ClientError) as error:
        print(f"\nThe demo failed: {error}", file=sys.stderr)
        return 1
    except TimeoutError:
        print(f"\nThe demo failed: a turn took longer than {TURN_TIMEOUT:.0f} s.", file=sys.stderr)
        return 1
    except (httpx.HTTPError, OSError) as error:
        print(f"\nThe demo failed: the site at {address} does not answer ({error}).", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
