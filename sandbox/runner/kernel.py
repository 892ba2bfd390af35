"""System calls that Python does not wrap, by number, on x86_64 and aarch64.

The set*id calls are raw on purpose: the C library's versions change every thread, these change only the calling one.
They keep the interpreter lock (PyDLL), since handing it over would cost more than the call.
"""

import ctypes
import errno
import functools
import os
from typing import Final, NamedTuple


class Numbers(NamedTuple):
    """`audit` is how seccomp names the architecture; `refused` are the calls that nobody inside may make, and
    `REFUSED_CONTROLS` those words of `ioctl` that nobody may say."""

    audit: int
    setresuid: int
    setfsuid: int
    setfsgid: int
    socket: int
    ioctl: int
    sched_setattr: int
    refused: tuple[int, ...]


# refused: ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, io_uring_{setup,enter,register}, modify_ldt
TABLE: Final = {
    "x86_64": Numbers(0xC000003E, 117, 122, 123, 41, 16, 314, (101, 310, 311, 438, 425, 426, 427, 154)),
    "aarch64": Numbers(0xC00000B7, 147, 151, 152, 198, 29, 274, (117, 270, 271, 438, 425, 426, 427)),
}
REFUSED_CONTROLS: Final = (0x50009401, 0x5000940E, 0x50009417, 0x50009418)
"""BTRFS_IOC_{SNAP_CREATE,SUBVOL_CREATE,SNAP_CREATE_V2,SUBVOL_CREATE_V2}: whoever owns a directory may make a subvolume
in it, which the quota of the workspace does not count, and which keeps the workspace from being deleted."""
M_ARENA_MAX: Final = -8
OPENAT2: Final = 437
RESOLVE_NO_MAGICLINKS: Final = 0x02
RESOLVE_NO_SYMLINKS: Final = 0x04
RESOLVE_BENEATH: Final = 0x08
EXACTLY: Final = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS

_libc = ctypes.CDLL(None, use_errno=True)
_locked_libc = ctypes.PyDLL(None, use_errno=True)


class _OpenHow(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


class _SchedulingAttributes(ctypes.Structure):
    """`struct sched_attr` in its first version; policy 0 is the ordinary one."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    ]


@functools.cache
def numbers() -> Numbers:
    machine = os.uname().machine
    if machine not in TABLE:
        raise OSError(f"The runner does not know the system calls of {machine}.")
    return TABLE[machine]


def openat2(dir_fd: int, path: str, flags: int, *, mode: int = 0, resolve: int = EXACTLY) -> int:
    """Raises OSError; ENOSYS where the kernel is older than 5.6 or a filter hides the call."""
    how = _OpenHow(flags | os.O_CLOEXEC, mode if flags & (os.O_CREAT | os.O_TMPFILE) else 0, resolve)
    name = ctypes.c_char_p(os.fsencode(path))
    fd = _libc.syscall(OPENAT2, dir_fd, name, ctypes.byref(how), ctypes.sizeof(how))
    if fd < 0:
        raise _last_error()
    return int(fd)


def set_thread_file_ids(uid: int, gid: int) -> None:
    """Whose files this thread may touch. The call has no error answer, so a second one asks what came of it: the
    runner may do this, so only a want of memory refuses it."""
    number = numbers()
    _locked_libc.syscall(number.setfsgid, gid)
    _locked_libc.syscall(number.setfsuid, uid)
    if _locked_libc.syscall(number.setfsuid, -1) != uid or _locked_libc.syscall(number.setfsgid, -1) != gid:
        raise OSError(errno.ENOMEM, "The runner could not change whose files it touches.")


def set_thread_user_ids(real: int, effective: int, saved: int) -> None:
    if _locked_libc.syscall(numbers().setresuid, real, effective, saved) != 0:
        raise _last_error()


def set_slice(nanoseconds: int) -> None:
    """How long this thread, and all it starts, would run at a time. Kernels before 6.12 take no notice."""
    attributes = _SchedulingAttributes(size=ctypes.sizeof(_SchedulingAttributes), runtime=nanoseconds)
    if _libc.syscall(numbers().sched_setattr, 0, ctypes.byref(attributes), 0) != 0:
        raise _last_error()


def keep_memory_together() -> None:
    """Threads share one heap, and what importing left unused goes back: a third of a MiB in every workspace."""
    _libc.mallopt(M_ARENA_MAX, 1)
    _libc.malloc_trim(0)


def prctl(option: int, first: int = 0, second: int = 0, third: int = 0, fourth: int = 0) -> None:
    arguments = [ctypes.c_ulong(value) for value in (first, second, third, fourth)]
    if _libc.prctl(option, *arguments) != 0:
        raise _last_error()


def address_of(structure: ctypes.Structure) -> int:
    return ctypes.addressof(structure)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
