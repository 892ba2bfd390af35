"""The door (the network proxy) and the worker are killed during clones and pushes, in a real container with real git.

No partial files are left, and nothing is pushed twice.
"""

import asyncio
import hashlib
import json
import os
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from deploy.demo_forge import Account, Forge, ForgeRepository, forge
from deploy.demo_forge.lfs import pointer
from sandbox.ports import RunRequest
from tests.integration.sandbox.own_engine import SEED, SOAK
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine
from tests.support.killable import Child, Nursery, nursery
from tests.support.repository_jobs import BRANCH, new_spec
from tests.support.sandbox_jobs import Site

pytestmark = [pytest.mark.docker, pytest.mark.chaos]

KILLS: Final = 20 if SOAK else 4
"""Kills of the door and of the worker each, during clones and during pushes."""
FILES: Final = {f"data/{number}.bin": os.urandom(1 << 20) for number in range(20)}
PATIENCE: Final = 400.0
WHOLE: Final = (
    "git status --porcelain | wc -l; git rev-parse HEAD; git fsck --connectivity-only 2> /dev/null | wc -l;"
    " ls .git/objects/pack/tmp* 2> /dev/null | wc -l"
)
LOOK: Final = "env; cat .git/config; grep -rhaosE 'forge_[0-9a-f]{40}' / --exclude-dir=sys --exclude-dir=proc; true"
UNFINISHED: Final = "find .git/lfs/tmp .git/lfs/incomplete -type f 2> /dev/null | wc -l"
PUSH: Final = "until git push -q; do sleep 0.2; done; echo pushed"


@dataclass
class Place:
    """A workspace with its container, and the child processes that serve it."""

    site: Site
    young: Nursery
    forge: Forge
    shop: ForgeRepository
    account: Account
    door: Child
    child: Child = field(default_factory=lambda: Child(-1, -1))
    """The worker that was started last."""
    workspace_id: str = "wsp_killed"

    def start_door(self) -> None:
        folder = Path(self.site.root) / self.workspace_id
        self.door = self.young.start(
            "tests.support.repository_jobs:serve_door", folder=str(folder), place=self.forge.place,
            repository=self.shop.full_name, site_url=self.shop.site_url, token=self.account.token,
        )  # fmt: skip
        assert self.door.prints_within(PATIENCE)

    def start_clone(self) -> Child:
        arguments = {"site": self.site.as_arguments(), "workspace_id": self.workspace_id}
        return self.young.start("tests.support.repository_jobs:clone", **arguments)

    def start_push(self, call_id: str) -> Child:
        arguments = {"site": self.site.as_arguments(), "workspace_id": self.workspace_id}
        return self.young.start("tests.support.repository_jobs:push", **arguments, call_id=call_id, command=PUSH)

    def shell(self, command: str) -> str:
        return asyncio.run(self._shell(command))

    async def _shell(self, command: str) -> str:
        deployment = self.site.deployment()
        try:
            runtime = await deployment.ensure(new_spec(self.site, self.workspace_id))
            result = await runtime.run(RunRequest(f"look-{time.monotonic_ns()}", command))
        finally:
            await deployment.close()
        return result.output.decode()


@pytest.fixture
def place(docker_engine: TestEngine, tmp_path: Path) -> Iterator[Place]:
    site = Site(docker_engine.host, docker_engine.image, str(tmp_path), docker_engine.site)
    with forge() as running, nursery("tests.support.repository_jobs") as young:
        account = running.account("kim")
        shop = running.repository("tea/shop", FILES, writers=[account])
        shop.git("config", "core.logAllRefUpdates", "always")
        made = Place(site, young, running, shop, account, Child(-1, -1))
        made.shell("true")
        made.start_door()
        yield made
        made.door.kill()
        asyncio.run(_remove(made))


async def _remove(place: Place) -> None:
    deployment = place.site.deployment()
    await deployment.remove(place.workspace_id, files=True)
    await deployment.close()


def last_line(child: Child) -> dict[str, Any]:
    assert child.ends_within(PATIENCE)
    found: dict[str, Any] = json.loads(child.report().strip().splitlines()[-1])
    return found


@pytest.mark.full
def test_clones_and_pushes_survive_kills_of_door_and_worker(place: Place) -> None:
    chance = random.Random(SEED)
    head = place.shop.heads()["main"]
    for number in range(KILLS * 2):
        who = ("door", "worker")[number % 2]
        worker = place.start_clone()
        worker.prints_within(chance.choice((0.0, PATIENCE)))
        time.sleep(chance.random() / 2)
        if who == "door":
            place.door.kill()
            place.start_door()
        elif worker.kill():
            worker = place.start_clone()
        facts = last_line(worker)
        assert (facts.get("commit"), facts.get("exit")) == (head, "0"), (who, facts)
        assert place.shell(WHOLE).split() == ["0", head, "0", "0"]
    pushed = []
    for number in range(KILLS * 2):
        who = ("door", "worker")[number % 2]
        place.shell("head -c 4M /dev/urandom > own.bin; git add -A; git commit -qm More")
        pushed.append(place.shell("git rev-parse HEAD").strip())
        worker = place.start_push(f"push-{number}")
        time.sleep(chance.random())
        if who == "door":
            place.door.kill()
            place.start_door()
        elif worker.kill():
            worker = place.start_push(f"push-{number}")
        assert last_line(worker) == {"end": "exited", "exit": 0}
        assert place.shop.heads()[BRANCH] == pushed[-1]
    moves = place.shop.git("reflog", "show", "--format=%H", BRANCH).split()
    assert moves == pushed[::-1]
    assert place.account.token not in place.shell(
        "env; cat .git/config; grep -rhaosE forge_[0-9a-f]{40} / --exclude-dir=sys --exclude-dir=proc; true"
    )


@pytest.mark.full
def test_files_in_lfs_survive_kills_in_the_middle_of_their_transfer(place: Place) -> None:
    chance, storage = random.Random(SEED), place.forge.own_lfs_storage
    place.shop.commit({".gitattributes": "*.large filter=lfs diff=lfs merge=lfs -text\n"})
    contents = [os.urandom(2 << 20) for _ in range(10)]
    place.shop.commit({f"{number}.large": pointer(place.shop.lfs, each) for number, each in enumerate(contents)})
    expected = [hashlib.sha256(each).hexdigest() for each in contents]
    for number in range(KILLS):
        storage.requests.clear()
        worker = place.start_clone()
        kill_in_a_transfer(place, worker, place.start_clone, chance, victim=("door", "worker")[number % 2])
        facts = last_line(place.child)
        assert (facts.get("exit"), facts.get("lfs")) == ("0", "done"), facts
        assert place.shell("sha256sum ?.large | cut -c1-64").split() == expected
        assert place.shell(f"git status --porcelain | wc -l; {UNFINISHED}").split() == ["0", "0"]
    for number in range(KILLS):
        storage.requests.clear()
        made = "for name in a b c d; do head -c 3M /dev/urandom > $name.large; done; git add -A; git commit -qm More"
        pushed = place.shell(f"{made}; sha256sum [a-d].large | cut -c1-64; git rev-parse HEAD").split()
        start = partial(place.start_push, f"lfs-{number}")
        kill_in_a_transfer(place, start(), start, chance, victim=("door", "worker")[number % 2])
        assert last_line(place.child) == {"end": "exited", "exit": 0}
        assert place.shop.heads()[BRANCH] == pushed.pop()
        assert set(pushed) <= place.shop.lfs.objects.keys()
    assert len(place.shop.lfs.objects) == len(contents) + 4 * KILLS
    assert place.shop.git("rev-list", "--count", f"main..{BRANCH}").strip() == str(KILLS)
    assert "lfs_" not in place.shell(LOOK.replace("forge_", "(forge|lfs)_"))


def kill_in_a_transfer(
    place: Place, worker: Child, start: Callable[[], Child], chance: random.Random, *, victim: str
) -> None:
    """Kill the door (the network proxy) or the worker as soon as a file in LFS is transferred, and restart it.
    `place.child` is then the worker."""
    place.child = worker
    wait_until(lambda: bool(place.forge.own_lfs_storage.requests), "a transfer", seconds=PATIENCE, step=0.02)
    time.sleep(chance.random() / 4)
    if victim == "door":
        place.door.kill()
        place.start_door()
    elif worker.kill():
        place.child = start()
