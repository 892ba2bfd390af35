"""Landlock rules for guarded processes: which files they can read and which ports they can connect to.

Linux has Landlock since 5.13. It needs no privileges, so it also works if the site does not run as root; then it keeps
the process from files of the same user, such as the database or the environment of other processes.
"""

import ctypes
import os
from collections.abc import Iterable
from typing import Final

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION: Final = 1
PATH_BENEATH, NET_PORT = 1, 2
READ_FILE, READ_DIR, CONNECT_TCP = 1 << 2, 1 << 3, 1 << 1
FILE_RIGHTS: Final = ((1, 13), (2, 14), (3, 15), (5, 16))
"""(first version of Landlock, number of file rights that it knows)"""
NET_SINCE, SCOPES_SINCE = 4, 6  # versions of Landlock
ALL_NET, ALL_SCOPES = 0b11, 0b11

_libc: Final = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _PortRule(ctypes.Structure):
    _fields_ = [("rights", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none."""
    return max(0, int(_libc.syscall(CREATE_RULESET, None, 0, ASK_VERSION)))


def restrict(*, readable: Iterable[str], ports: Iterable[int]) -> bool:
    """Allow reading only these files and directories, and TCP connections only to these ports.

    Returns False if the kernel has no Landlock. Raises OSError if it refuses the rules. The process must have set
    no_new_privs.
    """
    known = version()
    if not known:
        return False
    rights = max(count for since, count in FILE_RIGHTS if known >= since)
    net = ALL_NET if known >= NET_SINCE else 0
    ruleset = _Ruleset((1 << rights) - 1, net, ALL_SCOPES if known >= SCOPES_SINCE else 0)
    fd = _call(CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    try:
        for path in readable:
            _allow_reading(fd, path)
        for port in ports if net else ():
            _call(ADD_RULE, fd, NET_PORT, ctypes.byref(_PortRule(CONNECT_TCP, port)), 0)
        _call(RESTRICT_SELF, fd, 0)
    finally:
        os.close(fd)
    return True


def _allow_reading(ruleset: int, path: str) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # the file does not exist
    try:
        rights = READ_FILE | READ_DIR if os.path.isdir(path) else READ_FILE  # noqa: PTH112
        _call(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(_PathRule(rights, opened)), 0)
    finally:
        os.close(opened)


def _call(number: int, *arguments: object) -> int:
    answer = int(_libc.syscall(number, *arguments))
    if answer < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return answer
