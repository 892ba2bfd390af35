"""Attempts to open files of /proc and /sys that reveal or change the system."""

from tests.integration.sandbox.hostile.case import ABSENT, NO, Category, Probe


def unreadable(id: str, path: str, tries: str, *, root: str = "") -> Probe:
    empty = f"{NO}|EIO|b''"
    return Probe(id, tries, f"first({path!r})", empty, as_root=root or empty)


NOTHING = r"\[\]"
CATEGORY = Category(
    "system_files",
    "Files of the system",
    "a separate process id namespace, masked and read-only paths, remapped ids",
    probes=(
        unreadable("keys", "/proc/keys", "List the kernel's keys."),
        unreadable("timer_list", "/proc/timer_list", "List timers of the host."),
        unreadable("sched_debug", "/proc/sched_debug", "List every process of the host."),
        unreadable("latency", "/proc/latency_stats", "Read who waits for what on the host."),
        unreadable("kpagemap", "/proc/kpagecount", "Count uses of physical pages."),
        unreadable("vmallocinfo", "/proc/vmallocinfo", "Read addresses of the kernel."),
        unreadable("slabinfo", "/proc/slabinfo", "Read the kernel's allocations."),
        unreadable("pagetypeinfo", "/proc/pagetypeinfo", "Read how memory is split up."),
        unreadable("firmware", "/sys/firmware/dmi/tables/DMI", "Read the machine's serial numbers."),
        unreadable("dmi_uuid", "/sys/class/dmi/id/product_uuid", "Read the machine's identity."),
        unreadable("debug", "/sys/kernel/debug/sched/debug", "Read debugfs."),
        unreadable("tracing", "/sys/kernel/tracing/trace", "Read the kernel's trace."),
        unreadable("security", "/sys/kernel/security/lsm", "Read the security modules' settings."),
        unreadable("efivars", "/sys/firmware/efi/efivars", "Read or brick the firmware's variables."),
        unreadable("init_environ", "/proc/1/environ", "Read the environment of the first process.", root=".*"),
        unreadable("init_maps", "/proc/1/maps", "Read where the first process lies in memory.", root=".*"),
        unreadable("init_mem", "/proc/1/mem", "Read the memory of the first process.", root=".*"),
        Probe(
            "kallsyms",
            "Read the addresses of kernel functions.",
            """
            {line.split()[0].strip(b"0") for line in open("/proc/kallsyms", "rb").readlines()[:200]}
            """,
            r"\{b''\}|set\(\)|" + NO,
            as_root=r"\{b''\}|set\(\)|" + NO,
        ),
        Probe(
            "modules_addresses",
            "Read the addresses of modules.",
            """
            {line.split()[-1].strip(b"0x") for line in open("/proc/modules", "rb")} - {b""}
            """,
            r"set\(\)|ENOENT",
            as_root=r"set\(\)|ENOENT",
        ),
        Probe(
            "pagemap",
            "Read physical addresses of its own memory.",
            """
            data = b""
            with open("/proc/self/pagemap", "rb", buffering=0) as file:
                file.seek(id(data) // 4096 * 8); data = file.read(8)
            int.from_bytes(data, "little") & ((1 << 55) - 1)
            """,
            "0|EPERM|ENOENT",
            as_root="0|EPERM|ENOENT",
        ),
        Probe(
            "host_processes",
            "See a process of the host.",
            "[p for p, c in processes().items() if F['canary_process'] in c]",
            NOTHING,
            as_root=NOTHING,
        ),
        Probe("pids", "See processes beyond the container's own.", "len(processes()) < 12", "True", as_root="True"),
        Probe(
            "mounts_of_others",
            "See mounts of another workspace.",
            "F['neighbour'] in open('/proc/self/mountinfo').read()",
            "False",
            as_root="False",
        ),
        Probe(
            "sysfs_write",
            "Write anywhere under /sys.",
            """
            [p for d, _, fs in os.walk("/sys") for p in (os.path.join(d, f) for f in fs) if os.access(p, os.W_OK)][:5]
            """,
            NOTHING,
            as_root=NOTHING,
        ),
        Probe(
            "procsys_write",
            "Write anywhere under /proc/sys.",
            """
            [p for d, _, fs in os.walk("/proc/sys") for p in (os.path.join(d, f) for f in fs) if os.access(p, os.W_OK)][:5]
            """,
            NOTHING,
            as_root=NOTHING,
        ),
        Probe(
            "proc_write",
            "Write to a file right under /proc.",
            """
            names = [f"/proc/{n}" for n in os.listdir("/proc") if not n.isdigit() and os.path.isfile(f"/proc/{n}")]
            [n for n in names if os.access(n, os.W_OK) and not os.path.realpath(n).startswith("/proc/self") and n not in ("/proc/keys", "/proc/timer_list", "/proc/kcore", "/proc/sched_debug", "/proc/latency_stats")]
            """,
            NOTHING,
            as_root=NOTHING,
        ),
        Probe(
            "irq",
            "Move an interrupt of the host.",
            "opened('/proc/irq/default_smp_affinity', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe("mtrr", "Change how the processor caches memory.", "opened('/proc/mtrr', os.O_WRONLY)", NO, as_root=NO),
        Probe(
            "acpi",
            "Reach the machine's power controls.",
            "os.listdir('/proc/acpi') + os.listdir('/proc/scsi')",
            f"{NOTHING}|{ABSENT}",
            as_root=f"{NOTHING}|{ABSENT}",
        ),
        Probe(
            "oom_score",
            "Make itself the last to be killed when memory ends.",
            "written('/proc/self/oom_score_adj', '-1000')",
            NO,
            as_root=NO,
        ),
        Probe(
            "oom_score_back",
            "Lower its own oom_score_adj, so that the runner may be killed first.",
            """
            written('/proc/self/oom_score_adj', '0')
            """,
            NO,
            hole="a raised oom_score_adj can be lowered again without a capability, and preventing that would need one that the "
            "runner does not have: many small processes at 0 can cause the kernel to kill the runner before them. It is "
            "started again at the next call",
        ),
        Probe(
            "oom_score_of_runner",
            "Make the runner the first to be killed.",
            "written(f'/proc/{runner()}/oom_score_adj', '1000')",
            NO,
        ),
        Probe("uid_map", "Map itself to the host's ids.", "written('/proc/self/uid_map', '0 0 1')", NO, as_root=NO),
        Probe("gid_map", "Map its groups to the host's.", "written('/proc/self/gid_map', '0 0 1')", NO, as_root=NO),
        Probe(
            "host_ids",
            "Be the host's root: the container's root is mapped elsewhere.",
            "open('/proc/self/uid_map').read().split()[1] != '0'",
            "True",
            as_root="True",
        ),
        Probe(
            "pressure",
            "Ask the host's kernel to watch its pressure for ever.",
            """
            fd = os.open("/proc/pressure/memory", os.O_RDWR); os.write(fd, b"some 150000 1000000")
            """,
            NO + "|EINVAL",
            as_root=NO + "|EINVAL",
        ),
        Probe(
            "latency_write",
            "Hold the host's processors out of sleep.",
            "opened('/dev/cpu_dma_latency', os.O_WRONLY)",
            NO,
            as_root=NO,
        ),
        Probe("msr", "Read a processor's registers.", "opened('/dev/cpu/0/msr')", NO, as_root=NO),
        Probe(
            "attr",
            "Change its security label.",
            "written('/proc/self/attr/current', 'unconfined')",
            NO + "|EINVAL",
            as_root=NO + "|EINVAL",
        ),
        Probe("map_files", "Open what others have mapped.", "os.listdir(f'/proc/{runner()}/map_files')", NO),
        Probe("comm_of_runner", "Give the runner another name.", "written(f'/proc/{runner()}/comm', 'x')", NO),
        Probe("clear_refs", "Disturb the runner's pages.", "written(f'/proc/{runner()}/clear_refs', '1')", NO),
        Probe(
            "timerslack", "Slow the runner's timers.", "written(f'/proc/{runner()}/timerslack_ns', '1000000000')", NO
        ),
        Probe(
            "loginuid",
            "Become one of the host's people for its audit.",
            "written('/proc/self/loginuid', '200000')",
            NO + "|EINVAL",
            as_root=NO + "|EINVAL",
        ),
    ),
)
