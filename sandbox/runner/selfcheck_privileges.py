"""Self-check of privileges: the user and capabilities of a command, and the system calls that are refused to it."""

import ctypes
import errno
import os
from collections.abc import Iterator

from .selfcheck_common import Finding, HostFacts, read

TOOL_UID = 1000
MARKS = range(50_000, 60_000)
"""The same as in `processes`: groups that only mark which command a process belongs to."""
ALLOWED_IN_BOUNDING_SET = 0xE0
"""KILL, SETGID and SETUID, which the runner has. No command can gain them."""
PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, FILTER = 21, 39, 2

AF_VSOCK, STREAM = 40, 1
CLONE_NEWUSER = 0x10000000
UNUSED_PID = 0x7FFFFFF0  # larger than any process id
CHARACTER_DEVICE, NULL_DEVICE, AT_FDCWD = 0o020600, 0x103, -100

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

REFUSED_CALLS: tuple[tuple[str, str, Arguments], ...] = (
    ("AF_VSOCK", "socket", (AF_VSOCK, STREAM, 0)),
    ("io_uring", "io_uring_setup", (1, 0)),
    ("ptrace", "ptrace", (16, UNUSED_PID, 0, 0)),
    ("process_vm_readv", "process_vm_readv", (UNUSED_PID, 0, 0, 0, 0, 0)),
    ("process_vm_writev", "process_vm_writev", (UNUSED_PID, 0, 0, 0, 0, 0)),
    ("pidfd_getfd", "pidfd_getfd", (-1, -1, 0)),
    ("mount", "mount", (b"none", b"/tmp", b"tmpfs", 0, 0)),
    ("mknod", "mknodat", (AT_FDCWD, b"/tmp/.device", CHARACTER_DEVICE, NULL_DEVICE)),
    ("kexec_load", "kexec_load", (0, 0, 0, 0)),
    ("init_module", "init_module", (0, 0, b"")),
)
"""Calls refused by the runner's seccomp filter or for lack of a capability: name, system call, arguments. The arguments
are harmless if a call is not refused."""
REFUSED_ON_SHARED_KERNEL: tuple[tuple[str, str, Arguments], ...] = (
    ("bpf", "bpf", (0, 0, 0)),
    ("keyctl", "keyctl", (0, -3, 0)),
    ("add_key", "add_key", (0, 0, 0, 0, -3)),
    ("userfaultfd", "userfaultfd", (1,)),
    ("perf_event_open", "perf_event_open", (0, 0, -1, -1, 0)),
    ("setns", "setns", (-1, 0)),
    ("open_by_handle_at", "open_by_handle_at", (-1, 0, 0)),
)
"""Calls refused by the engine's seccomp profile. A kernel of the sandbox's own may support them."""
LAST_CALLS: tuple[tuple[str, str, Arguments], ...] = (("user namespace", "unshare", (CLONE_NEWUSER,)),)

_libc = ctypes.CDLL(None, use_errno=True)


def user_and_capabilities(host: HostFacts) -> Iterator[Finding]:
    yield user_map(read("/proc/self/uid_map"), host)
    yield user(os.getresuid(), os.getresgid(), os.getgroups())
    yield capabilities(read("/proc/self/status"))
    no_new_privileges = _libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
    yield (
        "no new privileges",
        no_new_privileges,
        "set: no program can gain privileges" if no_new_privileges else "not set",
    )
    filtered = _libc.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == FILTER
    yield "seccomp", filtered, "a filter is installed" if filtered else "no filter is installed"


def user_map(text: str, host: HostFacts) -> Finding:
    name = "user map"
    if host.own_kernel:
        remaps = "remaps" if host.remapped else "does not remap"
        return name, True, f"not visible inside a kernel of its own; the engine {remaps} users"
    outside = next((int(line.split()[1]) for line in text.splitlines() if line.split()[0] == "0"), None)
    if outside is None:
        return name, True, "root in the container is no user of the host"
    if outside:
        return name, True, f"root in the container is user {outside} of the host"
    return (
        name,
        not host.remapped,
        "root in the container is the host's root too"
        + (", although the engine remaps users" if host.remapped else ": this engine does not remap users"),
    )


def user(uids: tuple[int, int, int], gids: tuple[int, int, int], groups: list[int]) -> Finding:
    strange = [group for group in groups if group != TOOL_UID and group not in MARKS]
    found = f"uid {uids[0]}, gid {gids[0]}, " + (f"groups {strange}" if strange else "no group that owns files")
    return "user", {*uids, *gids} == {TOOL_UID} and not strange, found


def capabilities(status: str) -> Finding:
    """Check that a command has no capability, and only allowed ones in its bounding set. Kernels without an ambient set
    do not report one."""
    reported = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith("Cap"))
    sets = {name: int(reported[f"Cap{name}"], 16) for name in ("Inh", "Prm", "Eff", "Bnd")}
    sets["Amb"] = int(reported.get("CapAmb", "0"), 16)
    bounding = sets.pop("Bnd")
    held = [f"{name} {value:#x}" for name, value in sets.items() if value]
    if bounding & ~ALLOWED_IN_BOUNDING_SET:
        held.append(f"bounding {bounding:#x}")
    return "capabilities", not held, f"held: {', '.join(held)}" if held else f"none; bounding set {bounding:#x}"


def system_calls(host: HostFacts) -> Iterator[Finding]:
    for name, call, arguments in REFUSED_CALLS:
        yield system_call(name, call_kernel(call, arguments), ours=False)
    for name, call, arguments in REFUSED_ON_SHARED_KERNEL:
        yield system_call(name, call_kernel(call, arguments), ours=host.own_kernel)


def user_namespaces(host: HostFacts) -> Iterator[Finding]:
    for name, call, arguments in LAST_CALLS:
        yield system_call(name, call_kernel(call, arguments), ours=host.own_kernel)


def system_call(name: str, error: int, *, ours: bool) -> Finding:
    """Return the finding for a system call that failed with `error`, 0 if it succeeded.

    `ours`: the kernel is the sandbox's own, so the call may succeed.
    """
    if error in REFUSED:
        return name, True, f"refused ({errno.errorcode[error]})"
    if error in ABSENT:
        return name, True, f"not supported ({errno.errorcode[error]})"
    result = errno.errorcode.get(error, str(error)) if error else "succeeded"
    return name, ours, f"not refused ({result})" + (", by the sandbox's own kernel" if ours else "")


def call_kernel(name: str, arguments: Arguments) -> int:
    """Make a system call and return its errno, 0 if it succeeded."""
    values = [value if isinstance(value, bytes) else ctypes.c_long(value) for value in arguments]
    ctypes.set_errno(0)
    done = _libc.syscall(NUMBERS[os.uname().machine][name], *values)
    return ctypes.get_errno() if done < 0 else 0
