"""Limit the number of our modules that one prompt with a `bash` call runs through, because a reader of the code may
have to follow all of them.

A module counts if one of its functions runs in the web process, the agent worker or the sandbox worker, from the REST
request to the last step. The modules of the shell analysis are left out, as are those of the runner, which runs in the
container, and the starter of runners, which only tests use. The session is warm: the processes have filled their
caches.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType
from typing import Any, Final

from django.test import Client

from agentsite.base.background import background
from sandbox.limits import Limits
from sessions_app.models import Session, Workspace
from tests.support.builders import browser_of
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

MOST: Final = 91
"""Upper limit of the number. At commit e187d9e, 101 modules were counted by hand, and this test finds 125. It also
counts types and models, which nobody counts by hand, but not what is cached from an earlier prompt, containers and
sockets. Lower it when possible."""
OURS: Final = ("agentsite", "sandbox", "sessions_app", "tools_app")
LEFT_OUT: Final = ("tools_app.permission.shell", "sandbox.local_starter")
BASH: Final = tool_call("bash", command="ls", description="List the files")


def test_a_prompt_with_one_command_passes_few_modules(site: SessionSite) -> None:
    session = site.open_session(allow=("*",))
    Workspace.objects.filter(pk=session.workspace_id).update(limits=asdict(Limits()))  # as if its container was started
    site.script(calls(BASH), text("Done."), calls(BASH), text("Done."))
    browser = browser_of(site.user)
    _prompt(site, session, browser)
    with modules_passed() as passed:
        _prompt(site, session, browser)

    ends = {"sessions_app.transport.rest.conversation", "sessions_app.workers.agent.step", "sandbox.client.runtime"}
    assert ends < passed
    assert len(passed) <= MOST, "\n".join(sorted(passed))


def _prompt(site: SessionSite, session: Session, browser: Client) -> None:
    path = f"/api/v1/sessions/{session.public_id}/prompts"
    answer = browser.post(path, {"text": "Look around."}, content_type="application/json")
    assert answer.status_code == 202
    site.pump.run()


@contextmanager
def modules_passed() -> Iterator[set[str]]:
    """Collect this project's modules whose functions run on this thread, on new threads and on the background loop."""
    passed: set[str] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        name = str(frame.f_globals.get("__name__", ""))
        if event == "call" and name.startswith(OURS) and not name.startswith(LEFT_OUT):
            passed.add(name)

    _profile(note)
    try:
        yield passed
    finally:
        _profile(None)


def _profile(function: Any) -> None:
    threading.setprofile(function)
    background.loop.call_soon_threadsafe(sys.setprofile, function)
    sys.setprofile(function)
