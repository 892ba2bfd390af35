"""A whole site of separate processes, started as `make run` starts it, for what needs the real thing."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
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
START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 20.0
MARKS: Final[Mapping[str, str]] = {
    "web": "agentsite.asgi:application",
    "agent": "agent@",
    "sandbox": "sandbox@",
    "beat": "beat@",
    "valkey": "valkey",
    "model": "deploy.demo_model",
}


@dataclass
class RunningSite:
    """`state` is the site's directory; `log` its last lines."""

    address: str
    state: Path
    process: subprocess.Popen[str]
    log: deque[str] = field(default_factory=lambda: deque(maxlen=400))

    def pid_of(self, name: str) -> int | None:
        """The process of the Procfile's `name` as it runs now; None while it is being started again."""
        for pid in _children(self.process.pid):
            if MARKS[name] in _command_line(pid):
                return pid
        return None

    def kill(self, name: str) -> int:
        """End one process as a crash would, and return its pid."""
        pid = self.pid_of(name)
        if pid is None:
            raise AssertionError(f"{name} does not run")
        os.kill(pid, signal.SIGKILL)
        return pid

    def wait_for_replacement(self, name: str, old: int, *, seconds: float = 30.0) -> None:
        wait_until(lambda: self.pid_of(name) not in (None, old), f"{name} runs again", seconds=seconds)

    def memory(self) -> dict[str, float]:
        """Resident MiB of each process, its children included."""
        return {name: sum(map(_resident, _tree(pid))) for name in MARKS if (pid := self.pid_of(name)) is not None}


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _tree(pid: int) -> list[int]:
    return [pid, *(grand for child in _children(pid) for grand in _tree(child))]


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


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
def running_site(state: Path, environment: Mapping[str, str], *, keep: bool = False) -> Iterator[RunningSite]:
    """A fresh site in `state`, or with `keep` the one that was there; ready when the block begins and gone when it
    ends."""
    if not keep:
        _empty(state)
    port = free_port()
    own = {"AGENTSITE_STATE": str(state), "AGENTSITE_PORT": str(port), "AGENTSITE_HOST": "127.0.0.1"}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AGENTSITE_", "MODEL_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "deploy.launcher"],
        cwd=REPOSITORY,
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
        yield site
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the site did not stop within {STOP_SECONDS:g} s") from None
        reader.join(5)
        wait_until(lambda: not what_stays(state, environment), "nothing of the site stays", seconds=10)


def what_stays(state: Path, environment: Mapping[str, str]) -> list[str]:
    """Containers of a site that has ended, and what its workspaces hold of the kernel."""
    running: list[str] = []
    if host := environment.get("DOCKER_HOST"):
        with suppress(OSError):
            running = api.running_containers(host, f"agentsite.site={site_label(state)}")
    held = kernel_resources_below(state / "workspaces")
    return running + [place for one in held for place in (*one.mounts, *one.loops)]


def _empty(state: Path) -> None:
    """All but the engine's data, so that the image need not be built again."""
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
