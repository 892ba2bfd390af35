"""System calls that Python does not wrap, made by number, on x86_64 and aarch64.

The set*id calls are made directly on purpose: the C library's versions change every thread, these change only the
calling one. They keep the interpreter lock (PyDLL), because releasing it would cost more than the call.
"""

import ctypes
import errno
import functools
import os
from typing import Final, NamedTuple


class SyscallNumbers(NamedTuple):
    """System call numbers of one architecture.

    `audit` is seccomp's constant for the architecture. `refused` are the calls that the filter refuses; of `ioctl` it
    refuses only `REFUSED_IOCTLS`.
    """

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
    "x86_64": SyscallNumbers(0xC000003E, 117, 122, 123, 41, 16, 314, (101, 310, 311, 438, 425, 426, 427, 154)),
    "aarch64": SyscallNumbers(0xC00000B7, 147, 151, 152, 198, 29, 274, (117, 270, 271, 438, 425, 426, 427)),
}
REFUSED_IOCTLS: Final = (0x50009401, 0x5000940E, 0x50009417, 0x50009418)
"""BTRFS_IOC_{SNAP_CREATE,SUBVOL_CREATE,SNAP_CREATE_V2,SUBVOL_CREATE_V2}. On btrfs the owner of a directory may create a
subvolume in it, which the workspace's quota does not count and which prevents the deletion of the workspace."""
M_ARENA_MAX: Final = -8  # option of mallopt(3)
OPENAT2: Final = 437
RESOLVE_NO_MAGICLINKS: Final = 0x02
RESOLVE_NO_SYMLINKS: Final = 0x04
RESOLVE_BENEATH: Final = 0x08
RESOLVE_EXACTLY: Final = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS

_libc = ctypes.CDLL(None, use_errno=True)
_locked_libc = ctypes.PyDLL(None, use_errno=True)


class _OpenHow(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


class _SchedulingAttributes(ctypes.Structure):
    """`struct sched_attr` in its first version; policy 0 is SCHED_OTHER."""

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
def numbers() -> SyscallNumbers:
    """Return the system call numbers of this machine's architecture. Raises OSError if it is not supported."""
    machine = os.uname().machine
    if machine not in TABLE:
        raise OSError(f"The runner does not support the architecture {machine}, only {', '.join(TABLE)}.")
    return TABLE[machine]


def openat2(dir_fd: int, path: str, flags: int, *, mode: int = 0, resolve: int = RESOLVE_EXACTLY) -> int:
    """Open a path below `dir_fd`, by default without following any link. Returns the descriptor.

    Raises OSError, with ENOSYS if the kernel is older than 5.6 or a filter hides the call.
    """
    how = _OpenHow(flags | os.O_CLOEXEC, mode if flags & (os.O_CREAT | os.O_TMPFILE) else 0, resolve)
    name = ctypes.c_char_p(os.fsencode(path))
    fd = _libc.syscall(OPENAT2, dir_fd, name, ctypes.byref(how), ctypes.sizeof(how))
    if fd < 0:
        raise _last_error()
    return int(fd)


def set_thread_file_ids(uid: int, gid: int) -> None:
    """Set the file-system uid and gid of the calling thread, which determine its access to files.

    The call reports no error, so a second call reads the ids back. The runner is allowed to do this, so the only cause
    of a failure is a lack of memory.
    """
    number = numbers()
    _locked_libc.syscall(number.setfsgid, gid)
    _locked_libc.syscall(number.setfsuid, uid)
    if _locked_libc.syscall(number.setfsuid, -1) != uid or _locked_libc.syscall(number.setfsgid, -1) != gid:
        raise OSError(errno.ENOMEM, "The runner could not change its file-system ids.")


def set_thread_user_ids(real: int, effective: int, saved: int) -> None:
    """Set the three user ids of the calling thread. Raises OSError."""
    if _locked_libc.syscall(numbers().setresuid, real, effective, saved) != 0:
        raise _last_error()


def set_time_slice(nanoseconds: int) -> None:
    """Request a time slice for this thread and those it starts. Kernels before 6.12 ignore it."""
    attributes = _SchedulingAttributes(size=ctypes.sizeof(_SchedulingAttributes), runtime=nanoseconds)
    if _libc.syscall(numbers().sched_setattr, 0, ctypes.byref(attributes), 0) != 0:
        raise _last_error()


def reduce_memory_use() -> None:
    """Make threads share one malloc arena, and release memory that importing left unused: 1/3 MiB per workspace."""
    _libc.mallopt(M_ARENA_MAX, 1)
    _libc.malloc_trim(0)


def inotify_init() -> int:
    """Return the descriptor of a new inotify instance, which never blocks. Raises OSError."""
    fd = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if fd < 0:
        raise _last_error()
    return int(fd)


def inotify_add(fd: int, folder_fd: int, mask: int) -> int:
    """Watch an open folder and return the watch descriptor. Raises OSError."""
    number = _libc.inotify_add_watch(fd, f"/proc/self/fd/{folder_fd}".encode(), ctypes.c_uint32(mask))
    if number < 0:
        raise _last_error()
    return int(number)


def prctl(option: int, first: int = 0, second: int = 0, third: int = 0, fourth: int = 0) -> None:
    """Call prctl(2). Raises OSError."""
    arguments = [ctypes.c_ulong(value) for value in (first, second, third, fourth)]
    if _libc.prctl(option, *arguments) != 0:
        raise _last_error()


def address_of(structure: ctypes.Structure) -> int:
    return ctypes.addressof(structure)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
