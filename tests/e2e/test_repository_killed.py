"""Each involved process is killed during a clone, a push and a pull request on a real site.

The turn completes, no partial files remain, nothing is pushed twice, and there is exactly one pull request.
"""

import itertools
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pytest

from agentsite.client import ApiError, Session, Unreachable
from deploy.demo_forge import Forge, ForgeRepository
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import RunningSite

pytestmark = [pytest.mark.chaos, pytest.mark.full]

SOAK: Final = "SOAK" in os.environ
KILLS: Final = 20 if SOAK else 2
"""Kills of each process during a clone, during a push, and while a pull request is opened."""
SEED: Final = int(os.environ.get("KILL_SEED", "4"))
FILES: Final = {f"data/{number}.bin": os.urandom(1 << 20) for number in range(6)}
WORK: Final = (
    "head -c 3M /dev/urandom > own.bin && git add -A && git commit -qm More && "
    "until git push -q; do sleep 0.3; done; git rev-parse HEAD; git status --porcelain | wc -l; "
    "git fsck --connectivity-only 2> /dev/null | wc -l; ls .git/objects/pack/tmp* 2> /dev/null | wc -l"
)
RULES: Final = [
    {"permission": "bash", "pattern": "*", "action": "allow"},
    {"permission": "git_push", "pattern": "agentsite/*", "action": "allow"},
]
OPENERS: Final = {"door": "door", "sandbox": "web", "agent": "web"}
"""For each process of the test, the one to kill while a pull request is opened: only web and the door take part in
that."""

_numbers = itertools.count(1)


@pytest.fixture
def site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@dataclass
class Story:
    """A project with a repository, whose rules allow commands and pushes of session branches."""

    site: RunningSite
    client: ApiClient
    model: ModelServer
    shop: ForgeRepository
    project: str
    chance: random.Random

    def work(self, victim: str) -> tuple[Session, str]:
        """Run a turn that clones, commits and pushes, and kill the process `victim` twice meanwhile. Return the session
        and the command's output."""
        session = self.client.site.start_session(self.project, new_workspace=True)
        script = self.model.script(calls(tool_call("bash", command=WORK)), text("Done."), by="conversation")
        turn = session.prompt(f"Go. {script.marker}").id
        time.sleep(self.chance.random() * 3)
        self.kill(victim)
        wait_until(lambda: self._is_working(session), "the command runs", seconds=400, step=0.1)
        time.sleep(self.chance.random() * 1.5)
        self.kill(victim)
        ended = self.client.wait_for_turn(session.id, turn, seconds=400)
        assert ended["state"] == "completed", ended["error"]
        [call] = self.client.snapshot(session.id)["calls"]
        return session, call["output"]

    def _is_working(self, session: Session) -> bool:
        snapshot = self.client.snapshot(session.id)
        assert snapshot["turns"][-1]["error"] is None
        return any(call["state"] in ("running", "completed", "error") for call in snapshot["calls"])

    def kill(self, victim: str) -> None:
        old = self.site.kill(victim)
        self.site.wait_for_replacement(victim, old, seconds=90)

    def open_pull_request(self, session: Session, victim: str) -> Any:
        """Open a pull request while the process `victim` is killed once; repeat the request until it is answered."""
        with ThreadPoolExecutor(1) as aside:
            opening = aside.submit(_insist, lambda: session.open_pull_request("More").pull_request)
            time.sleep(self.chance.random())
            self.kill(victim)
            return opening.result(timeout=400)

    def show_pull_request(self, session: Session) -> Any:
        """Return the pull request that the site shows; repeat the request until its web server has restarted."""
        return _insist(lambda: session.pull_request().pull_request)


def _insist(ask: Callable[[], Any]) -> Any:
    while True:
        try:
            return ask()
        except Unreachable:
            continue
        except ApiError as error:
            if error.status < 500:
                raise


@pytest.fixture
def story(site: RunningSite, forge_site: Forge, client: ApiClient, model: ModelServer) -> Iterator[Story]:
    number = next(_numbers)
    kim = forge_site.account(f"kim-{number}")
    shop = forge_site.repository(f"tea/killed-{number}", FILES, writers=[kim])
    team = client.site.me().teams[0].id
    connection = client.site.connect(team, "github", kim.token, address=forge_site.url, name=shop.full_name)
    project = client.site.create_project(team, "Killed", shop.full_name, connection=connection.id)
    version = client.get(f"/api/v1/policies/{project.id}")["version"]
    body = {"document": {"rules": RULES}, "base_version": version, "reason": "Nobody is there to ask"}
    client.http.put(f"/api/v1/policies/{project.id}", json=body).raise_for_status()
    yield Story(site, client, model, shop, project.id, random.Random(SEED))
    for path in (f"projects/{project.id}/repository", f"connections/{connection.id}"):
        client.http.delete(f"/api/v1/{path}").raise_for_status()


@pytest.mark.parametrize("victim", ["door", "sandbox", "agent"])
def test_a_kill_in_a_clone_and_a_push_leaves_nothing_half_and_repeats_nothing(victim: str, story: Story) -> None:
    for number in range(KILLS):
        session, output = story.work(victim)
        said = re.findall(r"^[0-9a-f]{40}$|^\d+$", output, re.MULTILINE)
        opened = story.open_pull_request(session, OPENERS[victim])
        branch = opened.branch
        print(victim, number, branch, said)
        assert said == [story.shop.heads()[branch], "0", "0", "0"], output
        assert story.shop.git("rev-list", "--count", f"main..{branch}").strip() == "1"
        assert len([push for push in story.shop.pushes if branch in push.moved]) == 1
        assert [pull.number for pull in story.shop.pulls if pull.head == branch] == [opened.number]
        assert story.show_pull_request(session) == opened
        session.delete()
