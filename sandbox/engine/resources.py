"""What on this machine belongs to one private engine, also after the engine itself was killed.

Several engines live on one machine, and tests start and end them all the time, so nothing is told by a program's name.
A process is ours when it is one of an engine's programs and was given a path below our own directory, when it is in
our own cgroup, or when it descends from such a one. Mounts are told by their place.
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

from sandbox.engine.processes import Process, all_processes, send, with_descendants
from sandbox.mounts import mounts_below

CGROUPS: Final = Path("/sys/fs/cgroup")
PROGRAMS: Final = re.compile(r"dockerd|containerd(-shim.*)?|docker-proxy|runc|crun|runsc.*|kata-runtime")
ENGINE: Final = re.compile(r"dockerd|containerd")
CONTAINER: Final = re.compile(r"[0-9a-f]{64}")
PAUSE: Final = 0.02
UMOUNT_PATIENCE: Final = 10.0


class Belongings:
    """`folder` is the engine's directory, `data` where it keeps images and containers; both are resolved."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.exec_root = folder / "exec"
        self.cgroup = f"agentsite-engine-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
        self._folder = folder
        self._data = data

    def processes(self) -> list[Process]:
        """The engine's and its containers', youngest last."""
        everything = list(all_processes())
        grouped = self._pids_in_cgroup()
        own = [process for process in everything if process.pid in grouped or self._is_program(process)]
        return sorted(with_descendants(own, everything).values(), key=lambda process: process.started)

    def by_container(self) -> dict[str, list[Process]]:
        """Of processes that work for a container: its shim, its runtime's, and those inside."""
        found: dict[str, list[Process]] = {}
        grouped = self._pids_in_cgroup()
        for process in self.processes():
            named = [word for word in process.command if CONTAINER.fullmatch(word)]
            if container := grouped.get(process.pid) or (named[-1] if named and self._is_program(process) else ""):
                found.setdefault(container, []).append(process)
        return found

    def end(self, process: Process) -> bool:
        """Kill it, if it is what it was when it was found and still belongs here."""
        return send(process, signal.SIGKILL, self._is_ours_still)

    def end_all(self, patience: float) -> bool:
        """The oldest first: dockerd before containerd before shims, so that none starts another."""
        return self._end_until_none(self.processes, patience)

    def end_engine(self, patience: float) -> bool:
        """dockerd and containerd, and none of the processes that carry containers or are in one, which may call
        themselves anything."""
        return self._end_until_none(self._engine_processes, patience)

    def _engine_processes(self) -> list[Process]:
        engine = [process for process in self.processes() if ENGINE.fullmatch(process.program)]
        inside = self._pids_in_cgroup() if engine else {}
        return [process for process in engine if process.pid not in inside]

    def _end_until_none(self, find: Callable[[], list[Process]], patience: float) -> bool:
        give_up = time.monotonic() + patience
        while found := find():
            if time.monotonic() > give_up:
                return False
            for process in found:
                send(process, signal.SIGKILL)
            time.sleep(PAUSE)
        return True

    def mounts(self) -> list[Path]:
        """Those below the engine's directories, the innermost first."""
        return [Path(place) for place in mounts_below(self._folder, self._data)]

    def unmount(self, place: Path) -> bool:
        """Now, and for whoever is in it when they leave."""
        command = ["umount", "--lazy", str(place)]
        try:
            result = subprocess.run(command, capture_output=True, check=False, timeout=UMOUNT_PATIENCE)
        except subprocess.TimeoutExpired:
            return False
        return result.returncode == 0

    def cgroups(self) -> Iterator[Path]:
        """Of containers, in every hierarchy."""
        for own in self._own_cgroups():
            yield from (path for path in own.iterdir() if path.is_dir())

    def remove_cgroups(self) -> None:
        """Those without a process; the kernel keeps the others."""
        for own in self._own_cgroups():
            for path, _, _ in os.walk(own, topdown=False):
                remove_cgroup(Path(path))

    def _is_program(self, process: Process) -> bool:
        if not PROGRAMS.fullmatch(process.program):
            return False
        words = [word.rpartition("=")[2] for word in process.command[1:]]
        return any(word == str(self.exec_root) or word.startswith(f"{self.exec_root}/") for word in words)

    def _is_ours_still(self, process: Process) -> bool:
        return self._is_program(process) or process.pid in self._pids_in_cgroup()

    def _own_cgroups(self) -> list[Path]:
        """One in the only hierarchy of version 2, or one in each of version 1."""
        return [path for path in (CGROUPS / self.cgroup, *CGROUPS.glob(f"*/{self.cgroup}")) if path.is_dir()]

    def _pids_in_cgroup(self) -> dict[int, str]:
        """With the container that each is in."""
        found: dict[int, str] = {}
        for own in self._own_cgroups():
            for path, _, _ in os.walk(own):
                container = Path(path).relative_to(own).parts[:1]
                with suppress(OSError):
                    pids = (Path(path) / "cgroup.procs").read_text().split()
                    found |= dict.fromkeys(map(int, pids), container[0] if container else "")
        return found


def remove_cgroup(path: Path) -> bool:
    """False when something is in it, or it is gone."""
    try:
        path.rmdir()
    except OSError:
        return False
    return True
