"""A private dockerd: own socket, data, processes and pid file in one directory, so that several live side by side.

User namespaces are remapped (the root of a container is nobody here), there is no bridge and no firewall rule of its
own (another engine's network stays untouched), and containers survive the engine being restarted.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sandbox.engine import api
from sandbox.errors import SandboxUnavailable

START_PATIENCE: Final = 30.0
STOP_PATIENCE: Final = 10.0
PAUSE: Final = 0.05
LONGEST_STATE: Final = 60
"""Sockets lie below the directory, and the name of a socket may have 107 characters."""
SHARED_DATA: Final = Path("/var/lib/agentsite-engines")
START_LOCK: Final = Path("/run/lock/agentsite-engine")


class PrivateEngine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.host = f"unix://{self.folder}/docker.sock"
        self._data = data_root(self.folder)
        self._exec = self.folder / "exec"
        self._pid_file = self.folder / "docker.pid"
        self._log = self.folder / "dockerd.log"

    def is_running(self) -> bool:
        return (self.folder / "docker.sock").exists() and api.answers(self.host)

    def start(self) -> str:
        """Its address, once it answers. Harmless when it runs already; SandboxUnavailable says what is missing."""
        self._require_means()
        for folder in (self.folder, self._data):
            folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        with _one_at_a_time():
            if not self.is_running():
                self._clear_away()
                self._wait_until_it_answers(self._launch())
        return self.host

    def stop(self) -> None:
        """Ends the engine, its containers and every process and mount of it; its data stays."""
        if not self.folder.exists():
            return
        with suppress(OSError):
            for container_id in api.running_containers(self.host):
                api.kill_container(self.host, container_id)
        if (pid := self._pid()) is not None:
            _signal(pid, signal.SIGTERM)
            _wait_for(lambda: self._pid() is None, STOP_PATIENCE)
        self._clear_away()

    def remove(self) -> None:
        """Stops it and deletes its images and containers too; what sites keep in their workspaces stays."""
        self.stop()
        for folder in (self._data, self.folder):
            shutil.rmtree(folder, ignore_errors=True)

    def _require_means(self) -> None:
        if len(str(self.folder)) > LONGEST_STATE:
            raise SandboxUnavailable(f"{self.folder} is too long a path for an engine's sockets; choose another.")
        if os.getuid() != 0:
            raise SandboxUnavailable(
                "No container engine answers, and only root can start one. Start Docker, or set DOCKER_HOST."
            )
        for program, package in (("dockerd", "docker.io"), ("containerd", "containerd"), ("runc", "runc")):
            if shutil.which(program) is None:
                raise SandboxUnavailable(f"No engine answers and {program} is missing: apt-get install {package}.")

    def _launch(self) -> "subprocess.Popen[bytes]":
        command = [
            "dockerd",
            f"--host={self.host}",
            f"--data-root={self._data}",
            f"--exec-root={self._exec}",
            f"--pidfile={self._pid_file}",
            "--userns-remap=default",
            "--bridge=none",
            "--iptables=false",
            "--ip6tables=false",
            "--live-restore",
            "--log-level=warn",
            "--shutdown-timeout=2",
        ]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )

    def _wait_until_it_answers(self, process: "subprocess.Popen[bytes]") -> None:
        if not _wait_for(lambda: self.is_running() or process.poll() is not None, START_PATIENCE):
            process.terminate()
        if not self.is_running():
            last = self._log.read_text(errors="replace")[-1500:]
            self._clear_away()
            raise SandboxUnavailable(f"The container engine did not start. The end of {self._log}:\n{last}")
        process.returncode = 0  # it stays when this program ends

    def _pid(self) -> int | None:
        """Of the running dockerd; None when the file names none of ours."""
        try:
            pid = int(self._pid_file.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if f"--data-root={self._data}".encode() in command.split(b"\0") else None

    def _clear_away(self) -> None:
        """What a killed engine leaves: containers, their shims, containerd, mounts, its socket and pid files."""
        shims = [pid for pid, command in _processes() if f"{self._exec}/".encode() in command]
        for pid in [*_children_of(set(shims)), *shims]:
            _signal(pid, signal.SIGKILL)
        _wait_for(lambda: not any(f"{self._exec}/".encode() in command for _, command in _processes()), STOP_PATIENCE)
        mounts = {*_mounts_below(self.folder), *_mounts_below(self._data)}
        for mount in sorted(mounts, reverse=True):
            subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)
        for leftover in (self._pid_file, self.folder / "docker.sock", self._exec / "containerd" / "containerd.pid"):
            leftover.unlink(missing_ok=True)


def data_root(folder: Path) -> Path:
    """Inside the engine's directory, unless a container's remapped root could not walk there, as below /root."""
    parents = [parent for parent in (folder, *folder.parents) if parent.exists()]
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in parents):
        return folder / "data"
    return SHARED_DATA / hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


def _processes() -> Iterator[tuple[int, bytes]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                yield int(entry.name), (entry / "cmdline").read_bytes()


def _children_of(parents: set[int]) -> list[int]:
    children = []
    for pid, _ in _processes():
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) in parents and pid not in parents:
                children.append(pid)
    return children


def _mounts_below(folder: Path) -> list[str]:
    places = (line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return [place for place in places if place.startswith(f"{folder}/")]


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _wait_for(condition: Callable[[], bool], patience: float) -> bool:
    give_up = time.monotonic() + patience
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(PAUSE)
    return True


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """The first start on a machine makes the user that ids are remapped to; two at once would both try."""
    START_LOCK.parent.mkdir(parents=True, exist_ok=True)
    with START_LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
