"""System calls with far-reaching rights in the kernel, and attempts to bypass the filters that refuse them."""

from tests.integration.sandbox.hostile.case import NO, Category, Probe


def call(id: str, tries: str, code: str, *, expect: str = NO, root: str | None = None) -> Probe:
    return Probe(id, tries, code, expect, as_root=root)


def program(id: str, tries: str, body: str, *, expect: str) -> Probe:
    head = (
        "#include <stdio.h>\n#include <errno.h>\n#include <unistd.h>\n#include <sys/prctl.h>\n#include <sys/mman.h>\n"
    )
    return Probe(id, tries, head + "int main(void){" + body + "}", expect, "c")


REFUSED_OR_KILLED = f"{NO}|EFAULT|SIGSYS|SIGSEGV"
CATEGORY = Category(
    "system_calls",
    "System calls",
    "the engine's seccomp profile and the runner's own filter, which every child inherits and nobody can remove",
    probes=(
        call("bpf_map", "Make a BPF map.", "sys_call(321, 280, 0, bytes(120), 120)", root=NO),
        call(
            "perf",
            "Open a performance counter of the whole machine.",
            "sys_call(298, 241, bytes(120), -1, 0, -1, 0)",
            root=NO,
        ),
        call("keyctl", "Read the session keyring.", "sys_call(250, 219, 0, -3, 1)", root=NO),
        call("keyctl_join", "Join another session keyring.", "sys_call(250, 219, 1, b'x')", root=NO),
        call("add_key", "Store a key in the kernel.", "sys_call(248, 217, b'user', b'x', b'y', 1, -3)", root=NO),
        call(
            "request_key",
            "Have the host's helper look for a key.",
            "sys_call(249, 218, b'user', b'x', b'y', -3)",
            root=NO,
        ),
        call("ptrace_runner", "Trace the runner.", "sys_call(101, 117, 16, runner(), 0, 0)"),
        call("ptrace_seize", "Seize the runner.", "sys_call(101, 117, 0x4206, runner(), 0, 0)"),
        call("ptrace_traceme", "Be traced by the runner.", "sys_call(101, 117, 0, 0, 0, 0)"),
        call("process_vm_readv", "Read the runner's memory.", "sys_call(310, 270, runner(), 0, 0, 0, 0, 0)"),
        call("process_vm_writev", "Write the runner's memory.", "sys_call(311, 271, runner(), 0, 0, 0, 0, 0)"),
        call("pidfd_getfd", "Take a descriptor from the runner.", "sys_call(438, 438, os.pidfd_open(runner()), 3, 0)"),
        call(
            "process_madvise",
            "Push the runner's memory out.",
            "sys_call(440, 440, os.pidfd_open(runner()), bytes(16), 1, 21, 0)",
        ),
        call(
            "process_mrelease",
            "Release the runner's memory.",
            "sys_call(448, 448, os.pidfd_open(runner()), 0)",
            expect=NO + "|EINVAL",
        ),
        call(
            "kcmp", "Compare kernel pointers with the runner's.", "sys_call(312, 272, os.getpid(), runner(), 0, 0, 0)"
        ),
        call(
            "move_pages",
            "Move the runner's pages.",
            "sys_call(279, 239, runner(), 0, None, None, None, 0)",
            expect=NO + "|EINVAL",
        ),
        call(
            "migrate_pages",
            "Move all of the runner's memory.",
            "sys_call(256, 238, runner(), 64, bytes(8), bytes(8))",
            expect=NO + "|EINVAL",
        ),
        call("userfaultfd", "Hold the kernel up at a page fault.", "sys_call(323, 282, 1)", root=NO),
        call("dev_userfaultfd", "The same through its device.", "opened('/dev/userfaultfd', os.O_RDWR)", root=NO),
        call(
            "io_uring_setup", "Make an io_uring, which filters cannot look into.", "sys_call(425, 425, 1, bytes(120))"
        ),
        call("io_uring_enter", "Enter one.", "sys_call(426, 426, 0, 1, 0, 0, None, 0)"),
        call("io_uring_register", "Register with one.", "sys_call(427, 427, 0, 0, None, 0)"),
        call("kexec_load", "Load another kernel.", "sys_call(246, 104, 0, 0, None, 0)", root=NO),
        call("kexec_file", "Load another kernel from a file.", "sys_call(320, 294, -1, -1, 0, None, 0)", root=NO),
        call("reboot", "Restart the machine, with a wrong magic number.", "sys_call(169, 142, 0, 0, 0, None)", root=NO),
        call(
            "lookup_dcookie", "Turn a cookie into a path of the host.", "sys_call(212, 18, 1, bytes(99), 99)", root=NO
        ),
        call("nfsservctl", "Speak to the kernel's NFS server.", "sys_call(180, 42, 0, None, None)", root=NO),
        call("uselib", "Load a library, the oldest way.", "sys_call(134, 0x7fff, b'/tmp/x')", root=NO),
        call("sysfs_call", "List file systems, the old way.", "sys_call(139, 0x7fff, 3)", root=NO),
        call("ustat", "Look at a file system by device number.", "sys_call(136, 0x7fff, 0xfe00, bytes(64))", root=NO),
        call("vhangup", "Hang up the terminal.", "sys_call(153, 58)", root=NO),
        call("modify_ldt", "Install a segment.", "sys_call(154, 0x7fff, 17, bytes(16), 16)", expect=NO + "|EINVAL"),
        call("vm86", "Enter the oldest mode of the processor.", "sys_call(0x7fff, 0x7fff, 1)"),
        call("fanotify", "Watch whole mounts.", "sys_call(300, 262, 0, 0)", root=NO),
        call(
            "name_to_handle",
            "Make a lasting handle of the root.",
            """
            class Handle(ctypes.Structure):
                _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_char * 128)]
            mount = ctypes.c_int(); sys_call(303, 264, -100, b"/", ctypes.byref(Handle(128)), ctypes.byref(mount), 0)
            """,
            expect=NO + "|[0-9]",
        ),
        call("sethostname", "Rename the machine.", "sys_call(170, 161, b'evil', 4)", root=NO),
        call("personality", "Switch address randomisation off.", "sys_call(135, 92, 0x0040000)", root=NO),
        call(
            "set_mempolicy", "Bind its memory to a node of the host.", "sys_call(238, 237, 2, bytes([1] + [0] * 7), 64)"
        ),
        call("ioprio_runner", "Make the runner wait for the disk.", "sys_call(251, 30, 1, runner(), 3 << 13)"),
        call(
            "landlock_runner",
            "Have a sandbox of its own end the runner's rights.",
            "sys_call(446, 446, -1, 0)",
            expect=NO + "|EBADF|EINVAL|EBADFD",
        ),
        call(
            "pkey", "Protect memory with a key.", "sys_call(329, 288, 4096, 4096, 0, -1)", expect=NO + "|ENOMEM|EINVAL"
        ),
        call(
            "memfd_secret",
            "Take memory that can neither be read nor reclaimed.",
            """
            import mmap
            fd = sys_call(447, 447, 0); os.ftruncate(fd, 1 << 20); mmap.mmap(fd, 1 << 20)
            """,
            expect=NO + "|EAGAIN|ENOMEM",
        ),
        call("vsock", "Speak to the hypervisor.", "socket.socket(40, socket.SOCK_STREAM)"),
        call("vsock_dgram", "The same with datagrams.", "socket.socket(40, socket.SOCK_DGRAM)"),
        call("vsock_pair", "A pair of such sockets.", "sys_call(53, 199, 40, 1, 0, bytes(8))", expect=NO),
        call("vsock_device", "Ask the device for the own address.", "opened('/dev/vsock')", root=NO),
        call(
            "af_alg",
            "Use the kernel's ciphers, a long history of holes.",
            "socket.socket(38, socket.SOCK_SEQPACKET)",
            expect=NO + "|EAFNOSUPPORT",
        ),
        call("af_packet", "Read every packet.", "socket.socket(17, socket.SOCK_RAW)", root=NO),
        call(
            "af_packet_dgram", "Read every packet, without its head.", "socket.socket(17, socket.SOCK_DGRAM)", root=NO
        ),
        call(
            "rare_families",
            "Load rare protocols: IPX, AX.25, X.25, DECnet, ATM, RDS, TIPC, Bluetooth, CAN, NFC, KCM, XDP, SMC ...",
            """
            made = []
            for family in set(range(3, 46)) - {10, 16}:
                for kind in (1, 2, 3, 4, 5):
                    try:
                        socket.socket(family, kind).close(); made.append(family)
                    except OSError:
                        pass
            sorted(set(made))
            """,
            expect=r"\[\]",
        ),
        call(
            "netlink_protocols",
            "Speak to the kernel's rarer netlink protocols (audit, firewall, transforms, crypto, devices).",
            """
            made = []
            for protocol in range(1, 23):
                try:
                    socket.socket(16, 3, protocol).close(); made.append(protocol)
                except OSError:
                    pass
            made
            """,
            expect=r"\[\]",
        ),
        program(
            "int80",
            "Make a call by the 32-bit gate, whose numbers the filter does not know.",
            'int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); printf("%d\\n", r > 0 ? 7777 : -r);',
            expect="SIGSYS|SIGSEGV|ENOSYS",
        ),
        program(
            "int80_socket",
            "Make a vsock by the 32-bit gate.",
            'static int a[3]={40,1,0}; int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(359),"b"(40),"c"(1),"d"(0)); printf("%d\\n", r >= 0 ? 7777 : -r);',
            expect="SIGSYS|SIGSEGV|ENOSYS",
        ),
        program(
            "x32",
            "Make a call of the x32 numbers.",
            'long r = syscall(0x40000000 + 39); printf("%d\\n", r > 0 ? 7777 : errno);',
            expect=REFUSED_OR_KILLED,
        ),
        program(
            "x32_vsock",
            "Make a vsock by the x32 numbers.",
            'long r = syscall(0x40000000 + 41, 40, 1, 0); printf("%d\\n", r >= 0 ? 7777 : errno);',
            expect=REFUSED_OR_KILLED,
        ),
        program(
            "x32_ptrace",
            "Trace by the x32 number of ptrace.",
            'long r = syscall(0x40000000 + 521, 0, 0, 0, 0); printf("%d\\n", r >= 0 ? 7777 : errno);',
            expect=REFUSED_OR_KILLED,
        ),
        program(
            "high_bits",
            "Hide a call's number above 32 bits.",
            'long r = syscall(0x100000000L + 425, 1, 0); printf("%d\\n", r >= 0 ? 7777 : errno);',
            expect=REFUSED_OR_KILLED,
        ),
        program(
            "family_high_bits",
            "Hide a socket's family above 32 bits.",
            'long r = syscall(41, 0x100000028L, 1L, 0L); printf("%d\\n", r >= 0 ? 7777 : errno);',
            expect=NO + "|EAFNOSUPPORT",
        ),
        program(
            "negative_number",
            "Make a call with a negative number.",
            'long r = syscall(-1); printf("%d\\n", r >= 0 ? 7777 : errno);',
            expect=REFUSED_OR_KILLED,
        ),
        program(
            "vsyscall",
            "Make a call through the old fixed page.",
            'long t = ((long(*)(long*))0xffffffffff600400)(0); printf("%ld\\n", 7777L);',
            expect="7777|SIGSEGV|SIGSYS",
        ),
        program(
            "seccomp_off",
            "Take the filter off.",
            'printf("%d\\n", prctl(22, 0, 0, 0, 0) ? errno : 7777);',
            expect="EINVAL|EPERM|EACCES",
        ),
        program(
            "seccomp_notify",
            "Put a listener of its own over calls.",
            'struct { unsigned short n; void *p; } f = {1, (char[]){6,0,0,0,0,0,0xff,0x7f}}; printf("%d\\n", syscall(317, 1, 8, &f) < 0 ? errno : 7777);',
            expect="7777|E[A-Z]+",
        ),
        program(
            "strict_mode", "Exchange the filter for the strict mode of old.", "prctl(22, 1);", expect="SIGKILL|nothing"
        ),
        program(
            "null_page",
            "Map the page at zero.",
            'printf("%d\\n", mmap(0, 4096, 3, 0x32, -1, 0) == (void*)-1 ? errno : 7777);',
            expect="EPERM|EACCES|EINVAL",
        ),
        program(
            "kernel_address",
            "Read an address of the kernel.",
            'volatile int *p = (int*)0xffffffff81000000; printf("%d\\n", *p == 1 ? 7778 : 7777);',
            expect="SIGSEGV|SIGBUS",
        ),
        program(
            "memfd_exec",
            "Run a program that has no name: no more than any other.",
            'int f = syscall(319, "x", 0); printf("%d\\n", f < 0 ? errno : getuid() == 1000 ? 1 : 7777);',
            expect="EPERM",
        ),
    ),
)
