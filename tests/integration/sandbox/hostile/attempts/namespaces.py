"""Attempts to create namespaces, and to enter the namespaces of other processes."""

from tests.integration.sandbox.hostile.case import NO, Category, Probe

KINDS = {
    "user": 0x10000000,
    "mount": 0x00020000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "ipc": 0x08000000,
    "uts": 0x04000000,
    "cgroup": 0x02000000,
    "time": 0x00000080,
}
CLONE3 = """
class Arguments(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint64) for n in "flags pidfd child parent exit stack size tls set count cgroup".split()]
pid = sys_call(435, 435, ctypes.byref(Arguments(flags=0x10000000 | %d, exit=17)), 88)
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
"""

CATEGORY = Category(
    "namespaces",
    "Namespaces",
    "the engine's seccomp profile and no capabilities: no namespace can be made or entered",
    probes=(
        *(
            Probe(
                f"unshare_{kind}",
                f"Make a new {kind} namespace.",
                f"sys_call(272, 97, {flag})",
                NO + "|EINVAL",
                as_root=NO + "|EINVAL",
            )
            for kind, flag in KINDS.items()
        ),
        Probe(
            "unshare_all",
            "Make a user namespace together with all others.",
            f"sys_call(272, 97, {sum(KINDS.values())})",
            NO + "|EINVAL",
            as_root=NO + "|EINVAL",
        ),
        *(
            Probe(
                f"clone_{kind}",
                f"Start a process in a new {kind} namespace.",
                f"""
                pid = sys_call(56, 220, {flag | 17}, 0, 0, 0, 0)
                if pid == 0:
                    os._exit(0)
                "made"
                """,
                NO + "|EINVAL",
                as_root=NO + "|EINVAL",
            )
            for kind, flag in KINDS.items()
            if kind in ("user", "mount", "net")
        ),
        Probe(
            "clone3_user",
            "Start a process in a new user namespace by clone3, which filters cannot look into.",
            CLONE3 % 0,
            NO,
            as_root=NO,
        ),
        Probe("clone3_mount", "The same with a mount namespace in it.", CLONE3 % 0x20000, NO, as_root=NO),
        Probe(
            "clone_into_cgroup",
            "Start a process in another cgroup by clone3.",
            CLONE3.replace("0x10000000 | %d", "0x200000000"),
            NO + "|EBADF",
            as_root=NO + "|EBADF",
        ),
        *(
            Probe(
                f"setns_{kind}",
                f"Enter the {kind} namespace of the first process.",
                f"""
                fd = os.open("/proc/1/ns/{kind}", os.O_RDONLY); sys_call(308, 268, fd, 0)
                """,
                NO,
                as_root=NO + "|EINVAL",
            )
            for kind in ("mnt", "pid", "net", "ipc", "uts", "user", "cgroup")
        ),
        Probe(
            "setns_pidfd",
            "Enter all namespaces of the first process by its pidfd.",
            "sys_call(308, 268, os.pidfd_open(1), 0x00020000 | 0x20000000)",
            NO,
            as_root=NO + "|EINVAL",
        ),
        Probe(
            "own_parents",
            "Ask for the owner of its user namespace, which is the host's.",
            """
            import fcntl
            fcntl.ioctl(os.open("/proc/self/ns/user", os.O_RDONLY), 0xb702)
            """,
            NO,
            as_root=NO,
        ),
        Probe(
            "unshare_program",
            "Use the program unshare.",
            "unshare -Ur id -u 2>&1 | tail -1",
            ".*(not permitted|denied|not found|failed).*",
            "bash",
            as_root=".*(not permitted|denied|not found|failed).*",
        ),
        Probe(
            "nsenter_program",
            "Use the program nsenter.",
            "nsenter -t 1 -a true 2>&1 | tail -1",
            ".*(not permitted|denied|not found|failed).*",
            "bash",
            as_root=".*(not permitted|denied|not found|failed|nsenter:).*",
        ),
        Probe(
            "bind_ns",
            "Keep a namespace alive by binding it to a file.",
            """
            open("/tmp/ns", "w"); sys_call(165, 40, b"/proc/self/ns/mnt", b"/tmp/ns", b"", 4096, 0)
            """,
            NO,
            as_root=NO,
        ),
        Probe("host_name_call", "Rename the machine by system call.", "sys_call(170, 161, b'x', 1)", NO, as_root=NO),
        Probe("domain_name_call", "Name the machine's domain.", "sys_call(171, 162, b'x', 1)", NO, as_root=NO),
    ),
)
