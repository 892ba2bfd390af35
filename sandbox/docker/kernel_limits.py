"""Limits for resources that the kernel counts per user, not per container: inotify, epoll, pipes, namespaces.

A private engine gives every container its own user namespace, but all of these belong to the host's root, and their
usage is counted there too. So one workspace could use up all inotify instances of the host. `limit_container` therefore
sets limits in each namespace, and `raise_host_limits` raises the host's own limits so that many containers fit. The
host's limits protect memory, which is limited for each container anyway.

Without user namespaces, containers share the host's namespace. Then only the host's limits apply, to all workspaces
together.
"""

import logging
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sandbox.disk.programs import SEARCH_PATH

logger = logging.getLogger(__name__)

CONTAINER_LIMITS: Final[Mapping[str, int]] = {
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
"""Limits of one container, below /proc/sys/user. No command needs namespaces, so none can be created."""

HOST_MINIMUMS: Final[Mapping[str, int]] = {
    "fs/inotify/max_user_instances": 8_192,
    "fs/inotify/max_user_watches": 1_048_576,
    "fs/epoll/max_user_watches": 67_108_864,
    "fs/pipe-user-pages-soft": 1_048_576,
    "kernel/pid_max": 4_194_304,
}
"""Minimum values of the host, below /proc/sys. Each is counted for the whole machine, or for the one host user that the
tool users of all containers map to."""
SYSCTL: Final = Path("/proc/sys")
SCRIPT: Final = 'cd /proc/sys/user && while [ $# -gt 0 ]; do [ ! -e "$1" ] || echo "$2" > "$1" || exit 1; shift 2; done'
NSENTER_TIMEOUT: Final = 10  # seconds


def limit_container(pid: int, container_id: str) -> bool:
    """Set the limits in the user namespace of a container. `pid` is its first process, in the host's numbering.

    Returns False if they could not be set: the container has no user namespace of its own, or the process has ended and
    another one may have its pid.
    """
    try:
        namespace = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        own = Path("/proc/self/ns/user").stat()
        is_apart = not os.path.samestat(os.fstat(namespace), own)
        return is_apart and container_id in _control_groups_of(pid) and _write_limits(namespace)
    finally:
        os.close(namespace)


def raise_host_limits(sysctl: Path = SYSCTL) -> None:
    """Raise the host's limits to at least HOST_MINIMUMS, until the machine restarts.

    Limits are never lowered; 0 means unlimited and stays.
    """
    for name, floor in HOST_MINIMUMS.items():
        try:
            now = int((sysctl / name).read_text())
            if 0 < now < floor:
                (sysctl / name).write_text(str(floor))
                logger.info("%s was raised from %d to %d, until this machine restarts", name, now, floor)
        except OSError as error:
            logger.warning(
                "%s could not be raised (%s); one workspace may use it up for all others", name, error.strerror
            )


def _control_groups_of(pid: int) -> str:
    """Return the control groups of a process, which the engine names after the container; "" if the process has ended.

    The groups are read after the namespace was opened, so they show whether the pid has been reused meanwhile.
    """
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return ""


def _write_limits(namespace: int) -> bool:
    """Write a container's kernel limits with nsenter: only a single-threaded process may change its user namespace.
    Returns whether they were written."""
    arguments = [str(word) for limit in CONTAINER_LIMITS.items() for word in limit]
    command = [
        "nsenter",
        f"--user=/proc/self/fd/{namespace}",
        "sh",
        "-c",
        SCRIPT,
        "sh",
        *arguments,
    ]
    try:
        result = subprocess.run(
            command,
            pass_fds=[namespace],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=NSENTER_TIMEOUT,
            check=False,
            # The command runs as the container's root, so it must not see our environment.
            env={"PATH": SEARCH_PATH, "LC_ALL": "C"},
            cwd="/",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        logger.warning("the kernel limits of a container could not be set: %s", error)
        return False
    if result.returncode != 0:
        logger.warning("the kernel limits of a container could not be set: %s", result.stderr.strip()[-300:])
    return result.returncode == 0
