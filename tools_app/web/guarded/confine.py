"""What a guarded process gives up before it touches anything from outside.

Import and open all that is needed first: after `confine` no program can be started, no file written, no unix socket
opened (so no container engine reached, whoever runs the site), and after `seal` not even a file or connection opened.
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

NOBODY: Final = 65534
MEMORY: Final = 1 << 30  # bytes of address space
MOST_FILES: Final = 64
DNS_PORT: Final = 53
READABLE: Final = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/ld.so.cache", "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/dev/urandom", "/etc/ssl", "/etc/pki",
    "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
)  # fmt: skip
"""What looking up names and checking certificates takes, and libraries."""

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER: Final = 2
_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def confine(*, seconds: float, ports: Iterable[int], readable: Iterable[str] = ()) -> None:
    """`seconds` are the process's whole life from now, on the clock and of computing; then the kernel ends it.
    `readable` are files or folders beside the usual ones. OSError when the kernel cannot do it: then fetch nothing."""
    _limit(seconds)
    _become_nobody()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    restrict(readable=(*READABLE, str(Path(os.__file__).parent), *readable), ports={DNS_PORT, *ports})
    _install(_for_this_machine(fetching_filter))


def seal(seconds: float) -> None:
    """Nothing is left to fetch: what comes now is only computing, for at most so many seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (min(most, resource.getrlimit(resource.RLIMIT_CPU)[1]),) * 2)
    _install(_for_this_machine(sealing_filter))


def _limit(seconds: float) -> None:
    whole = int(seconds) + 1
    limits = {
        resource.RLIMIT_CPU: whole,
        resource.RLIMIT_AS: MEMORY,
        resource.RLIMIT_NOFILE: MOST_FILES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for name, most in limits.items():
        _, hard = resource.getrlimit(name)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (least, least))


def _become_nobody() -> None:
    """As root of a machine. The root of a user namespace in which nobody else exists has nothing to give up."""
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
