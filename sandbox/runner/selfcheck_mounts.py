"""The self-check's part about places: mounts, namespaces, devices, the kernel's files, and who can be reached."""

import _socket as socket  # the module itself imports enum, which takes as long as a third of the check
import ctypes
import errno
import os
import stat
from collections.abc import Iterator

from .selfcheck_common import Finding, Ground, read

TEMPORARY = "/tmp"  # noqa: S108
OURS = {
    "/", TEMPORARY, "/workspace", "/home/agent", "/run/runner", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts",
}  # fmt: skip
SYSTEM = ("/proc", "/sys", "/dev")
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
"""The numbers that Linux gives those of a machine itself. Those of net and mnt have them only since 6.17; before, the
interfaces and the root file system tell."""
INIT = "tini"
READ_LOG, UNREACHABLE = 3, (errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EHOSTUNREACH, errno.EPERM, errno.EACCES)
ELSEWHERE = (
    ("an address of the internet", socket.AF_INET, socket.SOCK_STREAM, ("192.0.2.1", 80)),
    ("the metadata address", socket.AF_INET, socket.SOCK_STREAM, ("169.254.169.254", 80)),
    ("a name server", socket.AF_INET, socket.SOCK_DGRAM, ("192.0.2.53", 53)),
    ("an address of IPv6", socket.AF_INET6, socket.SOCK_STREAM, ("2001:db8::1", 80)),
)


def kernel_kind(*, own_kernel: bool) -> str:
    """What a kernel says of itself where it is the sandbox's own; gVisor does so in its log."""
    if not own_kernel:
        return ""
    log = ctypes.create_string_buffer(4096)
    length = ctypes.CDLL(None).klogctl(READ_LOG, log, len(log))
    return "gVisor" if b"gVisor" in log.raw[: max(0, length)] else "a virtual machine"


def places(ground: Ground) -> Iterator[Finding]:
    mounts = parse_mounts(read("/proc/self/mountinfo"))
    yield root_mount(mounts)
    yield temporary_mount(mounts, ground)
    yield other_mounts(mounts, ground)
    yield engine_sockets()
    yield from system_files()
    yield namespaces(ground)
    yield processes()
    yield devices(ground)
    yield interfaces()
    yield unreachable()


Mount = tuple[str, set[str], str]


def parse_mounts(text: str) -> list[Mount]:
    """Where each is, its options, the type of its file system; the last one on a place is the one that is seen."""
    mounts = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        fields, (kind, _, superblock) = left.split(), [*right.split(), "", "", ""][:3]
        place = fields[4].encode().decode("unicode_escape")
        mounts.append((place, {*fields[5].split(","), *superblock.split(",")}, kind))
    return mounts


def root_mount(mounts: list[Mount]) -> Finding:
    options = next((options for place, options, _ in reversed(mounts) if place == "/"), set())
    fixed = "ro" in options or _error_of_creating("/.self-check") == errno.EROFS
    return "root file system", fixed, "read-only" if fixed else "can be written"


def temporary_mount(mounts: list[Mount], ground: Ground) -> Finding:
    none: Mount = (TEMPORARY, set(), "none of its own")
    _, options, kind = next((mount for mount in reversed(mounts) if mount[0] == TEMPORARY), none)
    missing = [] if ground.own_kernel else sorted({"nosuid", "nodev"} - options)
    found = f"{kind}, without {', '.join(missing)}" if missing else f"{kind}, in memory and limited"
    return TEMPORARY, kind == "tmpfs" and not missing, found


def other_mounts(mounts: list[Mount], ground: Ground) -> Finding:
    strange = {place for place, _, kind in mounts if not is_expected_mount(place, kind, ground)}
    found = f"unexpected: {', '.join(sorted(strange))}" if strange else "the workspace's own and the system's"
    return "mounts", not strange, found


def is_expected_mount(place: str, kind: str, ground: Ground) -> bool:
    of_the_system = any(place == top or place.startswith(f"{top}/") for top in SYSTEM)
    return place in OURS or (of_the_system and (ground.own_kernel or kind in SYSTEM_TYPES))


def engine_sockets() -> Finding:
    there = [path for path in ENGINE_SOCKETS if os.path.lexists(path)]
    return "engine's socket", not there, f"there: {', '.join(there)}" if there else "not there"


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


def namespaces(ground: Ground) -> Finding:
    if ground.own_kernel:
        return "namespaces", True, "those of the sandbox's own kernel"
    inodes = {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in FIRST_NAMESPACES}
    shared = [name for name, first in FIRST_NAMESPACES.items() if inodes[name] == first]
    if not ground.remapped and "user" in shared:
        shared.remove("user")
    own = ", ".join(sorted(set(FIRST_NAMESPACES) - set(shared) - (set() if ground.remapped else {"user"})))
    return "namespaces", not shared, f"the host's: {', '.join(shared)}" if shared else f"its own: {own}"


def processes() -> Finding:
    first = read("/proc/1/comm").strip()
    return "processes", first == INIT, f"the first process is {first}"


def devices(ground: Ground) -> Finding:
    names = set(_names("/dev"))
    blocks = [name for name in names if stat.S_ISBLK(os.lstat(f"/dev/{name}").st_mode)]
    strange = blocks if ground.own_kernel else [*(names - DEVICES), *blocks]
    found = f"unexpected: {', '.join(sorted(set(strange)))}" if strange else f"{len(names)} harmless ones in /dev"
    return "devices", not strange, found


def interfaces() -> Finding:
    names = sorted(name for _, name in socket.if_nameindex())
    return "interfaces", set(names) <= {"lo"}, f"only {', '.join(names) or 'none'}" if len(names) < 2 else str(names)


def unreachable() -> Finding:
    """Without a route the kernel says no at once; a connection that only begins is a way out."""
    ways = [what for what, family, kind, address in ELSEWHERE if not _is_refused(family, kind, address)]
    return "network", not ways, f"there is a way to {', '.join(ways)}" if ways else "no way out of this machine"


def _is_refused(family: int, kind: int, address: tuple[str, int]) -> bool:
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
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        return error.errno or 0
    os.unlink(path)
    return 0
