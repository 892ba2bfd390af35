"""A private dockerd with its own socket, data, processes and pid file in one directory, so that several can run on one
machine.

User namespaces are remapped, so root in a container is an unprivileged user on the host. The engine has no bridge and
sets no firewall rules, so it does not affect the network of another engine. Containers survive a restart of the engine.
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
from sandbox.engine.processes import HostProcess, read_process, send_signal
from sandbox.engine.resources import EngineResources
from sandbox.engine.runtimes import installed_runtimes
from sandbox.errors import SandboxUnavailable

START_TIMEOUT: Final = 30.0  # seconds
STOP_TIMEOUT: Final = 10.0  # seconds
POLL_INTERVAL: Final = 0.05  # seconds
MAX_FOLDER_CHARS: Final = 60
"""Sockets are created below the directory, and the path of a socket may have at most 107 characters."""
SHARED_DATA: Final = Path("/var/lib/agentsite-engines")
START_LOCK: Final = Path("/run/agentsite-engine.lock")
"""In a directory where only root can create links, unlike /run/lock."""


class PrivateEngine:
    """A private container engine, running or not. `folder` is the engine's directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.host = f"unix://{self.folder}/docker.sock"
        self._data = data_root(self.folder)
        self.resources = EngineResources(self.folder, self._data)
        self._exec = self.resources.exec_root
        self._pid_file = self.folder / "docker.pid"
        self._log = self.folder / "dockerd.log"

    @classmethod
    def at_address(cls, docker_host: str) -> "PrivateEngine | None":
        """Return the private engine at this address; None if the address belongs to the machine's own engine or to a
        remote one."""
        folder, _, name = docker_host.removeprefix("unix://").rpartition("/")
        if not docker_host.startswith("unix:///") or name != "docker.sock":
            return None
        engine = cls(Path(folder))
        return engine if engine.process() else None

    def is_running(self) -> bool:
        return (self.folder / "docker.sock").exists() and api.answers(self.host)

    def start(self) -> str:
        """Start the engine and return its address once it answers. Harmless if it already runs.

        Raises SandboxUnavailable, whose message names the missing program or right.
        """
        self._require_programs()
        for folder in (self.folder, self._data):
            folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        with _start_lock():
            if not self._wait_for_running():
                self._kill_old_engine()
                self._wait_until_ready(self._launch())
        return self.host

    def stop(self) -> None:
        """End the engine with all of its containers, processes and mounts. Its data is kept."""
        if not self.folder.exists():
            return
        with suppress(OSError):
            for container_id in api.running_containers(self.host):
                api.kill_container(self.host, container_id)
        if (process := self.process()) is not None:
            send_signal(process, signal.SIGTERM)
            _wait_for(lambda: self.process() is None, STOP_TIMEOUT)
        self._remove_leftovers()

    def remove(self) -> None:
        """Stop the engine and delete its images and containers. Workspaces of sites are kept."""
        self.stop()
        for folder in (self._data, self.folder):
            shutil.rmtree(folder, ignore_errors=True)

    def _require_programs(self) -> None:
        if len(str(self.folder)) > MAX_FOLDER_CHARS:
            raise SandboxUnavailable(
                f"The path {self.folder} is too long for an engine. It may have at most {MAX_FOLDER_CHARS} characters."
            )
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
            f"--cgroup-parent=/{self.resources.cgroup}",
            "--log-level=warn",
            "--shutdown-timeout=2",
        ]
        with self._log.open("ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )

    def _write_configuration(self) -> Path:
        """Write daemon.json with the settings that have no command-line option.

        Because this file is given to dockerd, dockerd does not read the configuration of the machine's own engine.
        """
        file = self.folder / "daemon.json"
        file.write_text(json.dumps({"runtimes": installed_runtimes()}))
        return file

    def _wait_until_ready(self, process: "subprocess.Popen[bytes]") -> None:
        if not _wait_for(lambda: self.is_running() or process.poll() is not None, START_TIMEOUT):
            process.terminate()
        if not self.is_running():
            last = self._log.read_text(errors="replace")[-1500:]
            self._remove_leftovers()
            raise SandboxUnavailable(f"The container engine did not start. The end of {self._log}:\n{last}")
        process.returncode = 0  # prevents a warning: dockerd keeps running when this program ends

    def process(self) -> HostProcess | None:
        """Return the running dockerd; None if the pid file names no dockerd of this engine."""
        try:
            process = read_process(int(self._pid_file.read_text()))
        except (OSError, ValueError):
            return None
        return process if process and f"--data-root={self._data}" in process.command else None

    def _wait_for_running(self) -> bool:
        """Return whether the engine runs, after waiting for a dockerd that is just starting.

        An earlier start may have been killed before its dockerd answered.
        """
        _wait_for(lambda: self.is_running() or not self.process(), START_TIMEOUT)
        return self.is_running()

    def _kill_old_engine(self) -> None:
        """End an old dockerd before a new dockerd starts. Running containers stay, and the new dockerd manages them."""
        self.resources.kill_engine(STOP_TIMEOUT)
        self._delete_pid_files()

    def _delete_pid_files(self) -> None:
        """Delete old pid files and the socket, because dockerd would trust pids that may now belong to other
        processes."""
        for leftover in (self._pid_file, self.folder / "docker.sock", self._exec / "containerd" / "containerd.pid"):
            leftover.unlink(missing_ok=True)

    def _remove_leftovers(self) -> None:
        """Remove the leftovers of a killed engine: containers, shims, containerd, mounts, cgroups, socket and pid
        files.

        `EngineResources` makes sure that nothing of another engine is touched.
        """
        self.resources.kill_all(STOP_TIMEOUT)
        for mount in self.resources.mounts():
            self.resources.unmount(mount)
        self.resources.remove_cgroups()
        shutil.rmtree(self._exec / "netns", ignore_errors=True)
        self._delete_pid_files()


def data_root(folder: Path) -> Path:
    """Return the directory for the engine's images and containers.

    It is inside the engine's directory, unless the remapped root of a container could not enter that directory, for
    example below /root.
    """
    parents = [parent for parent in (folder, *folder.parents) if parent.exists()]
    if all(parent.stat().st_mode & stat.S_IXOTH for parent in parents):
        return folder / "data"
    return SHARED_DATA / hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


def _wait_for(condition: Callable[[], bool], timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_INTERVAL)
    return True


@contextmanager
def _start_lock() -> Iterator[None]:
    """Start only one private engine of this machine at a time, because the first one creates the user to which
    container ids are remapped."""
    lock = os.open(START_LOCK, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
