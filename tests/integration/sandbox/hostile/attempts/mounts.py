"""Attempts to mount, unmount and move file systems."""

from tests.integration.sandbox.hostile.case import NO, Category, Probe

BIND, REMOUNT, PRIVATE = 4096, 32, 1 << 18


def mount(id: str, tries: str, source: str, target: str, kind: str, flags: int = 0, data: str = "") -> Probe:
    words = [f"{text!r}.encode()" for text in (source, target, kind)]
    return Probe(id, tries, f"sys_call(165, 40, {', '.join(words)}, {flags}, {data!r}.encode())", NO, as_root=NO)


def call(id: str, tries: str, code: str, *, expect: str = NO) -> Probe:
    return Probe(id, tries, code, expect, as_root=expect)


CATEGORY = Category(
    "mounts",
    "Mounts",
    "no CAP_SYS_ADMIN in any namespace, seccomp; unmasking or replacing a file needs a mount",
    probes=(
        mount("mount_proc", "Mount a fresh /proc without masks.", "proc", "/tmp", "proc"),
        mount("mount_sysfs", "Mount a fresh /sys that can be written.", "sysfs", "/tmp", "sysfs"),
        mount("mount_tmpfs", "Mount memory without a limit.", "tmpfs", "/tmp", "tmpfs"),
        mount(
            "mount_overlay",
            "Lay an overlay over the image.",
            "o",
            "/usr",
            "overlay",
            0,
            "lowerdir=/usr,upperdir=/tmp,workdir=/tmp",
        ),
        mount("mount_disk", "Mount the host's disk.", "/dev/vda", "/tmp", "ext4"),
        mount("mount_cgroup2", "Mount the unified cgroup tree.", "c", "/tmp", "cgroup2"),
        mount("mount_bpf", "Mount the bpf file system.", "b", "/tmp", "bpf"),
        mount(
            "mount_fuse",
            "Mount a file system of its own making.",
            "f",
            "/tmp",
            "fuse",
            0,
            "fd=3,rootmode=40000,user_id=1000,group_id=1000",
        ),
        mount("mount_binfmt", "Mount binfmt_misc.", "b", "/tmp", "binfmt_misc"),
        mount("mount_nfs", "Mount over the network.", "127.0.0.1:/", "/tmp", "nfs"),
        mount("mount_devpts", "Mount the terminals of others.", "devpts", "/tmp", "devpts"),
        mount("mount_mqueue", "Mount the message queues.", "mqueue", "/tmp", "mqueue"),
        mount("bind_over_runner", "Bind a directory of its own over /run/runner.", "/tmp", "/run/runner", "", BIND),
        mount(
            "bind_over_runner_code",
            "Bind a directory of its own over the runner's code.",
            "/tmp",
            "/opt/agentsite",
            "",
            BIND,
        ),
        mount("bind_over_etc", "Bind a file of its own over /etc/passwd.", "/tmp", "/etc/passwd", "", BIND),
        mount("remount_root", "Make the root writable.", "", "/", "", REMOUNT | BIND),
        mount("remount_proc_sys", "Make /proc/sys writable.", "", "/proc/sys", "", REMOUNT | BIND),
        mount("remount_suid", "Allow setuid programs on /tmp.", "", "/tmp", "", REMOUNT | BIND),
        mount("propagation", "Make mounts reach the host.", "", "/", "", (1 << 20) | 16384),
        call("umount_mask", "Take the mask off /proc/keys.", "sys_call(166, 39, b'/proc/keys', 0)"),
        call("umount_proc_sys", "Take the read-only mount off /proc/sys.", "sys_call(166, 39, b'/proc/sys', 2)"),
        call("umount_firmware", "Take the mask off /sys/firmware.", "sys_call(166, 39, b'/sys/firmware', 2)"),
        call("umount_runner", "Unmount the runner's state.", "sys_call(166, 39, b'/run/runner', 2)"),
        call("umount_root", "Unmount the root.", "sys_call(166, 39, b'/', 2)"),
        call("pivot_root", "Exchange the root.", "sys_call(155, 41, b'/tmp', b'/tmp')"),
        call("open_tree", "Clone the mounts by open_tree.", "sys_call(428, 428, -100, b'/', 1)"),
        call("move_mount", "Move a mount.", "sys_call(429, 429, -100, b'/tmp', -100, b'/run', 0)"),
        call("fsopen", "Open a file system to be mounted.", "sys_call(430, 430, b'proc', 0)"),
        call("fsconfig", "Configure one.", "sys_call(431, 431, 3, 6, None, None, 0)"),
        call("fsmount", "Mount one.", "sys_call(432, 432, 3, 0, 0)"),
        call("fspick", "Pick one that is mounted.", "sys_call(433, 433, -100, b'/', 0)"),
        call("mount_setattr", "Change a mount's flags.", "sys_call(442, 442, -100, b'/', 0, bytes(32), 32)"),
        call(
            "fusermount",
            "Let a setuid helper mount.",
            "__import__('shutil').which('fusermount') or __import__('shutil').which('fusermount3')",
            expect="None",
        ),
        call("dev_fuse", "Open the device of user file systems.", "opened('/dev/fuse', os.O_RDWR)"),
        call("loop_control", "Ask for a loop device.", "opened('/dev/loop-control', os.O_RDWR)"),
        call("swapon", "Swap to a file of its own.", "sys_call(167, 224, b'/workspace/none', 0)"),
        call("swapoff", "Take swap away from the host.", "sys_call(168, 225, b'/none')"),
        call("quotactl", "Change quotas of the host's disk.", "sys_call(179, 60, 0x80000100, b'/dev/vda', 0, None)"),
    ),
)
