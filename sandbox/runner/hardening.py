"""Restrictions that the runner puts on itself and all its children before it serves the first request."""

import ctypes
import os
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from . import kernel
from .privileges import TOOL_UID
from .selfcheck_common import Finding

PR_SET_DUMPABLE: Final = 4
PR_SET_SECCOMP: Final = 22
PR_SET_CHILD_SUBREAPER: Final = 36
PR_SET_NO_NEW_PRIVS: Final = 38
SECCOMP_MODE_FILTER: Final = 2

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE = 1, 2, 10, 16, 0
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL_PROCESS, REFUSE = 0x7FFF0000, 0x80000000, 0x00050001
AT_NUMBER, AT_ARCHITECTURE, AT_FIRST_ARGUMENT, AT_SECOND_ARGUMENT, AT_THIRD_ARGUMENT = 0, 4, 16, 24, 32
X32_BIT: Final = 0x40000000

SETGID, SETUID, KILL = 6, 7, 5
TIME_SLICE_NS: Final = 300_000
"""Nanoseconds of the requested time slice. The kernel's default is 2.8 ms on two cores, its minimum 0.1 ms."""
ALLOWED_CAPABILITIES: Final = 1 << SETGID | 1 << SETUID | 1 << KILL


class TooPowerful(Exception):
    """The runner has more privileges than it needs, so it was not started in the container made for it."""


def bounding_set() -> int:
    """Return the capability bounding set of this process, as a bit mask."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1], 16) for line in status if line.startswith("CapBnd:"))


def require_few_capabilities() -> None:
    """Raise TooPowerful unless this process has uid 0 and only the three allowed capabilities.

    This also prevents the runner from being started by mistake as root of a host.
    """
    bounding = bounding_set()
    if bounding & ~ALLOWED_CAPABILITIES or os.getuid() != 0:
        raise TooPowerful(
            f"The runner must be uid 0 of a container with SETUID, SETGID and KILL only, not uid {os.getuid()} "
            f"with capabilities {bounding:#x}."
        )


def restrict_runner() -> list[Finding]:
    """Apply the restrictions of `STEPS` to the runner, and return those that this kernel does not support.

    Afterwards there are no core dumps, other processes cannot trace the runner or read its memory and environment, and
    orphaned processes become its children. `STEPS` also tests system calls that the runner needs. If any step failed,
    the runner must not serve tools.
    """
    weaknesses: list[Finding] = []
    for what, step in STEPS:
        try:
            step()
        except OSError as error:
            weaknesses.append((what, False, f"this kernel cannot do it ({error.strerror}), and the runner needs it"))
    return weaknesses


def shorten_time_slices() -> None:
    """Request short time slices from the scheduler, for this process and its children.

    On a busy machine the kernel prefers tasks with short slices, so a short command waits less for a neighbour that is
    CPU-bound. Commands that run longer only wait a little longer. Errors are ignored.
    """
    with suppress(OSError):
        kernel.set_time_slice(TIME_SLICE_NS)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process (child subreaper), so that they can be waited for."""
    kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)


def filter_program(numbers: kernel.SyscallNumbers) -> bytes:
    """Return the seccomp filter, as a BPF program.

    It refuses (EPERM) io_uring, tracing, creating btrfs subvolumes, and all sockets except unix, IP and netlink route;
    it kills a process that makes system calls of another architecture.

    AF_VSOCK leads to the hypervisor and no network namespace confines it. Docker's own profile, on top of which this
    filter is stacked, allows AF_VSOCK and io_uring in its older versions. The other socket families (crypto, firewall,
    rare protocols) are kernel attack surface that no tool needs.
    """
    program = [
        (LOAD, 0, 0, AT_ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, numbers.audit),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, AT_NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, REFUSE),
    ]
    for number in numbers.refused:
        program += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    program += _refuse_ioctls(numbers)
    program += [
        (JUMP_EQUAL, 1, 0, numbers.socket),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, AT_FIRST_ARGUMENT),
    ]
    for family in (AF_UNIX, AF_INET, AF_INET6):
        program += [(JUMP_EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    program += [
        (JUMP_EQUAL, 0, 3, AF_NETLINK),
        (LOAD, 0, 0, AT_THIRD_ARGUMENT),
        (JUMP_EQUAL, 0, 1, NETLINK_ROUTE),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _refuse_ioctls(numbers: kernel.SyscallNumbers) -> list[tuple[int, int, int, int]]:
    """Return the part of the filter for `ioctl`.

    The kernel uses only the lower 32 bits of an `ioctl`'s second argument, and so does this filter.
    """
    refusals = []
    for control in kernel.REFUSED_IOCTLS:
        refusals += [(JUMP_EQUAL, 0, 1, control), (RETURN, 0, 0, REFUSE)]
    inside = [(LOAD, 0, 0, AT_SECOND_ARGUMENT), *refusals, (RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(inside), numbers.ioctl), *inside]


def _open_beneath() -> None:
    top = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.close(kernel.openat2(top, "proc", os.O_PATH))
    finally:
        os.close(top)


def _change_file_ids() -> None:
    kernel.set_thread_file_ids(TOOL_UID, TOOL_UID)
    kernel.set_thread_file_ids(0, 0)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def _install_filter(program: bytes) -> None:
    """Install the seccomp filter.

    Call it before any thread is started: it applies to the calling thread and its descendants only.
    """
    structure = _Program(len(program) // 8, program)
    kernel.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, kernel.address_of(structure))


STEPS: Final[Sequence[tuple[str, Callable[[], object]]]] = (
    ("adopting orphans", adopt_orphans),
    ("hiding from others", lambda: kernel.prctl(PR_SET_DUMPABLE, 0)),
    ("no new privileges of the runner", lambda: kernel.prctl(PR_SET_NO_NEW_PRIVS, 1)),
    ("seccomp filter of the runner", lambda: _install_filter(filter_program(kernel.numbers()))),
    ("openat2", _open_beneath),
    ("pidfd_open", lambda: os.close(os.pidfd_open(os.getpid()))),
    ("file-system ids", _change_file_ids),
)
"""Name and action of each restriction and of each test. The names appear in the self-check's report."""
