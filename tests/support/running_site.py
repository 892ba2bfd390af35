"""A whole site of separate processes, started like `make run`, for tests that need a real site."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from agentsite.base.environment import site_label
from sandbox.disk.workspace_disks import kernel_resources_below, release_all
from sandbox.engine import api
from tests.support.deadline import wait_until

REPOSITORY: Final = Path(__file__).resolve().parent.parent.parent
READY: Final = "agentsite is ready"
START_SECONDS: Final = 600.0  # only bounds a hang: a first start migrates the database
STOP_SECONDS: Final = 20.0
CLOCK_TICKS: Final = os.sysconf("SC_CLK_TCK")
MARKS: Final[Mapping[str, str]] = {
    "web": "agentsite.asgi:application",
    "agent": "agent@",
    "sandbox": "sandbox@",
    "door": "sessions_app.workers.door",
    "preview": "sessions_app.workers.preview",
    "beat": "beat@",
    "valkey": "valkey",
    "model": "deploy.demo_model",
}


@dataclass
class RunningSite:
    """A running site. `state` is its directory; `log` the last lines of its log; `seconds_to_ready` the time from the
    start of the launcher until the health page, which the launcher requests ten times a second, reports readiness;
    `more_workers` the names and pids of workers that the launcher did not start."""

    address: str
    state: Path
    process: subprocess.Popen[str]
    log: deque[str] = field(default_factory=lambda: deque(maxlen=400))
    seconds_to_ready: float = 0.0
    more_workers: list[tuple[str, int]] = field(default_factory=list)

    def pid_of(self, name: str) -> int | None:
        """Return the current pid of the Procfile's process `name`; None while it is being restarted."""
        for pid in _children(self.process.pid):
            if MARKS[name] in _command_line(pid):
                return pid
        return None

    def kill(self, name: str) -> int:
        """Kill one process like a crash; return its pid."""
        pid = self.pid_of(name)
        if pid is None:
            raise AssertionError(f"{name} does not run")
        os.kill(pid, signal.SIGKILL)
        return pid

    def wait_for_replacement(self, name: str, old: int, *, seconds: float = 30.0) -> None:
        wait_until(lambda: self.pid_of(name) not in (None, old), f"{name} runs again", seconds=seconds)

    def memory(self) -> dict[str, float]:
        """Return the resident MiB of each process, including its children."""
        return {
            name: sum(map(_resident, process_tree(pid))) for name in MARKS if (pid := self.pid_of(name)) is not None
        }

    def cpu(self) -> dict[str, float]:
        """Return the CPU seconds of each process so far, including its children; `runner` sums up all containers."""
        started = [(name, pid) for name in MARKS if (pid := self.pid_of(name)) is not None]
        used: dict[str, float] = {}
        for name, pid in [*started, *self.more_workers, *(("runner", pid) for pid in self._container_pids())]:
            used[name] = used.get(name, 0.0) + sum(map(cpu_seconds, process_tree(pid)))
        return used

    def environment_of(self, name: str) -> dict[str, str]:
        """Return the environment with which the site's process `name` was started."""
        pairs = Path(f"/proc/{self.pid_of(name)}/environ").read_bytes().decode().split("\0")
        return dict(pair.split("=", 1) for pair in pairs if pair)

    def _container_pids(self) -> list[int]:
        host = self.environment_of("sandbox")["DOCKER_HOST"]
        labels = [f"agentsite.site={site_label(state)}" for state in (self.state, *self.state.glob("node-*"))]
        ids = [each for label in labels for each in api.running_containers(host, label)]
        return [json.loads(api.get(host, f"/containers/{each}/json"))["State"]["Pid"] for each in ids]


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def process_tree(pid: int) -> list[int]:
    return [pid, *(grand for child in _children(pid) for grand in process_tree(child))]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process so far, including its ended children; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / CLOCK_TICKS


def _resident(pid: int) -> float:
    try:
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0.0
    return int(found.group(1)) / 1024 if found else 0.0


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_site(
    state: Path,
    environment: Mapping[str, str],
    *,
    keep: bool = False,
    source: Path = REPOSITORY,
    stop_seconds: float = STOP_SECONDS,
    prepare: Callable[[Path], object] | None = None,
) -> Iterator[RunningSite]:
    """Run a new site in `state` during the block, or with `keep` the site that is already in `state`. The site is ready
    when the block begins.

    `source` is the checkout whose code runs. `prepare` may write a migrated database to the path that it gets.
    """
    if not keep:
        _empty(state)
    if prepare:
        state.mkdir(parents=True, exist_ok=True)
        prepare(state / "db.sqlite3")
    port = free_port()
    own = {"AGENTSITE_STATE": str(state), "AGENTSITE_PORT": str(port), "AGENTSITE_HOST": "127.0.0.1"}
    own["AGENTSITE_PREVIEW_URL"] = "none"  # one process less, where nothing is about previews
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTSITE_", "MODEL_"))}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "deploy.launcher"],
        cwd=source,
        env={**kept, **own, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    site = RunningSite(f"http://127.0.0.1:{port}", state, process)
    ready = threading.Event()
    reader = threading.Thread(target=_read, args=(site, ready), daemon=True)
    reader.start()
    try:
        wait_until(lambda: ready.is_set() or process.poll() is not None, "the site is ready", seconds=START_SECONDS)
        if not ready.is_set():
            raise AssertionError("the site did not start:\n" + "\n".join(site.log))
        site.seconds_to_ready = time.monotonic() - began
        yield site
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(stop_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the site did not stop within {stop_seconds:g} s") from None
        reader.join(5)
        wait_until(lambda: not what_stays(state, environment), "nothing of the site stays", seconds=10)


def what_stays(state: Path, environment: Mapping[str, str]) -> list[str]:
    """Return the containers, mounts and loop devices that a stopped site has left behind."""
    running: list[str] = []
    if host := environment.get("DOCKER_HOST"):
        with suppress(OSError):
            running = api.running_containers(host, f"agentsite.site={site_label(state)}")
    held = kernel_resources_below(state / "workspaces")
    return running + [place for one in held for place in (*one.mounts, *one.loops)]


def _empty(state: Path) -> None:
    """Delete the state except the engine's data, so that the image need not be built again."""
    release_all(state / "workspaces")
    for entry in state.glob("*"):
        if entry.name != "docker" and entry.is_dir():
            shutil.rmtree(entry)
        elif entry.name != "docker":
            entry.unlink()


def _read(site: RunningSite, ready: threading.Event) -> None:
    assert site.process.stdout is not None
    for line in site.process.stdout:
        site.log.append(line.rstrip())
        if READY in line:
            ready.set()
