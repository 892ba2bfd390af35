"""What the kernel counts for a user and not for a container: inotify, epoll, pipes, namespaces.

Our engine gives every container a user namespace of its own, but all of them belong to the host's root, and what is
used in them is also counted there: one workspace could use up everybody's inotify instances. So each namespace gets
ceilings (`hold`), and the host's own are raised to hold many of them (`raise_host`). What the host's ceilings guard,
memory, is each container's own and limited.

Where users are not remapped, containers share the host's namespace: only the host's ceilings hold then, for all
workspaces together.
"""

import logging
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sandbox.disk.programs import PLACES

logger = logging.getLogger(__name__)

CEILINGS: Final[Mapping[str, int]] = {
    "max_inotify_instances": 128,
    "max_inotify_watches": 65_536,
    "max_fanotify_groups": 0,
    "max_fanotify_marks": 0,
    "max_cgroup_namespaces": 0,
    "max_ipc_namespaces": 0,
    "max_mnt_namespaces": 0,
    "max_net_namespaces": 0,
    "max_pid_namespaces": 0,
    "max_time_namespaces": 0,
    "max_user_namespaces": 0,
    "max_uts_namespaces": 0,
}
"""Below /proc/sys/user, for one container. No command has a use for namespaces, and none gets one."""

HOST_FLOORS: Final[Mapping[str, int]] = {
    "fs/inotify/max_user_instances": 8_192,
    "fs/inotify/max_user_watches": 1_048_576,
    "fs/epoll/max_user_watches": 67_108_864,
    "fs/pipe-user-pages-soft": 1_048_576,
    "kernel/pid_max": 4_194_304,
}
"""Below /proc/sys. All of these are counted for the one user that the tool users of all containers are on the host,
or for the whole machine."""
SYSCTL: Final = Path("/proc/sys")
SCRIPT: Final = 'cd /proc/sys/user && while [ $# -gt 0 ]; do [ ! -e "$1" ] || echo "$2" > "$1" || exit 1; shift 2; done'
PATIENCE: Final = 10


def hold(pid: int, container_id: str) -> bool:
    """Set the ceilings of the container that this process of the host is the first one of.

    False when they do not hold: it lives in this process' own user namespace, or has ended already, and its number may
    be somebody else's.
    """
    try:
        namespace = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        own = Path("/proc/self/ns/user").stat()
        is_apart = not os.path.samestat(os.fstat(namespace), own)
        return is_apart and container_id in _control_groups_of(pid) and _write_in(namespace)
    finally:
        os.close(namespace)


def raise_host(sysctl: Path = SYSCTL) -> None:
    """Never lowers anything; 0 means that there is no limit. Lasts until the machine starts again."""
    for name, floor in HOST_FLOORS.items():
        try:
            now = int((sysctl / name).read_text())
            if 0 < now < floor:
                (sysctl / name).write_text(str(floor))
                logger.info("%s was raised from %d to %d, until this machine starts again", name, now, floor)
        except OSError as error:
            logger.warning("%s stays as it is (%s); workspaces may take it from each other", name, error.strerror)


def _control_groups_of(pid: int) -> str:
    """The engine names a container's groups after it. Asked after the namespace was opened: whoever has the number now
    is the one it was opened of, or has taken it since and is told apart."""
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return ""


def _write_in(namespace: int) -> bool:
    """By a program, since only a process with a single thread may change its user namespace."""
    words = [str(word) for ceiling in CEILINGS.items() for word in ceiling]
    command = [
        "nsenter",
        f"--user=/proc/self/fd/{namespace}",
        "sh",
        "-c",
        SCRIPT,
        "sh",
        *words,
    ]
    try:
        result = subprocess.run(
            command,
            pass_fds=[namespace],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={"PATH": PLACES, "LC_ALL": "C"},  # it runs as the container's root, who has no business with ours
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("a container's ceilings could not be set: %s", error)
        return False
    if result.returncode != 0:
        logger.warning("a container's ceilings could not be set: %s", result.stderr.strip()[-300:])
    return result.returncode == 0
