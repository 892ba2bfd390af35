"""A private dockerd: own socket, data, processes and pid file in one directory, so that several live side by side.

User namespaces are remapped (the root of a container is nobody here), there is no bridge and no firewall rule of its
own (another engine's network stays untouched), and containers survive the engine being restarted.
"""

import fcntl
import hashlib
import json
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
from sandbox.engine.processes import Process, read_process, send
from sandbox.engine.resources import Belongings
from sandbox.engine.runtimes import installed_runtimes
from sandbox.errors import SandboxUnavailable

START_PATIENCE: Final = 30.0
STOP_PATIENCE: Final = 10.0
PAUSE: Final = 0.05
LONGEST_STATE: Final = 60
"""Sockets lie below the directory, and the name of a socket may have 107 characters."""
SHARED_DATA: Final = Path("/var/lib/agentsite-engines")
START_LOCK: Final = Path("/run/agentsite-engine.lock")
"""Where only root can put a link in its place; /run/lock is everybody's."""


class PrivateEngine:
    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.host = f"unix://{self.folder}/docker.sock"
        self._data = data_root(self.folder)
        self.belongings = Belongings(self.folder, self._data)
        self._exec = self.belongings.exec_root
        self._pid_file = self.folder / "docker.pid"
        self._log = self.folder / "dockerd.log"

    @classmethod
    def behind(cls, docker_host: str) -> "PrivateEngine | None":
        """The one that answers at this address; None when that is an engine of the machine or of another host."""
        folder, _, name = docker_host.removeprefix("unix://").rpartition("/")
        if not docker_host.startswith("unix:///") or name != "docker.sock":
            return None
        engine = cls(Path(folder))
        return engine if engine.process() else None

    def is_running(self) -> bool:
        return (self.folder / "docker.sock").exists() and api.answers(self.host)

    def start(self) -> str:
        """Its address, once it answers. Harmless when it runs already; SandboxUnavailable says what is missing."""
        self._require_means()
        for folder in (self.folder, self._data):
            folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        with _one_at_a_time():
            if not self._answers_late():
                self._make_way()
                self._wait_until_it_answers(self._launch())
        return self.host

    def stop(self) -> None:
        """Ends the engine, its containers and every process and mount of it; its data stays."""
        if not self.folder.exists():
            return
        with suppress(OSError):
            for container_id in api.running_containers(self.host):
                api.kill_container(self.host, container_id)
        if (process := self.process()) is not None:
            send(process, signal.SIGTERM)
            _wait_for(lambda: self.process() is None, STOP_PATIENCE)
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
            f"--config-file={self._write_configuration()}",
            f"--host={self.host}",
            f"--data-root={self._data}",
            f"--exec-root={self._exec}",
            f"--pidfile={self._pid_file}",
            "--userns-remap=default",
            "--bridge=none",
            "--iptables=false",
            "--ip6tables=false",
            "--live-restore",
            "--exec-opt=native.cgroupdriver=cgroupfs",
            f"--cgroup-parent=/{self.belongings.cgroup}",
            "--log-level=warn",
            "--shutdown-timeout=2",
        ]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )

    def _write_configuration(self) -> Path:
        """Only what no option can say; also keeps the configuration of the machine's own engine out of this one."""
        file = self.folder / "daemon.json"
        file.write_text(json.dumps({"runtimes": installed_runtimes()}))
        return file

    def _wait_until_it_answers(self, process: "subprocess.Popen[bytes]") -> None:
        if not _wait_for(lambda: self.is_running() or process.poll() is not None, START_PATIENCE):
            process.terminate()
        if not self.is_running():
            last = self._log.read_text(errors="replace")[-1500:]
            self._clear_away()
            raise SandboxUnavailable(f"The container engine did not start. The end of {self._log}:\n{last}")
        process.returncode = 0  # it stays when this program ends

    def process(self) -> Process | None:
        """The running dockerd; None when its pid file names none of ours."""
        try:
            process = read_process(int(self._pid_file.read_text()))
        except (OSError, ValueError):
            return None
        return process if process and f"--data-root={self._data}" in process.command else None

    def _answers_late(self) -> bool:
        """It runs; or somebody started it just now and was ended before it answered."""
        _wait_for(lambda: self.is_running() or not self.process(), START_PATIENCE)
        return self.is_running()

    def _make_way(self) -> None:
        """For a new dockerd, which takes over the containers that still run. What carries them stays."""
        self.belongings.end_engine(STOP_PATIENCE)
        self._forget_pids()

    def _forget_pids(self) -> None:
        """Left behind, their numbers may be those of other processes by now; dockerd would believe them."""
        for leftover in (self._pid_file, self.folder / "docker.sock", self._exec / "containerd" / "containerd.pid"):
            leftover.unlink(missing_ok=True)

    def _clear_away(self) -> None:
        """What a killed engine leaves: containers, their shims, containerd, mounts, cgroups, its socket and pid files.

        Nothing of another engine: `Belongings` says what is whose.
        """
        self.belongings.end_all(STOP_PATIENCE)
        for mount in self.belongings.mounts():
            self.belongings.unmount(mount)
        self.belongings.remove_cgroups()
        shutil.rmtree(self._exec / "netns", ignore_errors=True)
        self._forget_pids()


def data_root(folder: Path) -> Path:
    """Inside the engine's directory, unless a container's remapped root could not walk there, as below /root."""
    parents = [parent for parent in (folder, *folder.parents) if parent.exists()]
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in parents):
        return folder / "data"
    return SHARED_DATA / hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


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
    lock = os.open(START_LOCK, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
