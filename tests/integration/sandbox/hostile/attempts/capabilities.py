"""Attempts to use each capability, and to gain one."""

from tests.integration.sandbox.hostile.case import NO, REFUSED, Category, Probe


def use(name: str, tries: str, code: str, *, expect: str = NO, root: str | None = NO) -> Probe:
    return Probe(f"cap_{name}", tries, code, expect, as_root=root)


CATEGORY = Category(
    "capabilities",
    "Capabilities and becoming root",
    "commands have no capabilities and run with no-new-privileges; the image has no setuid file; the runner's three "
    "capabilities apply only in its own user namespace",
    probes=(
        use("chown", "Give a file away.", "open('/tmp/a', 'w'); os.chown('/tmp/a', 0, 0)", root=None),
        use("dac_override", "Read what only root may.", "first('/etc/shadow')", root=NO + "|b.*"),
        use("dac_read_search", "Enter the runner's directory.", "os.listdir('/run/runner')", root=r"\[.*"),
        use("fowner", "Change the mode of root's file.", "os.chmod('/etc/passwd', 0o666)"),
        use(
            "fsetid",
            "Keep the setgid bit for a foreign group.",
            "open('/tmp/b', 'w'); os.chown('/tmp/b', -1, 0)",
            root=None,
        ),
        use("kill", "Signal a process of root.", "os.kill(1, 0)", root="None"),
        use("setuid", "Become root.", "os.setuid(0)", root=None),
        use("setgid", "Join root's group.", "os.setgid(0)", root=None),
        use("setgroups", "Join other groups.", "os.setgroups([0, 42])", root=None),
        use("setpcap", "Add to what it may inherit.", "sys_call(157, 167, 47, 2, 21, 0, 0)"),
        use(
            "linux_immutable",
            "Make a file immutable.",
            """
            import fcntl
            fd = os.open("/workspace/fixed", os.O_CREAT | os.O_RDWR); fcntl.ioctl(fd, 0x40086602, (0x10).to_bytes(8, "little"))
            """,
            expect=NO + "|ENOTTY",
            root=NO + "|ENOTTY",
        ),
        use(
            "net_bind",
            "Bind a port below 1024 for others to trust.",
            """
            s = socket.socket(); s.bind(("127.0.0.1", 80)); open("/proc/sys/net/ipv4/ip_unprivileged_port_start").read().strip()
            """,
            expect="0|EACCES",
            root="0|EACCES",
        ),
        use(
            "net_admin",
            "Bring up a network interface.",
            """
            import fcntl
            fcntl.ioctl(socket.socket(), 0x8914, b"lo".ljust(16, b"\\0") + (0x41).to_bytes(16, "little"))
            """,
        ),
        use("net_raw", "Open a raw socket.", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
        use(
            "ipc_lock",
            "Lock a gigabyte of memory.",
            "LIBC.mlockall(3) and sys_call(149, 228, id(0) // 4096 * 4096, 1 << 30)",
            expect="ENOMEM|EPERM|EAGAIN",
            root="ENOMEM|EPERM|EAGAIN",
        ),
        use(
            "ipc_owner",
            "Take over message queues of others.",
            "sys_call(68, 186, 0x1234, 0)",
            expect="ENOENT|EACCES",
            root="ENOENT|EACCES",
        ),
        use("sys_module", "Load a kernel module.", "sys_call(175, 105, b'x', 1, b'')"),
        use("sys_module_fd", "Load a kernel module from a file.", "sys_call(313, 273, 0, b'', 0)"),
        use("delete_module", "Unload a kernel module.", "sys_call(176, 106, b'none', 0)"),
        use("sys_rawio", "Reach the machine's ports.", "sys_call(173, 0x7fff, 0x80, 1, 1)"),
        use("iopl", "Reach all of the machine's ports.", "sys_call(172, 0x7fff, 3)"),
        use("sys_chroot", "Change the root.", "os.chroot('/tmp')"),
        use("sys_ptrace", "Trace the first process.", "sys_call(101, 117, 16, 1, 0, 0)", root=None),
        use("sys_pacct", "Have every process of the host written down.", "sys_call(163, 89, b'/workspace/acct')"),
        use("sys_admin", "Set the disk's label.", "sys_call(170, 161, b'x', 1)"),
        use(
            "sys_boot",
            "Restart the machine (asked for without the magic numbers).",
            "sys_call(169, 142, 0, 0, 0, None)",
        ),
        use("sys_nice", "Run before everybody else.", "os.nice(-10)"),
        use("sys_nice_realtime", "Run in real time.", "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))"),
        use(
            "sys_resource",
            "Lift a hard limit.",
            "resource.setrlimit(resource.RLIMIT_MSGQUEUE, (1 << 30, 1 << 30))",
            expect="ValueError.*|EPERM",
            root="ValueError.*|EPERM",
        ),
        use("sys_time", "Set the clock to what it is.", "time.clock_settime(time.CLOCK_REALTIME, time.time())"),
        use("settimeofday", "Set the clock, the old way.", "sys_call(164, 170, None, bytes(8))"),
        use("adjtimex", "Make the clock run fast.", "sys_call(159, 171, (1).to_bytes(4, 'little') + bytes(204))"),
        use("sys_tty", "Hang up the terminal.", "sys_call(153, 58)"),
        use("mknod", "Make a device.", "os.mknod('/tmp/null', 0o20666, os.makedev(1, 3))"),
        use(
            "lease",
            "Hold a foreign file's opening up.",
            """
            import fcntl
            fcntl.fcntl(os.open("/etc/passwd", os.O_RDONLY), 1024, 0)
            """,
            expect=NO + "|EAGAIN",
            root=None,
        ),
        use(
            "audit_write",
            "Write to the host's audit log.",
            """
            s = socket.socket(16, socket.SOCK_RAW, 9); s.sendto(bytes([20, 0, 0, 0, 0x4d, 4, 5, 0]) + bytes(12), (0, 0)); s.settimeout(1); s.recv(99)[16:20].hex()
            """,
            expect="ffffffff|91ffffff|" + NO + "|EPROTONOSUPPORT|ECONNREFUSED",
            root="ffffffff|91ffffff|" + NO + "|EPROTONOSUPPORT|ECONNREFUSED",
        ),
        use(
            "setfcap",
            "Give a program capabilities.",
            """
            open("/tmp/c", "w"); os.setxattr("/tmp/c", "security.capability", bytes([1, 0, 0, 2]) + b"\\xff" * 16)
            """,
        ),
        use("mac_admin", "Change a security label.", "os.setxattr('/tmp', 'security.selinux', b'x')", root=None),
        use("wake_alarm", "Wake the machine.", "sys_call(283, 85, 8, 0)", expect=NO + "|[0-9]+", root=NO + "|[0-9]+"),
        use("block_suspend", "Keep the machine awake.", "opened('/sys/power/wake_lock', os.O_WRONLY)"),
        use(
            "perfmon",
            "Count what others do.",
            "sys_call(298, 241, bytes([1, 0, 0, 0, 112, 0, 0, 0]) + bytes(104), -1, 0, -1, 0)",
        ),
        use("bpf", "Load a program into the kernel.", "sys_call(321, 280, 5, bytes(120), 120)"),
        use("checkpoint", "Choose a thread's id.", "opened('/proc/sys/kernel/ns_last_pid', os.O_WRONLY)"),
        Probe(
            "ambient",
            "Raise a capability for its children.",
            "sys_call(157, 167, 47, 2, 0, 0, 0)",
            NO,
            as_root=NO + "|EINVAL",
        ),
        Probe(
            "capset",
            "Give itself everything.",
            """
            header = (0x20080522).to_bytes(4, "little") + bytes(4); sys_call(126, 91, header, b"\\xff" * 24)
            """,
            REFUSED,
            as_root=REFUSED,
        ),
        Probe(
            "securebits", "Change how capabilities are lost.", "sys_call(157, 167, 28, 0x10, 0, 0, 0)", NO, as_root=NO
        ),
        Probe(
            "no_new_privs_off",
            "Take no-new-privileges back.",
            "sys_call(157, 167, 38, 0, 0, 0, 0)",
            "EINVAL",
            as_root="EINVAL",
        ),
        Probe(
            "effective",
            "Have any capability left.",
            "[status_of('self', f) for f in ('CapInh', 'CapPrm', 'CapEff', 'CapAmb')]",
            r"\['0{16}', '0{16}', '0{16}', '0{16}'\]",
        ),
        Probe(
            "bounding",
            "Have more within reach than setuid, setgid and kill.",
            "int(status_of('self', 'CapBnd'), 16) & ~0xe0",
            "0",
            as_root="0",
        ),
        Probe(
            "setuid_file",
            "Make a program setuid and run it as its owner.",
            """
            cp /bin/id /tmp/myid; chmod 6755 /tmp/myid; /tmp/myid -u
            """,
            "1000",
            "bash",
        ),
        Probe(
            "setuid_files",
            "Find a setuid or setgid program.",
            "find / -xdev -type f -perm /6000 2>/dev/null | wc -l",
            "0",
            "bash",
            as_root="0",
        ),
        Probe(
            "capable_files",
            "Find a program with capabilities.",
            """
            found = []
            for folder in ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/opt/agentsite"):
                for name in os.listdir(folder):
                    try:
                        os.getxattr(f"{folder}/{name}", "security.capability"); found.append(name)
                    except OSError:
                        pass
            found
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "sudo",
            "Use sudo, su, pkexec or doas.",
            "for p in sudo pkexec doas; do command -v $p; done; su -c id 2>&1 | tail -1",
            ".*(Authentication failure|System error|must be run from a terminal|not found|Cannot|cannot|Permission).*",
            "bash",
        ),
        Probe(
            "become_root",
            "Let the runner's own helper make it root.",
            "/opt/agentsite/become 0 id; echo $?",
            "125",
            "bash",
        ),
        Probe(
            "become_other",
            "Let the runner's own helper make it another user.",
            "/opt/agentsite/become 65534 id; echo $?",
            "12[56]",
            "bash",
        ),
        Probe("passwd", "Change a password.", "open('/etc/passwd', 'a')", REFUSED, as_root="EROFS"),
        Probe(
            "setresuid_mix",
            "Become root by any mix of real, effective and saved ids.",
            """
            worked = []
            for ids in [(0, 0, 0), (0, 1000, 1000), (1000, 0, 1000), (1000, 1000, 0), (65534, -1, -1), (-1, 65533, -1)]:
                try:
                    os.setresuid(*ids); worked.append(ids)
                except OSError:
                    pass
            worked
            """,
            r"\[\]",
        ),
        Probe("setfsuid", "Touch files as root.", "LIBC.setfsuid(0); LIBC.setfsuid(-1)", "1000"),
        Probe(
            "keep_caps",
            "Keep capabilities over a change of user.",
            "sys_call(157, 167, 8, 1, 0, 0, 0); status_of('self', 'CapPrm')",
            "0{16}",
        ),
    ),
)
