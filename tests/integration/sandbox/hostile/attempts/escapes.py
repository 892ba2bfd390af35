"""Well-known escapes from a container."""

from tests.integration.sandbox.hostile.case import ABSENT, NO, REFUSED, Category, Probe


def write_to(id: str, path: str, tries: str, *, expect: str = NO) -> Probe:
    """Return a probe that opens a file for writing but writes nothing, because a write would affect the host."""
    return Probe(id, tries, f"opened({path!r}, os.O_WRONLY)", expect, as_root=NO)


CATEGORY = Category(
    "escapes",
    "Escape classics",
    "remapped root, no capabilities, read-only and masked /proc and /sys, no devices, read-only image, one clean mount "
    "namespace",
    probes=(
        write_to("core_pattern", "/proc/sys/kernel/core_pattern", "Set the program that the host runs after a crash."),
        write_to("modprobe", "/proc/sys/kernel/modprobe", "Set the program that the host runs to load a module."),
        write_to("hotplug", "/proc/sys/kernel/hotplug", "Set the program that the host runs for a new device."),
        write_to("poweroff_cmd", "/proc/sys/kernel/poweroff_cmd", "Name a program that the host runs at power off."),
        write_to("uevent_helper", "/sys/kernel/uevent_helper", "Name a program that the host runs for device events."),
        write_to("sysrq_trigger", "/proc/sysrq-trigger", "Crash the host by sysrq."),
        write_to("binfmt_register", "/proc/sys/fs/binfmt_misc/register", "Register an interpreter on the host."),
        write_to("panic_on_oom", "/proc/sys/vm/panic_on_oom", "Make the host panic when memory ends."),
        write_to("drop_caches", "/proc/sys/vm/drop_caches", "Empty the host's caches."),
        write_to("ns_last_pid", "/proc/sys/kernel/ns_last_pid", "Choose the next process id."),
        write_to("host_name", "/proc/sys/kernel/hostname", "Rename the machine."),
        Probe(
            "release_agent",
            "Find a cgroup whose release_agent can be set, to run a program on the host when it empties.",
            """
            import glob
            names = [p for d, _, f in os.walk("/sys/fs/cgroup") for p in [d + "/release_agent"] if "release_agent" in f]
            [p for p in names if os.access(p, os.W_OK)]
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "notify_on_release",
            "Set notify_on_release of the own cgroup.",
            "opened('/sys/fs/cgroup/memory/notify_on_release', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "cgroup_child",
            "Make a cgroup of its own, without the limits.",
            "[os.mkdir(f'/sys/fs/cgroup/{name}/mine') for name in os.listdir('/sys/fs/cgroup')]",
            NO,
            as_root=NO,
        ),
        Probe(
            "cgroup_memory_limit",
            "Lift the memory limit of the own cgroup.",
            "opened('/sys/fs/cgroup/memory/memory.limit_in_bytes', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "cgroup_pids_limit",
            "Lift the limit on processes of the own cgroup.",
            "opened('/sys/fs/cgroup/pids/pids.max', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "cgroup_move",
            "Move itself to the root cgroup.",
            "opened('/sys/fs/cgroup/memory/cgroup.procs', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "cgroup_devices_allow",
            "Allow itself every device.",
            "opened('/sys/fs/cgroup/devices/devices.allow', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "freezer",
            "Freeze its container, the runner with it.",
            "opened('/sys/fs/cgroup/freezer/freezer.state', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe(
            "mknod_disk",
            "Make a device node of the host's disk and open it.",
            "os.mknod('/tmp/disk', 0o60600, os.makedev(254, 0)); opened('/tmp/disk')",
            REFUSED,
            as_root=REFUSED,
        ),
        Probe(
            "mknod_memory",
            "Make a device node of the host's memory in the workspace.",
            "os.mknod('/workspace/mem', 0o20600, os.makedev(1, 1)); opened('/workspace/mem')",
            REFUSED,
            as_root=REFUSED,
        ),
        Probe(
            "disks_in_dev",
            "Open a disk that lies in /dev.",
            "[n for n in os.listdir('/dev') if n.startswith(('sd', 'vd', 'nvme', 'loop', 'dm-', 'mapper', 'mem'))]",
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe("kmsg", "Read or write the host's kernel log.", "opened('/dev/kmsg', os.O_RDWR)", NO, as_root=NO),
        Probe("syslog", "Read the host's kernel log by system call.", "sys_call(103, 116, 3, None, 0)", NO, as_root=NO),
        Probe(
            "kcore",
            "Read the host's memory through /proc/kcore.",
            "first('/proc/kcore')",
            f"{NO}|b''",
            as_root=f"{NO}|b''",
        ),
        Probe("dev_mem", "Read the host's memory through /dev/mem.", "first('/dev/mem')", NO, as_root=NO),
        Probe(
            "docker_socket",
            "Find the engine's socket.",
            """
            [p for p in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/crio.sock",
             "/run/podman/podman.sock", F["engine"]) if os.path.exists(p)]
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "runc_overwrite",
            "Overwrite the runtime through /proc/self/exe of what enters the container (CVE-2019-5736).",
            """
            def writable(path):
                try:
                    return bool(opened(path, os.O_WRONLY))
                except OSError:
                    return False
            [p for p in (f"/proc/{pid}/exe" for pid in processes()) if writable(p)]
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "leaked_fd",
            "Find a descriptor that leads out of the container (CVE-2024-21626).",
            """
            ways_out()
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "leaked_cwd",
            "Use a working directory that the runtime left outside the root.",
            """
            os.getcwd() in ("/", "/workspace") and not os.getcwd().startswith("(unreachable)")
            """,
            "True",
            as_root="True",
        ),
        Probe(
            "fd_walk",
            "Climb from every descriptor of every process to the host's root.",
            """
            seen = set()
            for pid in processes():
                for n in range(40):
                    try:
                        seen |= set(os.listdir(f"/proc/{pid}/fd/{n}/../../../../../.."))
                    except OSError:
                        pass
            sorted(seen & {F["canary_name"], "lost+found", "vmlinuz"})
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe(
            "proc_root",
            "Look at the host through /proc/1/root.",
            "os.listdir('/proc/1/root')",
            NO,
            as_root=NO + r"|\[.*",
        ),
        Probe(
            "proc_root_canary",
            "Reach the host's files through any /proc/PID/root or cwd.",
            """
            def there(path):
                try:
                    return bool(os.stat(path))
                except OSError:
                    return False
            [pid for pid in processes() for way in ("root", "cwd") if there(f"/proc/{pid}/{way}{F['canary']}")]
            """,
            r"\[\]",
            as_root=r"\[\]",
        ),
        Probe("host_file", "Open a file of the host by its path.", "first(F['canary'])", ABSENT, as_root=ABSENT),
        Probe(
            "host_file_up",
            "Climb out of the workspace with dots.",
            "first('/workspace' + '/..' * 40 + F['canary'])",
            ABSENT,
            as_root=ABSENT,
        ),
        Probe(
            "chroot_break",
            "Break out with chroot and a saved directory.",
            """
            d = os.open(".", os.O_RDONLY); os.makedirs("/tmp/jail", exist_ok=True); os.chroot("/tmp/jail"); os.fchdir(d); opened("../" * 40 + F["canary"][1:])
            """,
            REFUSED,
            as_root=REFUSED,
        ),
        Probe(
            "open_by_handle",
            "Guess the handle of the host's root (the shocker attack).",
            """
            class Handle(ctypes.Structure):
                _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("data", ctypes.c_char * 8)]
            at = os.open("/workspace", os.O_RDONLY)
            sys_call(304, 265, at, ctypes.byref(Handle(8, 1, bytes([2, 0, 0, 0, 0, 0, 0, 0]))), 0)
            """,
            NO,
            as_root=NO,
        ),
        Probe(
            "debugfs",
            "Mount debugfs and read kernel memory.",
            "sys_call(165, 40, b'd', b'/tmp', b'debugfs', 0, 0)",
            NO,
            as_root=NO,
        ),
        Probe(
            "mount_cgroup",
            "Mount a fresh cgroup hierarchy to own its release_agent.",
            "sys_call(165, 40, b'c', b'/tmp', b'cgroup', 0, b'rdma')",
            NO,
            as_root=NO,
        ),
        Probe(
            "image_write",
            "Change a program that the next command will run.",
            "open('/usr/bin/git', 'r+b')",
            REFUSED,
            as_root="EROFS",
        ),
        Probe(
            "runner_code",
            "Change the runner's own code.",
            "open('/opt/agentsite/runner/server.py', 'r+b')",
            REFUSED,
            as_root="EROFS",
        ),
        Probe(
            "dockerenv",
            "Change what the engine put in: names, hosts, resolver.",
            "open('/etc/resolv.conf', 'r+b')",
            REFUSED,
            as_root="EROFS|EACCES",
        ),
        Probe(
            "entrypoint_swap",
            "Move the runner's directory and put another in its place.",
            "os.rename('/opt/agentsite', '/opt/x')",
            REFUSED,
            as_root="EROFS",
        ),
    ),
)
