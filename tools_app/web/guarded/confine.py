"""Confinement of a guarded process, in two steps: confine() and seal().

`confine` is called before the process reads anything from outside, `seal` before it converts what it has read. Import
and open everything that is needed first. After `confine`, the process cannot start programs, write files or open unix
sockets (so it cannot reach a container engine, whatever user runs the site). After `seal`, it cannot even open files or
connections.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tools_app.web.guarded.filter import fetching_filter, sealing_filter
from tools_app.web.guarded.landlock import restrict

NOBODY: Final = 65534  # user and group id
MAX_MEMORY_BYTES: Final = 1 << 30  # of address space
MAX_OPEN_FILES: Final = 64
DNS_PORT: Final = 53
READABLE: Final = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/urandom", "/etc/ssl", "/etc/pki",
    "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
)  # fmt: skip
"""Files and directories needed to resolve names, check certificates and load libraries."""

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER: Final = 2
_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    """`struct sock_fprog`: a seccomp filter."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def confine(*, seconds: float, ports: Iterable[int], readable: Iterable[str] = ()) -> None:
    """Give up all privileges except reading a few files and connecting to `ports`.

    `seconds` is the CPU time that the process gets before the kernel kills it. `readable` are files and directories in
    addition to `READABLE`. Raises OSError if the kernel does not support this; then nothing may be fetched.
    """
    _limit(seconds)
    _become_nobody()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    restrict(readable=(*READABLE, str(Path(os.__file__).parent), *readable), ports={DNS_PORT, *ports})
    _install(_for_this_machine(fetching_filter))


def seal(seconds: float) -> None:
    """Forbid everything but computing and writing the answer, for at most `seconds` of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (min(most, resource.getrlimit(resource.RLIMIT_CPU)[1]),) * 2)
    _install(_for_this_machine(sealing_filter))


def _limit(seconds: float) -> None:
    whole = int(seconds) + 1
    limits = {
        resource.RLIMIT_CPU: whole,
        resource.RLIMIT_AS: MAX_MEMORY_BYTES,
        resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for name, most in limits.items():
        _, hard = resource.getrlimit(name)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (least, least))


def _become_nobody() -> None:
    """Change to the user `nobody` if the process runs as root.

    In a user namespace without that user id this fails, and is not needed: root has no privileges outside of it.
    """
    if os.geteuid() != 0:
        return
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EPERM):
            raise


def _for_this_machine(program: Callable[[str], bytes]) -> bytes:
    machine = platform.machine()
    try:
        return program(machine)
    except KeyError:
        raise OSError(errno.ENOSYS, f"no seccomp filter is written for {machine}") from None


def _install(program: bytes) -> None:
    structure = _Program(len(program) // 8, program)
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(structure))


def _prctl(option: int, *values: int) -> None:
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if _libc.prctl(option, *arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
