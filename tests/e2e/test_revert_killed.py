"""Each involved process is killed during an undo, a redo, and a second answer to a prompt.

Afterwards the files are exactly as before the operation or as after it, and nothing waits forever.
"""

import io
import os
import random
import tarfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

import pytest

from agentsite.client import ApiError, Session, Unreachable
from agentsite.client.types import NewRevert
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = [pytest.mark.chaos, pytest.mark.full]

SOAK: Final = "SOAK" in os.environ
KILLS: Final = 20 if SOAK else 3
"""Kills of each process during undo and redo."""
AGAIN: Final = 5 if SOAK else 1
"""Kills of each process while a prompt is answered again."""
SEED: Final = int(os.environ.get("KILL_SEED", "4"))
FILES: Final = 60
LONGEST_SECONDS: Final = 0.4
PROCESSES: Final = ("sandbox", "web", "agent")
MAKE: Final = f"mkdir -p kept gone; for n in $(seq {FILES}); do echo old $n > kept/$n; echo old $n > gone/$n; done"
CHANGE: Final = (
    f"cat kept/1 > seen; for n in $(seq {FILES}); do echo new $n > kept/$n; mkdir -p made/$n; echo $n > made/$n/x; done"
    "; rm -r gone"
)
Contents = dict[str, bytes]


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@dataclass
class Story:
    """A session of two turns: the first created files, and the second, `turn`, changed them."""

    site: RunningSite
    client: ApiClient
    model: ModelServer
    session: Session
    chance: random.Random
    before: Contents
    after: Contents
    turn: str

    def while_killing(self, victim: str, act: Callable[[], object]) -> None:
        """Start an action and kill the process `victim` during it. The action may get no response from the web
        server."""

        def insist() -> None:
            with suppress(Unreachable, ApiError):
                act()

        with ThreadPoolExecutor(1) as aside:
            acting = aside.submit(insist)
            time.sleep(self.chance.random() * LONGEST_SECONDS)
            old = self.site.kill(victim)
            self.site.wait_for_replacement(victim, old, seconds=120)
            acting.result(timeout=120)
        self.client.wait_until_up(seconds=120)

    def state(self) -> str:
        """Wait until no revert is pending. Return the state of the revert: "applied" or "none"."""

        def is_settled() -> bool:
            revert = self.session.view().revert
            return revert is None or revert.state != "pending"

        wait_until(is_settled, "the revert has ended", seconds=120, step=0.1)
        revert = self.session.view().revert
        return "none" if revert is None else revert.state


def contents(client: ApiClient, session: Session) -> Contents:
    """Return the content of all files of the workspace."""
    answer = client.http.get(f"/api/v1/sessions/{session.id}/archive", timeout=120)
    answer.raise_for_status()
    with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
        files = [each for each in archive if each.isfile() and each.name.startswith("workspace/")]
        found = {each.name: archive.extractfile(each) for each in files}
        return {name: file.read() for name, file in found.items() if file}


def run_turn(client: ApiClient, model: ModelServer, session: Session, command: str) -> str:
    script = model.script(calls(tool_call("bash", command=command)), text("Done."), by="conversation")
    turn = session.prompt(f"Go. {script.marker}").id
    complete(client, session, turn)
    return turn


def complete(client: ApiClient, session: Session, turn: str) -> None:
    """Allow the permission requests of the turn, and wait until the turn is completed."""
    ended = client.wait_for_turn(session.id, turn, states=("waiting", "completed", "failed"), seconds=120)
    if ended["state"] == "waiting":
        for request in client.snapshot(session.id)["permission_requests"]:
            if request["state"] == "open":
                client.reply(request["id"])
        ended = client.wait_for_turn(session.id, turn, seconds=120)
    assert ended["state"] == "completed", ended["error"]


@pytest.fixture
def story(site: RunningSite, client: ApiClient, model: ModelServer) -> Story:
    session = client.site.session(client.open_session())
    run_turn(client, model, session, MAKE)
    before = contents(client, session)
    turn = run_turn(client, model, session, CHANGE)
    after = contents(client, session)
    assert before != after
    return Story(site, client, model, session, random.Random(SEED), before, after, turn)


@pytest.mark.parametrize("victim", PROCESSES)
def test_a_kill_in_an_undo_or_a_redo_leaves_the_files_as_before_or_afterwards(story: Story, victim: str) -> None:
    wanted = NewRevert(turn_id=story.turn)
    for _ in range(KILLS):
        is_undone = story.state() == "applied"
        act = story.session.unrevert if is_undone else lambda: story.session.revert(wanted)
        story.while_killing(victim, act)
        state = story.state()
        assert contents(story.client, story.session) == (story.before if state == "applied" else story.after), state
    if story.state() == "applied":
        story.session.unrevert()
    assert contents(story.client, story.session) == story.after


@pytest.mark.parametrize("victim", PROCESSES)
def test_a_kill_before_a_prompt_is_answered_again_begins_it_with_the_old_files(story: Story, victim: str) -> None:
    turn = story.turn
    for _ in range(AGAIN):
        known = {each["id"] for each in story.client.snapshot(story.session.id)["turns"]}
        story.while_killing(victim, partial(story.session.retry, turn, files="then"))
        newest = story.client.snapshot(story.session.id)["turns"][-1]["id"]
        if newest not in known:  # otherwise the web server was killed before it stored anything
            complete(story.client, story.session, newest)
            turn = newest
        assert story.session.view().revert is None
        assert contents(story.client, story.session) == story.after
