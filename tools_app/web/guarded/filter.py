"""seccomp filters for guarded processes on x86_64 and aarch64: they refuse system calls that a process does not need.

There are two stages. While it fetches, the process may open IP connections and read files, but not start programs,
write files or reach other processes. Once it has the page, it may only compute and write its answer.
"""

import struct
from typing import Final

LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF opcodes
ALLOW, KILL_PROCESS, REFUSE, UNKNOWN = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026  # errors EPERM and ENOSYS
AT_NUMBER, AT_ARCHITECTURE, AT_ARGUMENT = 0, 4, (16, 24, 32)  # offsets in struct seccomp_data
X32_BIT: Final = 0x40000000
AF_INET, AF_INET6 = 2, 10
WRITE_FLAGS: Final = 0x400243
"""The flags O_WRONLY, O_RDWR, O_CREAT, O_TRUNC and O_TMPFILE."""
CLONE_THREAD: Final = 0x10000

Instruction = tuple[int, int, int, int]
Names = tuple[str, ...]

# Calls that are refused, by what they would do:
PROGRAM_CALLS: Final[Names] = ("fork", "vfork", "execve", "execveat", "memfd_create", "userfaultfd")
OTHER_CALLS: Final[Names] = (
    "ptrace", "kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "process_vm_readv",
    "process_vm_writev", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "unshare", "setns", "chroot",
    "perf_event_open", "bpf", "add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "init_module", "finit_module",
)  # fmt: skip
SERVER_CALLS: Final[Names] = ("socketpair", "bind", "listen", "accept", "accept4")
FILE_CHANGE_CALLS: Final[Names] = (
    "creat", "truncate", "ftruncate", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat",
    "unlink", "unlinkat", "symlink", "symlinkat", "mknod", "mknodat", "chmod", "fchmod", "fchmodat", "chown", "fchown",
    "lchown", "fchownat", "mount", "umount2", "open_tree", "move_mount", "fsopen", "fsmount", "mount_setattr",
    "openat2", "open_by_handle_at", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups",
)  # fmt: skip
CALLS_REFUSED_AFTER_SEAL: Final[Names] = (
    "socket",
    "connect",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "recvfrom",
    "recvmsg",
    "open",
    "openat",
)

# Call numbers:
SHARED_NUMBERS: Final = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsmount": 432, "pidfd_open": 434, "clone3": 435,
    "openat2": 437, "pidfd_getfd": 438, "mount_setattr": 442,
}  # fmt: skip
X86_64_NUMBERS: Final = {
    **SHARED_NUMBERS, "open": 2, "socket": 41, "connect": 42, "accept": 43, "sendto": 44, "recvfrom": 45, "sendmsg": 46,
    "recvmsg": 47, "bind": 49, "listen": 50, "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58, "execve": 59,
    "kill": 62, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84, "creat": 85, "link": 86,
    "unlink": 87, "symlink": 88, "chmod": 90, "fchmod": 91, "chown": 92, "fchown": 93, "lchown": 94, "ptrace": 101,
    "setuid": 105, "setgid": 106, "setreuid": 113, "setregid": 114, "setgroups": 116, "setresuid": 117,
    "setresgid": 119, "mknod": 133, "chroot": 161, "mount": 165, "umount2": 166, "init_module": 175, "tkill": 200,
    "add_key": 248, "request_key": 249, "keyctl": 250, "openat": 257, "mkdirat": 258, "mknodat": 259, "fchownat": 260,
    "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266, "fchmodat": 268, "unshare": 272, "accept4": 288,
    "perf_event_open": 298, "open_by_handle_at": 304, "sendmmsg": 307, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "finit_module": 313, "renameat2": 316, "memfd_create": 319, "bpf": 321, "execveat": 322,
    "userfaultfd": 323, "tgkill": 234, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
}  # fmt: skip
AARCH64_NUMBERS: Final = {
    **SHARED_NUMBERS, "mknodat": 33, "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38,
    "umount2": 39, "mount": 40, "truncate": 45, "ftruncate": 46, "chroot": 51, "fchmod": 52, "fchmodat": 53,
    "fchownat": 54, "fchown": 55, "openat": 56, "unshare": 97, "init_module": 105, "ptrace": 117, "kill": 129,
    "tkill": 130, "setregid": 143, "setgid": 144, "setreuid": 145, "setuid": 146, "setresuid": 147, "setresgid": 149,
    "setgroups": 159, "socket": 198, "socketpair": 199, "bind": 200, "listen": 201, "accept": 202, "connect": 203,
    "sendto": 206, "recvfrom": 207, "sendmsg": 211, "recvmsg": 212, "add_key": 217, "request_key": 218, "keyctl": 219,
    "clone": 220, "execve": 221, "perf_event_open": 241, "accept4": 242, "open_by_handle_at": 265, "setns": 268,
    "sendmmsg": 269, "process_vm_readv": 270, "process_vm_writev": 271, "finit_module": 273, "renameat2": 276,
    "memfd_create": 279, "bpf": 280, "execveat": 281, "userfaultfd": 282, "tgkill": 131, "rt_sigqueueinfo": 138,
    "rt_tgsigqueueinfo": 240,
}  # fmt: skip
MACHINES: Final = {"x86_64": (0xC000003E, X86_64_NUMBERS), "aarch64": (0xC00000B7, AARCH64_NUMBERS)}


def fetching_filter(machine: str) -> bytes:
    """Return the seccomp filter for the time in which the network is needed. Raises KeyError for an unsupported
    machine."""
    numbers = MACHINES[machine][1]
    return _program(
        machine,
        [
            *_refused(numbers, (*PROGRAM_CALLS, *OTHER_CALLS, *SERVER_CALLS, *FILE_CHANGE_CALLS)),
            *_only_when(numbers["clone"], AT_ARGUMENT[0], CLONE_THREAD),
            (JUMP_EQUAL, 0, 1, numbers["clone3"]),
            (RETURN, 0, 0, UNKNOWN),  # the C library then uses clone, whose flags a filter can check
            *_never_when(numbers.get("open"), AT_ARGUMENT[1], WRITE_FLAGS),
            *_never_when(numbers["openat"], AT_ARGUMENT[2], WRITE_FLAGS),
            *_only_families(numbers["socket"], (AF_INET, AF_INET6)),
        ],
    )


def sealing_filter(machine: str) -> bytes:
    """Return the seccomp filter that is added when the process no longer needs the network or files. Raises KeyError
    for an unsupported machine."""
    return _program(machine, _refused(MACHINES[machine][1], CALLS_REFUSED_AFTER_SEAL))


def _program(machine: str, body: list[Instruction]) -> bytes:
    """Assemble a seccomp filter. A process that makes system calls of another architecture is killed."""
    program = [
        (LOAD, 0, 0, AT_ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, MACHINES[machine][0]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, AT_NUMBER),
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, REFUSE),
        *body,
        (RETURN, 0, 0, ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in program)


def _refused(numbers: dict[str, int], names: Names) -> list[Instruction]:
    known = [numbers[name] for name in names if name in numbers]
    return [step for number in known for step in ((JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE))]


def _never_when(number: int | None, argument: int, bits: int) -> list[Instruction]:
    """Return instructions that refuse the system call `number` if its argument has any of these bits.

    There are none if the machine has no such call.
    """
    if number is None:
        return []
    return [
        (JUMP_EQUAL, 0, 4, number),
        (LOAD, 0, 0, argument),
        (JUMP_ANY_BIT, 0, 1, bits),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]


def _only_when(number: int, argument: int, bit: int) -> list[Instruction]:
    """Return instructions that refuse the system call `number` unless its argument has this bit."""
    return [
        (JUMP_EQUAL, 0, 4, number),
        (LOAD, 0, 0, argument),
        (JUMP_ANY_BIT, 1, 0, bit),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]


def _only_families(number: int, families: tuple[int, ...]) -> list[Instruction]:
    allowed = [step for family in families for step in ((JUMP_EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW))]
    inside = [(LOAD, 0, 0, AT_ARGUMENT[0]), *allowed, (RETURN, 0, 0, REFUSE)]
    return [(JUMP_EQUAL, 0, len(inside), number), *inside]
