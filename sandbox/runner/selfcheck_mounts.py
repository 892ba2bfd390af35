"""Self-check of the container's environment: mounts, namespaces, devices, the kernel's files, and the network."""

import _socket as socket  # `socket` imports enum, which takes a third of the check's time
import ctypes
import errno
import os
import stat
from collections.abc import Iterator

from .selfcheck_common import Finding, HostFacts, read

TEMPORARY = "/tmp"  # noqa: S108
EXPECTED_MOUNTS = {
    "/", TEMPORARY, "/workspace", "/home/agent", "/run/runner", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts",
}  # fmt: skip
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")
SYSTEM_TYPES = {"proc", "sysfs", "tmpfs", "devtmpfs", "devpts", "mqueue", "cgroup", "cgroup2"}
ENGINE_SOCKETS = (
    "/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
    "/run/crio/crio.sock",
)  # fmt: skip
DEVICES = {
    "console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout",
    "tty", "urandom", "zero",
}  # fmt: skip
WRITES_REACH_THE_HOST = ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe")
FIRST_NAMESPACES = {
    "ipc": 0xEFFFFFFF, "uts": 0xEFFFFFFE, "user": 0xEFFFFFFD, "pid": 0xEFFFFFFC, "net": 0xEFFFFFF9, "mnt": 0xEFFFFFF8,
}  # fmt: skip
"""Inode numbers of a Linux machine's initial namespaces. net and mnt have fixed numbers only since Linux 6.17; on older
kernels the checks of interfaces and of the root file system cover them."""
INIT_PROGRAM = "tini"
READ_LOG, UNREACHABLE = 3, (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EHOSTUNREACH, errno.EPERM, errno.EACCES)
OUTSIDE_ADDRESSES = (
    ("an internet address", socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    ("the cloud metadata address", socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80)),
    ("a name server", socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.53", 53)),
    ("an IPv6 address", socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80)),
)


def kernel_kind(*, own_kernel: bool) -> str:
    """Return "gVisor" or "a virtual machine" if the sandbox has a kernel of its own, else "".

    gVisor is recognised by its kernel log.
    """
    if not own_kernel:
        return ""
    log = ctypes.create_string_buffer(4096)
    length = ctypes.CDLL(None).klogctl(READ_LOG, log, len(log))
    return "gVisor" if b"gVisor" in log.raw[: max(0, length)] else "a virtual machine"


def mounts_and_devices(host: HostFacts) -> Iterator[Finding]:
    mounts = parse_mounts(read("/proc/self/mountinfo"))
    yield root_mount(mounts)
    yield temporary_mount(mounts, host)
    yield other_mounts(mounts, host)
    yield engine_sockets()
    yield from system_files()
    yield namespaces(host)
    yield processes()
    yield devices(host)
    yield interfaces()
    yield unreachable()


Mount = tuple[str, set[str], str]


def parse_mounts(text: str) -> list[Mount]:
    """Return mount point, options and file system type of each mount.

    Of several mounts on one mount point the last is the visible one.
    """
    mounts = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        fields, (kind, _, superblock) = left.split(), [*right.split(), "", "", ""][:3]
        mount_point = fields[4].encode().decode("unicode_escape")
        mounts.append((mount_point, {*fields[5].split(","), *superblock.split(",")}, kind))
    return mounts


def root_mount(mounts: list[Mount]) -> Finding:
    options = next((options for mount_point, options, _ in reversed(mounts) if mount_point == "/"), set())
    fixed = "ro" in options or _error_of_creating("/.self-check") == errno.EROFS
    return "root file system", fixed, "read-only" if fixed else "can be written"


def temporary_mount(mounts: list[Mount], host: HostFacts) -> Finding:
    none: Mount = (TEMPORARY, set(), "not a mount of its own")
    _, options, kind = next((mount for mount in reversed(mounts) if mount[0] == TEMPORARY), none)
    missing = [] if host.own_kernel else sorted({"nosuid", "nodev"} - options)
    found = f"{kind}, without {', '.join(missing)}" if missing else f"{kind}, in memory and limited"
    return TEMPORARY, kind == "tmpfs" and not missing, found


def other_mounts(mounts: list[Mount], host: HostFacts) -> Finding:
    strange = {mount_point for mount_point, _, kind in mounts if not is_expected_mount(mount_point, kind, host)}
    found = f"unexpected: {', '.join(sorted(strange))}" if strange else "only those of the workspace and the system"
    return "mounts", not strange, found


def is_expected_mount(mount_point: str, kind: str, host: HostFacts) -> bool:
    of_the_system = any(mount_point == top or mount_point.startswith(f"{top}/") for top in SYSTEM_FOLDERS)
    return mount_point in EXPECTED_MOUNTS or (of_the_system and (host.own_kernel or kind in SYSTEM_TYPES))


def engine_sockets() -> Finding:
    there = [path for path in ENGINE_SOCKETS if os.path.lexists(path)]
    return "engine's socket", not there, f"present: {', '.join(there)}" if there else "not present"


def system_files() -> Iterator[Finding]:
    open_ones = [path for path in WRITES_REACH_THE_HOST if _opens(path, os.O_WRONLY)]
    yield (
        "kernel's files",
        not open_ones,
        f"can be written: {', '.join(open_ones)}" if open_ones else "cannot be written",
    )
    memory = _first_byte("/proc/kcore")
    yield "kernel's memory", not memory, "can be read through /proc/kcore" if memory else "cannot be read"
    groups = _names("/sys/fs/cgroup")
    writable = [name for name in groups if os.access(f"/sys/fs/cgroup/{name}", os.W_OK)]
    found = f"can be written: {', '.join(writable)}" if writable else "cannot be changed"
    yield "control groups", not writable, found


def namespaces(host: HostFacts) -> Finding:
    if host.own_kernel:
        return "namespaces", True, "those of the sandbox's own kernel"
    inodes = {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in FIRST_NAMESPACES}
    shared = [name for name, first in FIRST_NAMESPACES.items() if inodes[name] == first]
    if not host.remapped and "user" in shared:
        shared.remove("user")
    own = ", ".join(sorted(set(FIRST_NAMESPACES) - set(shared) - (set() if host.remapped else {"user"})))
    return "namespaces", not shared, f"shared with the host: {', '.join(shared)}" if shared else f"its own: {own}"


def processes() -> Finding:
    first = read("/proc/1/comm").strip()
    return "processes", first == INIT_PROGRAM, f"the first process is {first}"


def devices(host: HostFacts) -> Finding:
    names = set(_names("/dev"))
    blocks = [name for name in names if stat.S_ISBLK(os.lstat(f"/dev/{name}").st_mode)]
    strange = blocks if host.own_kernel else [*(names - DEVICES), *blocks]
    found = f"unexpected: {', '.join(sorted(set(strange)))}" if strange else f"{len(names)} expected ones in /dev"
    return "devices", not strange, found


def interfaces() -> Finding:
    names = sorted(name for _, name in socket.if_nameindex())
    return "interfaces", set(names) <= {"lo"}, f"only {', '.join(names) or 'none'}" if len(names) < 2 else str(names)


def unreachable() -> Finding:
    """Check that connections to outside addresses are refused.

    Without a route the kernel refuses at once; a connection that is still being established shows that there is a
    route.
    """
    ways = [what for what, family, kind, address in OUTSIDE_ADDRESSES if not _is_refused(family, kind, address)]
    return "network", not ways, f"can connect to {', '.join(ways)}" if ways else "no connection out of this machine"


def _is_refused(family: int, kind: int, address: tuple[str, int]) -> bool:
    """Return whether the kernel refuses at once to connect to the address."""
    try:
        connection = socket.socket(family, kind)
    except OSError:
        return True
    connection.setblocking(False)
    try:
        return connection.connect_ex(address) in UNREACHABLE
    finally:
        connection.close()


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _opens(path: str, flags: int) -> bool:
    try:
        os.close(os.open(path, flags | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _first_byte(path: str) -> str:
    try:
        return read(path, 1)
    except OSError:
        return ""


def _error_of_creating(path: str) -> int:
    """Try to create a file, and return the errno, 0 if it succeeded."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        return error.errno or 0
    os.unlink(path)
    return 0
