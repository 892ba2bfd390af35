"""The self-check's part about powers: who a command is, what it may do, and which calls the kernel refuses it."""

import ctypes
import errno
import os
from collections.abc import Iterator

from .selfcheck_common import Finding, Ground, read

TOOL_UID = 1000
MARKS = range(50_000, 60_000)
"""As in `processes`: groups that only say which command a process belongs to."""
ALLOWED_IN_BOUNDING_SET = 0xE0
"""KILL, SETGID, SETUID: the runner's. Nothing a command does can turn them into powers of its own."""
PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, FILTER = 21, 39, 2

AF_VSOCK, STREAM = 40, 1
CLONE_NEWUSER = 0x10000000
NOBODY = 0x7FFFFFF0
"""The id of a process that there is not."""
CHARACTER_DEVICE, NULL_DEVICE, HERE = 0o020600, 0x103, -100

NUMBERS = {
    "x86_64": {
        "socket": 41, "ptrace": 101, "mount": 165, "init_module": 175, "kexec_load": 246, "add_key": 248,
        "keyctl": 250, "mknodat": 259, "unshare": 272, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308,
        "process_vm_readv": 310, "process_vm_writev": 311, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425,
        "pidfd_getfd": 438,
    },
    "aarch64": {
        "socket": 198, "ptrace": 117, "mount": 40, "init_module": 105, "kexec_load": 104, "add_key": 217,
        "keyctl": 219, "mknodat": 33, "unshare": 97, "perf_event_open": 241, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425,
        "pidfd_getfd": 438,
    },
}  # fmt: skip

REFUSED = (errno.EPERM, errno.EACCES)
ABSENT = (errno.ENOSYS, errno.ENODEV, errno.EOPNOTSUPP, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)

Arguments = tuple[int | bytes, ...]

EVERYWHERE: tuple[tuple[str, str, Arguments], ...] = (
    ("AF_VSOCK", "socket", (AF_VSOCK, STREAM, 0)),
    ("io_uring", "io_uring_setup", (1, 0)),
    ("ptrace", "ptrace", (16, NOBODY, 0, 0)),
    ("process_vm_readv", "process_vm_readv", (NOBODY, 0, 0, 0, 0, 0)),
    ("process_vm_writev", "process_vm_writev", (NOBODY, 0, 0, 0, 0, 0)),
    ("pidfd_getfd", "pidfd_getfd", (-1, -1, 0)),
    ("mount", "mount", (b"none", b"/tmp", b"tmpfs", 0, 0)),
    ("mknod", "mknodat", (HERE, b"/tmp/.device", CHARACTER_DEVICE, NULL_DEVICE)),
    ("kexec_load", "kexec_load", (0, 0, 0, 0)),
    ("init_module", "init_module", (0, 0, b"")),
)
"""By our own filter, or for want of capabilities. The arguments are such that nothing comes of a call let through."""
OF_A_SHARED_KERNEL: tuple[tuple[str, str, Arguments], ...] = (
    ("bpf", "bpf", (0, 0, 0)),
    ("keyctl", "keyctl", (0, -3, 0)),
    ("add_key", "add_key", (0, 0, 0, 0, -3)),
    ("userfaultfd", "userfaultfd", (1,)),
    ("perf_event_open", "perf_event_open", (0, 0, -1, -1, 0)),
    ("setns", "setns", (-1, 0)),
    ("open_by_handle_at", "open_by_handle_at", (-1, 0, 0)),
)
"""By the engine's seccomp profile. A kernel that only this sandbox has may know them."""
LAST: tuple[tuple[str, str, Arguments], ...] = (("user namespace", "unshare", (CLONE_NEWUSER,)),)

_libc = ctypes.CDLL(None, use_errno=True)


def who_i_am(ground: Ground) -> Iterator[Finding]:
    yield user_map(read("/proc/self/uid_map"), ground)
    yield user(os.getresuid(), os.getresgid(), os.getgroups())
    yield capabilities(read("/proc/self/status"))
    fixed = _libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
    yield "no new privileges", fixed, "set: no program can give more" if fixed else "not set"
    filtered = _libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == FILTER
    yield "seccomp", filtered, "a filter is installed" if filtered else "no filter is installed"


def user_map(text: str, ground: Ground) -> Finding:
    name = "user map"
    if ground.own_kernel:
        told = "remaps" if ground.remapped else "does not remap"
        return name, True, f"not seen from inside a kernel of its own; the engine {told} users"
    outside = next((int(line.split()[1]) for line in text.splitlines() if line.split()[0] == "0"), None)
    if outside is None:
        return name, True, "root in here is nobody outside"
    if outside:
        return name, True, f"root in here is user {outside} of the host"
    return (
        name,
        not ground.remapped,
        "root in here is the host's root too"
        + (", although the engine remaps users" if ground.remapped else ": this engine does not remap users"),
    )


def user(uids: tuple[int, int, int], gids: tuple[int, int, int], groups: list[int]) -> Finding:
    strange = [group for group in groups if group != TOOL_UID and group not in MARKS]
    found = f"uid {uids[0]}, gid {gids[0]}, " + (f"groups {strange}" if strange else "no group that owns anything")
    return "user", {*uids, *gids} == {TOOL_UID} and not strange, found


def capabilities(status: str) -> Finding:
    """Kernels that know no ambient set do not tell it."""
    told = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith("Cap"))
    sets = {name: int(told[f"Cap{name}"], 16) for name in ("Inh", "Prm", "Eff", "Bnd")}
    sets["Amb"] = int(told.get("CapAmb", "0"), 16)
    bounding = sets.pop("Bnd")
    held = [f"{name} {value:#x}" for name, value in sets.items() if value]
    if bounding & ~ALLOWED_IN_BOUNDING_SET:
        held.append(f"bounding {bounding:#x}")
    return "capabilities", not held, f"held: {', '.join(held)}" if held else f"none; bounding set {bounding:#x}"


def doors(ground: Ground) -> Iterator[Finding]:
    for name, call, arguments in EVERYWHERE:
        yield door(name, call_kernel(call, arguments), ours=False)
    for name, call, arguments in OF_A_SHARED_KERNEL:
        yield door(name, call_kernel(call, arguments), ours=ground.own_kernel)


def last_doors(ground: Ground) -> Iterator[Finding]:
    for name, call, arguments in LAST:
        yield door(name, call_kernel(call, arguments), ours=ground.own_kernel)


def door(name: str, error: int, *, ours: bool) -> Finding:
    """`error` is 0 for a call that was carried out; `ours`: the kernel is the sandbox's own."""
    if error in REFUSED:
        return name, True, f"refused ({errno.errorcode[error]})"
    if error in ABSENT:
        return name, True, f"not there ({errno.errorcode[error]})"
    result = errno.errorcode.get(error, str(error)) if error else "carried out"
    return name, ours, f"let through ({result})" + (", by the sandbox's own kernel" if ours else "")


def call_kernel(name: str, arguments: Arguments) -> int:
    values = [value if isinstance(value, bytes) else ctypes.c_long(value) for value in arguments]
    ctypes.set_errno(0)
    done = _libc.syscall(NUMBERS[os.uname().machine][name], *values)
    return ctypes.get_errno() if done < 0 else 0
