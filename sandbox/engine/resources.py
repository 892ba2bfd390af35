"""Processes, mounts and cgroups that belong to one private engine, even after the engine itself was killed.

Several engines run on one machine, and tests start and stop them constantly, so a program's name proves nothing. A
process belongs to this engine if it is an engine program with an argument below this engine's directory, if it is in
this engine's cgroup, or if it descends from such a process. Mounts belong to it by their path.
"""

import hashlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from sandbox.engine.processes import HostProcess, all_processes, send_signal, with_descendants
from sandbox.mounts import mounts_below

CGROUP_ROOT: Final = Path("/sys/fs/cgroup")
PROGRAMS: Final = re.compile(r"dockerd|containerd(-shim.*)?|docker-proxy|runc|crun|runsc.*|kata-runtime")
ENGINE_PROGRAMS: Final = re.compile(r"dockerd|containerd")
CONTAINER_ID: Final = re.compile(r"[0-9a-f]{64}")
KILL_INTERVAL: Final = 0.02  # seconds
UMOUNT_TIMEOUT: Final = 10.0  # seconds


class EngineResources:
    """The resources of one private engine. `folder` is the engine's directory; `data` is the directory of its images
    and containers. Both are resolved paths."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.exec_root = folder / "exec"
        self.cgroup = f"agentsite-engine-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
        self._folder = folder
        self._data = data

    def processes(self) -> list[HostProcess]:
        """Return the processes of the engine and of its containers, oldest first."""
        everything = list(all_processes())
        grouped = self._pids_in_cgroup()
        own = [process for process in everything if process.pid in grouped or self._is_program(process)]
        return sorted(with_descendants(own, everything).values(), key=lambda process: process.started)

    def processes_by_container(self) -> dict[str, list[HostProcess]]:
        """Return the processes of each container, by id: its shim, its runtime, and the processes inside."""
        found: dict[str, list[HostProcess]] = {}
        grouped = self._pids_in_cgroup()
        for process in self.processes():
            named = [word for word in process.command if CONTAINER_ID.fullmatch(word)]
            if container := grouped.get(process.pid) or (named[-1] if named and self._is_program(process) else ""):
                found.setdefault(container, []).append(process)
        return found

    def kill(self, process: HostProcess) -> bool:
        """Kill a process, if it is still the same process and still belongs to this engine."""
        return send_signal(process, signal.SIGKILL, self._still_belongs)

    def kill_all(self, timeout: float) -> bool:
        """Kill all processes of the engine and its containers; False if some remain after `timeout` seconds.

        The oldest are killed first: dockerd before containerd before shims, so that none restarts another.
        """
        return self._kill_until_none(self.processes, timeout)

    def kill_engine(self, timeout: float) -> bool:
        """Kill dockerd and containerd. Returns False if they still run after `timeout` seconds.

        Shims and runtimes stay, and so do processes inside containers, even if one is named `dockerd`.
        """
        return self._kill_until_none(self._engine_processes, timeout)

    def _engine_processes(self) -> list[HostProcess]:
        engine = [process for process in self.processes() if ENGINE_PROGRAMS.fullmatch(process.program)]
        inside = self._pids_in_cgroup() if engine else {}
        return [process for process in engine if process.pid not in inside]

    def _kill_until_none(self, find: Callable[[], list[HostProcess]], timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        while found := find():
            if time.monotonic() > deadline:
                return False
            for process in found:
                send_signal(process, signal.SIGKILL)
            time.sleep(KILL_INTERVAL)
        return True

    def mounts(self) -> list[Path]:
        """Return the mount points below the engine's directories, innermost first."""
        return [Path(path) for path in mounts_below(self._folder, self._data)]

    def unmount(self, mount_point: Path) -> bool:
        """Unmount a mount point lazily: it disappears now, and the kernel removes the mount when its last user is gone.
        Returns whether `umount` succeeded."""
        command = ["umount", "--lazy", str(mount_point)]
        try:
            result = subprocess.run(command, capture_output=True, check=False, timeout=UMOUNT_TIMEOUT)
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

    def cgroups(self) -> Iterator[Path]:
        """Yield the cgroups of containers, in every hierarchy."""
        for own in self._own_cgroups():
            yield from (path for path in own.iterdir() if path.is_dir())

    def remove_cgroups(self) -> None:
        """Remove all cgroups of the engine that have no processes."""
        for own in self._own_cgroups():
            for path, _, _ in os.walk(own, topdown=False):
                remove_cgroup(Path(path))

    def _is_program(self, process: HostProcess) -> bool:
        if not PROGRAMS.fullmatch(process.program):
            return False
        words = [word.rpartition("=")[2] for word in process.command[1:]]
        return any(word == str(self.exec_root) or word.startswith(f"{self.exec_root}/") for word in words)

    def _still_belongs(self, process: HostProcess) -> bool:
        return self._is_program(process) or process.pid in self._pids_in_cgroup()

    def _own_cgroups(self) -> list[Path]:
        """Return the engine's cgroup: one in version 2, one per hierarchy in version 1."""
        return [path for path in (CGROUP_ROOT / self.cgroup, *CGROUP_ROOT.glob(f"*/{self.cgroup}")) if path.is_dir()]

    def _pids_in_cgroup(self) -> dict[int, str]:
        """Map each pid in the engine's cgroup to its container id; "" if it is in no container."""
        found: dict[int, str] = {}
        for own in self._own_cgroups():
            for path, _, _ in os.walk(own):
                container = Path(path).relative_to(own).parts[:1]
                with suppress(OSError):
                    pids = (Path(path) / "cgroup.procs").read_text().split()
                    found |= dict.fromkeys(map(int, pids), container[0] if container else "")
        return found


def remove_cgroup(path: Path) -> bool:
    """Remove a cgroup. False if it is gone or not empty."""
    try:
        path.rmdir()
    except OSError:
        return False
    return True
