"""Long and simultaneous faults lose no work and repeat no command. A part of `make soak`.

Several sessions run commands of a second each, which write their names into a file. While they run, processes are
killed in pairs, frozen or paused for longer than their leases, the database is locked, or the disk of the site's state
is full. Afterwards every turn completes, and the file has every name once.
"""

import itertools
import os
import re
import shutil
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import redis

from deploy.demo_model.scripts import Step
from sandbox.disk import loops
from sandbox.disk.workspace_disks import release_all
from sandbox.engine.private import PrivateEngine
from sandbox.engine.processes import send_signal
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine
from tests.support.model_server import ModelServer, calls, run_model_server, text, tool_call
from tests.support.running_site import REPOSITORY, RunningSite, running_site

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.full,
    pytest.mark.skipif("SOAK" not in os.environ, reason="a part of make soak"),
]

STATE: Final = REPOSITORY / "var" / "test" / "soak"
PROCESSES: Final = ("web", "agent", "sandbox", "beat", "valkey")
MAKEFILE: Final = "deploy-%:\n\t@sleep 1 && echo $* >> deployed.txt\n"
SESSIONS: Final = 3
CALLS: Final = 4  # of each session, one after the other
FROZEN: Final = 72.0  # seconds; longer than any lease
PAUSED: Final = 40.0
LOCKED: Final = 45.0
FULL: Final = 20.0
FLUSHES: Final = 8
PATIENCE: Final = 180.0
FULL_DISK_MIB: Final = 400
"""Size of the file system for the database and the logs of a site."""


@dataclass
class Work:
    """Turns in one workspace. `expected` are the names that their commands write into a file."""

    client: ApiClient
    model: ModelServer
    home: str
    workspace_id: str
    turns: dict[str, str] = field(default_factory=dict)
    expected: list[str] = field(default_factory=list)
    rounds: int = 0

    def begin(self) -> None:
        """Start a turn in each of several sessions, and wait until the first command runs."""
        self.rounds += 1
        for number in range(SESSIONS):
            names = [f"{self.rounds}-{number}-{each}" for each in range(CALLS)]
            steps = [calls(tool_call("bash", command=f"make deploy-{name}")) for name in names]
            session_id, turn_id = self._prompt(*steps)
            self.turns[session_id] = turn_id
            self.expected += names
        self.client.wait_for_call(next(reversed(self.turns)), "bash", "running")

    def _prompt(self, *steps: Step) -> tuple[str, str]:
        path = f"/api/v1/projects/{self.client.project().id}/sessions"
        session_id = self.client.post(path, {"workspace_id": self.workspace_id})["id"]
        script = self.model.script(*steps, text("Done."), by="conversation")
        return session_id, self.client.prompt(session_id, f"Go. {script.marker}")

    def finish(self) -> float:
        """Wait until every turn has completed, and check that every command ran once. Return the seconds that this
        took."""
        began = time.monotonic()
        self.client.wait_until_up(seconds=PATIENCE)
        for session_id, turn_id in self.turns.items():
            turn = self._ended(session_id, turn_id)
            assert turn["state"] == "completed", turn["error"]
        seconds = time.monotonic() - began
        self.turns.clear()
        session_id, turn_id = self._prompt(calls(tool_call("read", filePath="deployed.txt")))
        assert self._ended(session_id, turn_id)["state"] == "completed"
        output = self.client.snapshot(session_id)["calls"][-1]["output"]
        ran = re.findall(r"\b\d+-\d+-\d+$", output, re.MULTILINE)
        assert sorted(ran) == sorted(self.expected)
        return seconds

    def _ended(self, session_id: str, turn_id: str) -> Any:
        """Wait until the turn has ended, and return it. It polls, because a killed process cannot stream events."""
        found: list[Any] = []

        def has_ended() -> bool:
            with suppress(httpx.HTTPError):
                turns = self.client.snapshot(session_id)["turns"]
                found[:] = [turn for turn in turns if turn["id"] == turn_id]
            return bool(found) and found[0]["state"] in ("completed", "aborted", "failed")

        wait_until(has_ended, f"the turn of {session_id} ends", seconds=PATIENCE, step=0.5)
        return found[0]


def work_at(client: ApiClient, model: ModelServer) -> Work:
    """Create a `Work` in a new workspace, after changing the project's policy so that its commands need no decision."""
    path = f"/api/v1/policies/{client.project().id}"
    before = client.get(path)
    document = {name: before[name] for name in ("rules", "enforced", "expectations", "options")}
    change = {
        "document": {**document, "preset": "contained"},
        "base_version": before["version"],
        "reason": "No questions",
    }
    client.http.put(path, json=change).raise_for_status()
    home = client.open_session()
    script = model.script(calls(tool_call("write", filePath="Makefile", content=MAKEFILE)), text("Done."))
    turn = client.wait_for_turn(home, client.prompt(home, f"Go. {script.marker}"))
    assert turn["state"] == "completed", turn["error"]
    return Work(client, model, home, client.snapshot(home)["workspace"]["id"])


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    yield from run_model_server()


@pytest.fixture(scope="module")
def soak_site(docker_engine: TestEngine, model: ModelServer) -> Iterator[RunningSite]:
    environment = {"DOCKER_HOST": docker_engine.host, "MODEL_NAME": "demo", "MODEL_BASE_URL": model.base_url}
    with running_site(STATE, environment) as site:
        yield site


@pytest.fixture(scope="module")
def work(soak_site: RunningSite, model: ModelServer) -> Iterator[Work]:
    with ApiClient(soak_site.address) as client:
        yield work_at(client, model)


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Any:
    def say(what: str, seconds: float) -> None:
        with capsys.disabled():
            print(f"\n{what}: {SESSIONS * CALLS} commands, each once; all done {seconds:.1f} s after the end of it")

    return say


@pytest.mark.parametrize("pair", list(itertools.combinations(PROCESSES, 2)), ids="+".join)
def test_two_processes_killed_at_once_lose_and_repeat_nothing(
    soak_site: RunningSite, work: Work, pair: tuple[str, str], report: Any
) -> None:
    work.begin()
    old = {name: soak_site.kill(name) for name in pair}
    for name, pid in old.items():
        soak_site.wait_for_replacement(name, pid, seconds=60)
    report("killed " + " and ".join(pair), work.finish())


@pytest.mark.parametrize("program", ["containerd", "dockerd"])
@pytest.mark.parametrize("beside", [(), ("sandbox",), ("agent",)], ids=["alone", "with sandbox", "with agent"])
def test_a_killed_program_of_the_engine_loses_and_repeats_nothing(
    soak_site: RunningSite, work: Work, docker_engine: TestEngine, program: str, beside: tuple[str, ...], report: Any
) -> None:
    engine = PrivateEngine.at_address(docker_engine.host)
    if engine is None:
        pytest.skip("only a private engine may be killed")
    work.begin()
    for process in engine.resources.processes():
        if process.program == program:
            send_signal(process, signal.SIGKILL)
    old = {name: soak_site.kill(name) for name in beside}
    if program == "dockerd":
        engine.start()
    for name, pid in old.items():
        soak_site.wait_for_replacement(name, pid, seconds=60)
    report(f"killed {' and '.join((program, *beside))}", work.finish())


@pytest.mark.parametrize(
    ("name", "seconds"), [("agent", FROZEN), ("sandbox", FROZEN), ("beat", FROZEN), ("valkey", PAUSED)]
)
def test_a_frozen_process_that_goes_on_loses_and_repeats_nothing(
    soak_site: RunningSite, work: Work, name: str, seconds: float, report: Any
) -> None:
    work.begin()
    pid = soak_site.pid_of(name)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)
    report(f"froze {name} for {seconds:g} s", work.finish())


def test_a_valkey_that_is_emptied_again_and_again_loses_and_repeats_nothing(
    soak_site: RunningSite, work: Work, report: Any
) -> None:
    work.begin()
    with redis.Redis(unix_socket_path=str(soak_site.state / "run" / "valkey.sock")) as valkey:
        for _ in range(FLUSHES):
            valkey.flushall()
            time.sleep(0.5)
    report(f"emptied Valkey {FLUSHES} times", work.finish())


def test_a_locked_database_loses_and_repeats_nothing(soak_site: RunningSite, work: Work, report: Any) -> None:
    work.begin()
    with closing(sqlite3.connect(soak_site.state / "db.sqlite3", timeout=PATIENCE, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        time.sleep(LOCKED)
    report(f"locked the database for {LOCKED:g} s", work.finish())


@contextmanager
def small_state(folder: Path) -> Iterator[Path]:
    """Mount a small file system as the state directory of a site, with the workspaces elsewhere."""
    state, workspaces = folder / "state", folder / "workspaces"
    for path in (state, workspaces):
        path.mkdir(parents=True, exist_ok=True)
    loops.mount("tmpfs", state, "tmpfs", f"size={FULL_DISK_MIB}m")
    try:
        (state / "workspaces").mkdir()
        loops.bind(workspaces, state / "workspaces")
        yield state
    finally:
        release_all(state / "workspaces")
        loops.unmount(state / "workspaces")
        loops.unmount(state)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_full_disk_of_the_state_loses_and_repeats_nothing(
    docker_engine: TestEngine, model: ModelServer, report: Any
) -> None:
    environment = {"DOCKER_HOST": docker_engine.host, "MODEL_NAME": "demo", "MODEL_BASE_URL": model.base_url}
    with (
        small_state(STATE.with_name("soak-full")) as state,
        running_site(state, environment, keep=True) as site,
        ApiClient(site.address) as client,
    ):
        work = work_at(client, model)
        work.begin()
        pids = {name: site.pid_of(name) for name in PROCESSES}
        with closing(sqlite3.connect(state / "db.sqlite3", timeout=PATIENCE)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # or the database could still use the space of its log
        filler = state / "filler"
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))
        try:
            time.sleep(FULL)
        finally:
            filler.unlink()
        report(f"filled the disk for {FULL:g} s", work.finish())
        assert {name: site.pid_of(name) for name in PROCESSES} == pids
