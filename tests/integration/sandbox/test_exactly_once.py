"""No call runs twice if its client, its container or the engine is killed. A counter file proves it."""

import asyncio
import base64
import json
import os
import random
import signal
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.client.unix_socket import connect
from sandbox.docker.container import container_name
from sandbox.engine import api
from sandbox.engine.private import PrivateEngine
from tests.integration.sandbox.own_engine import SEED, SOAK, own_engine, own_site
from tests.support.killable import Child, Nursery, nursery
from tests.support.lanes import EVERYTHING
from tests.support.sandbox_jobs import Site

pytestmark = [pytest.mark.docker, pytest.mark.chaos]

KILLS: Final = 300 if SOAK else 150 if EVERYTHING else 8
ENGINE_KILLS: Final = 10 if SOAK else 2 if EVERYTHING else 1
WORKSPACES: Final = ("wsp_a", "wsp_b", "wsp_c", "wsp_d")
PATIENCE: Final = 120.0
FILLER: Final = 200
"""Lines of output that a call writes, possibly while no client reads them."""
COMMAND: Final = "echo {call} >> /workspace/counter; seq 1 {lines}; sleep {pause:.3f}; echo end of {call}"


@dataclass
class Tally:
    """Counts of kills and of the ends of calls, over all workspaces."""

    seed: int
    kills: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)
    engine: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str) -> None:
        with self.lock:
            self.kills[kind] += 1

    @property
    def is_done(self) -> bool:
        with self.lock:
            return self.kills.total() >= KILLS

    def may_kill_engine(self) -> bool:
        """Return whether the engine may be killed now, so that its kills are spread over the run."""
        return self.kills["engine"] < ENGINE_KILLS * self.kills.total() / KILLS


class Driver:
    """A driver that makes one call after another in a workspace. After its client is killed, a new client repeats the
    call."""

    def __init__(self, site: Site, workspace_id: str, young: Nursery, engine: PrivateEngine, tally: Tally) -> None:
        self._site = site
        self._workspace_id = workspace_id
        self._nursery = young
        self._engine = engine
        self._tally = tally
        self._chance = random.Random(f"{tally.seed} {workspace_id}")
        self.results: dict[str, str] = {}

    def drive(self) -> None:
        while not self._tally.is_done:
            call = f"{self._workspace_id}-{len(self.results)}"
            answer = self._until_answered(call, self._chance.uniform(0, 0.25))
            self.results[call] = answer["end"]
            if answer["end"] == "exited":
                assert base64.b64decode(answer["output"]).decode() == expected_output(call)

    def _until_answered(self, call: str, pause: float) -> dict[str, Any]:
        give_up, answer = time.monotonic() + PATIENCE, {}
        while time.monotonic() < give_up:
            child = self._attempt(call, pause)
            kill = self._chance.random() < 0.75 and not self._tally.is_done
            if kill and not child.ends_within(self._chance.uniform(0, 0.35)):
                self._kill_something(child)
            answer = answer_of(child.report())
            if "end" in answer:
                return dict(answer)
        raise AssertionError(f"{call} was not answered within {PATIENCE:g} s, last: {answer}")

    def _attempt(self, call: str, pause: float) -> Child:
        command = COMMAND.format(call=call, lines=FILLER, pause=pause)
        return self._nursery.start(
            "tests.support.sandbox_jobs:run_call",
            site=self._site.as_arguments(),
            workspace_id=self._workspace_id,
            call_id=call,
            command=command,
        )

    def _kill_something(self, child: Child) -> None:
        """Kill the client in most cases, otherwise the engine, the container or the runner while the client lives."""
        draw = self._chance.random()
        if draw < 0.12 and self._chance.random() < 0.5:
            child.prints_within(2.0)  # so that half of them strike while the command runs
        if draw < 0.04 and self._tally.may_kill_engine():
            self._kill_engine()
        elif draw < 0.08:
            with suppress(OSError):
                if api.kill_container(self._site.host, container_name(self._site.name, self._workspace_id)):
                    self._tally.count("container")
        elif draw < 0.12:
            with suppress(OSError):
                os.kill(runner_of(self._site, self._workspace_id), signal.SIGKILL)
                self._tally.count("runner")
        elif child.kill():
            self._tally.count("client")

    def _kill_engine(self) -> None:
        with self._tally.engine:
            if (dockerd := self._engine.process()) is None:
                return
            with suppress(ProcessLookupError):
                os.kill(dockerd.pid, signal.SIGKILL)
            self._tally.count("engine")
            self._engine.start()


def answer_of(report: str) -> dict[str, Any]:
    """Return the answer in a client's report; empty if the client was killed before it got an answer."""
    lines = report.splitlines()
    return dict(json.loads(lines[-1])) if lines and lines[-1].endswith("}") else {}


def runner_of(site: Site, workspace_id: str) -> int:
    """Return the pid, on this machine, of the runner that listens on the workspace's socket. Raises OSError if there is
    none."""
    with connect(Path(site.root) / workspace_id / "runner" / "socket") as connection:
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid: int = struct.unpack("3i", credentials)[0]
    return pid


async def read_counter(site: Site, workspace_id: str) -> Counter[str]:
    """Return how often each call ran, by the counter file of the workspace."""
    deployment = site.deployment()
    runtime = await deployment.ensure(site.spec(workspace_id))
    content = (await runtime.read("counter")).content.decode()
    await deployment.close()
    return Counter(content.split())


def expected_output(call: str) -> str:
    return "".join(f"{number}\n" for number in range(1, FILLER + 1)) + f"end of {call}\n"


@pytest.fixture(scope="module")
def engine_and_site() -> Iterator[tuple[PrivateEngine, Site]]:
    with own_engine() as (engine, image):
        yield engine, own_site(engine, image, "once")


def test_no_call_runs_twice_and_every_result_survives(
    engine_and_site: tuple[PrivateEngine, Site], capsys: pytest.CaptureFixture[str]
) -> None:
    engine, site = engine_and_site
    tally = Tally(SEED)
    began = time.monotonic()
    with nursery("tests.support.sandbox_jobs") as young, ThreadPoolExecutor(len(WORKSPACES)) as pool:
        drivers = [Driver(site, name, young, engine, tally) for name in WORKSPACES]
        for running in [pool.submit(driver.drive) for driver in drivers]:
            running.result()
    for name, driver in zip(WORKSPACES, drivers, strict=True):
        ran = asyncio.run(read_counter(site, name))
        tally.ends.update(driver.results.values())
        assert {call: times for call, times in ran.items() if times > 1} == {}, f"seed {SEED}"
        exited = {call for call, end in driver.results.items() if end == "exited"}
        assert exited <= set(ran), f"seed {SEED}"
        assert set(driver.results.values()) <= {"exited", "lost"}, f"seed {SEED}"
    with capsys.disabled():
        seconds = time.monotonic() - began
        print(f"\nseed {SEED}, {seconds:.0f} s: killed {dict(tally.kills)}; calls ended {dict(tally.ends)}")
