"""Exhaustion of resources. After each attempt, the sandbox and its neighbour still answer."""

from tests.integration.sandbox.hostile.case import Category, Probe, Shared, Trap


def hog(id: str, tries: str, setup: str, *, timeout: float = 4) -> Trap:
    return Trap(id, tries, setup, "echo alive", "alive", timeout=timeout)


def python(id: str, tries: str, code: str, *, timeout: float = 4) -> Trap:
    return hog(
        id, tries, f"cat > /tmp/hog.py <<'X'\n{code.strip()}\nX\npython3 /tmp/hog.py 2>&1 | tail -3", timeout=timeout
    )


CATEGORY = Category(
    "resources",
    "Resources",
    "cgroup limits on memory, processes and CPU; per-process limits; commands are killed first and all at once; the "
    "runner's threads exist before they are needed; shared kernel tables are limited for each container",
    probes=(
        Probe(
            "message_queues",
            "Use up the message queues of all workspaces.",
            """
            rt = ctypes.CDLL("librt.so.1", use_errno=True)
            resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1] <= 65536
            """,
            "True",
            as_root="True",
        ),
        Probe(
            "pending_signals",
            "Use up the queued signals and timers of all workspaces.",
            "resource.getrlimit(resource.RLIMIT_SIGPENDING)[1] <= 4096",
            "True",
            as_root="True",
        ),
        Probe(
            "locked_memory",
            "Use up the locked memory of all workspaces.",
            "resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] <= 1 << 20",
            "True",
            as_root="True",
        ),
        Probe(
            "core_files",
            "Have the host write core files.",
            "resource.getrlimit(resource.RLIMIT_CORE)",
            r"\(0, 0\)",
            as_root=r"\(0, 0\)",
        ),
        Probe(
            "nice_limit", "Be allowed a better priority.", "resource.getrlimit(13)", r"\(0, 0\)", as_root=r"\(0, 0\)"
        ),
        Probe("realtime_limit", "Be allowed real time.", "resource.getrlimit(14)", r"\(0, 0\)", as_root=r"\(0, 0\)"),
        Probe(
            "shm_size",
            "Have more shared memory than the container has memory.",
            "os.statvfs('/dev/shm').f_blocks * 4096 <= 64 << 20",
            "True",
        ),
        Probe(
            "tmp_size",
            "Have more in /tmp than its limit.",
            "os.statvfs('/tmp').f_blocks * os.statvfs('/tmp').f_frsize <= 64 << 20",
            "True",
        ),
        Probe("dev_full", "Fill /dev.", "open('/dev/x', 'w')", "EACCES|EROFS"),
        Probe(
            "sched_deadline",
            "Reserve the processor.",
            "sys_call(314, 274, 0, (48).to_bytes(4, 'little') + (6).to_bytes(4, 'little') + bytes(16) + b''.join((n * 10**6).to_bytes(8, 'little') for n in (900, 1000, 1000)), 0)",
            "EPERM|EINVAL|ENOSYS|EBUSY",
        ),
    ),
    traps=(
        hog("fork_bomb", "A fork bomb.", ":(){ :|:& };:; sleep 0.5", timeout=1),
        hog(
            "fork_bomb_setsid",
            "A fork bomb of sessions.",
            'f() { setsid bash -c "$(declare -f f); f" & setsid bash -c "$(declare -f f); f" & }; f; sleep 1',
            timeout=2,
        ),
        python(
            "threads",
            "As many threads as it gets.",
            "import threading, time\nfor n in range(100000): threading.Thread(target=time.sleep, args=(0.5,), daemon=True).start()",
            timeout=2,
        ),
        python("memory", "One process that takes all memory.", "x = bytearray()\nwhile True: x += bytes(16 << 20)"),
        hog(
            "memory_many",
            "Many small processes that take all memory.",
            "for i in $(seq 24); do python3 -c 'x = bytearray(20 << 20); import time; time.sleep(0.5)' & done; wait",
            timeout=6,
        ),
        python(
            "memory_mapped",
            "Memory that is locked and shared.",
            "import mmap\nm = [mmap.mmap(-1, 64 << 20) for _ in range(20)]\nfor x in m:\n  for i in range(0, 64 << 20, 4096): x[i] = 1",
        ),
        python(
            "memfd",
            "Memory in files without names.",
            "import os\nfds = [os.memfd_create('x') for _ in range(20)]\nfor fd in fds: os.write(fd, bytes(32 << 20))",
        ),
        hog("tmp_fill", "Fill /tmp.", "head -c 200M /dev/zero > /tmp/fill; rm -f /tmp/fill; true"),
        hog("shm_fill", "Fill /dev/shm.", "head -c 200M /dev/zero > /dev/shm/fill; rm -f /dev/shm/fill; true"),
        python(
            "tmp_inodes",
            "Use up the inodes of /tmp.",
            "import os\nos.mkdir('/tmp/i')\ntry:\n  for n in range(30000): open(f'/tmp/i/{n}', 'w').close()\nexcept OSError as e: print(e)\nos.system('rm -rf /tmp/i')",
            timeout=8,
        ),
        python(
            "descriptors",
            "Open as many files as it may, in many processes.",
            "import os\nfor _ in range(8):\n  if os.fork() == 0: break\nfds = []\ntry:\n  while True: fds.append(os.open('/dev/null', 0))\nexcept OSError as e: print(len(fds), e)",
        ),
        python(
            "pipes",
            "Use up what pipes may hold.",
            "import os, fcntl\nfds = []\ntry:\n  while True:\n    r, w = os.pipe(); fds += [r, w]; os.set_blocking(w, False); os.write(w, bytes(4096))\nexcept OSError as e: print(len(fds), e)",
        ),
        python(
            "passed_descriptors",
            "Send descriptors around in circles.",
            "import socket, os\na, b = socket.socketpair()\na.setblocking(False)\ntry:\n  for _ in range(300): socket.send_fds(a, [b'x'], [a.fileno(), b.fileno()] * 50)\nexcept OSError as e: print(e)",
        ),
        python(
            "epoll",
            "Watch descriptors in circles.",
            "import select, os\nes = [select.epoll() for _ in range(500)]\ntry:\n  for e in es:\n    for f in es: e.register(f.fileno()) if e is not f else None\nexcept OSError as x: print(x)",
        ),
        python(
            "inotify_watches",
            "Watch as much as it may.",
            "import ctypes, os\nl = ctypes.CDLL(None)\nfd = l.inotify_init1(0)\nn = 0\nfor d, _, fs in os.walk('/usr/lib'):\n  for f in fs:\n    if n < 3000 and l.inotify_add_watch(fd, f'{d}/{f}'.encode(), 0xfff) >= 0: n += 1\nprint(n)",
        ),
        python(
            "file_locks",
            "Take ten thousand locks.",
            "import fcntl\nf = open('/tmp/locks', 'w')\nfor n in range(10000): fcntl.lockf(f, fcntl.LOCK_EX, 1, n * 2)",
        ),
        python(
            "system_v",
            "Make semaphores, queues and shared memory until it is refused.",
            "import ctypes\nl = ctypes.CDLL(None)\nn = 0\nwhile n < 8000 and l.semget(0, 32, 0o600) >= 0: n += 1\nwhile n < 16000 and l.msgget(0, 0o600) >= 0: n += 1\nwhile n < 20000 and l.shmget(0, 1 << 30, 0o600) >= 0: n += 1\nprint(n)",
        ),
        python(
            "terminals",
            "Open as many terminals as there are.",
            "import os\nfds = []\ntry:\n  for _ in range(600): fds.append(os.open('/dev/ptmx', os.O_RDWR))\nexcept OSError as e: print(len(fds), e)",
        ),
        python(
            "timers",
            "Make as many timers as it may.",
            "import ctypes\nl = ctypes.CDLL(None)\nt = ctypes.c_long()\nn = 0\nwhile n < 8000 and l.timer_create(1, None, ctypes.byref(t)) == 0: n += 1\nprint(n)",
        ),
        hog("cpu", "Use every processor.", "for i in $(seq 8); do while :; do :; done & done; sleep 0.4", timeout=1),
        hog(
            "output_flood",
            "Write output as fast as it can.",
            "yes $(printf 'x%.0s' $(seq 1000)) | head -c 200M",
            timeout=8,
        ),
        hog("output_lines", "Write a million short lines.", "seq 1000000", timeout=8),
        hog(
            "output_nothing",
            "Write single bytes for ever.",
            "python3 -c \"import os\nfor n in range(50000): os.write(1, b'.')\"",
            timeout=6,
        ),
        hog(
            "sync_storm",
            "Have the host write its disks.",
            "for i in $(seq 10); do dd if=/dev/zero of=f$i bs=64k count=4 conv=fsync 2>/dev/null; sync; done; rm -f f*",
            timeout=8,
        ),
        hog(
            "huge_arguments",
            "Give a program the longest arguments.",
            "python3 -c \"import subprocess; print(subprocess.run(['true', *['x' * 131071] * 15]).returncode)\"; true",
        ),
        hog(
            "huge_environment",
            "Give a program a giant environment.",
            "python3 -c \"import os; os.execve('/bin/true', ['true'], {f'V{n}': 'x' * 1000 for n in range(1500)})\"",
        ),
        hog(
            "deep_recursion",
            "Recurse without an end.",
            '(f() { f; }; ulimit -s 1024; f) 2>/dev/null; python3 -c "import sys; sys.setrecursionlimit(10**9); f = lambda: f(); f()"; true',
        ),
        hog(
            "regex",
            "Match a pattern that takes for ever.",
            "timeout 0.4 python3 -c \"import re; re.match('(a+)+$', 'a' * 40 + 'b')\"; true",
        ),
        hog(
            "dentries",
            "Have the kernel remember names that do not exist.",
            "python3 -c \"import os\nfor n in range(50000): os.path.exists(f'/tmp/none{n}')\"",
            timeout=6,
        ),
        hog(
            "sockets",
            "Open as many sockets as it may and listen on them.",
            "python3 -c \"import socket\ns = []\ntry:\n  while len(s) < 5000: s.append(socket.create_server(('127.0.0.1', 0)))\nexcept OSError as e: print(e)\"",
            timeout=6,
        ),
        hog(
            "loopback",
            "Flood its own loopback.",
            "python3 -c \"import socket, time\ns = socket.socket(2, 2)\nend = time.time() + 0.3\nwhile time.time() < end: s.sendto(bytes(60000), ('127.0.0.1', 9))\" 2>/dev/null; true",
        ),
        hog(
            "stuck",
            "Leave processes that cannot be killed at once.",
            "for i in $(seq 20); do (mkfifo /tmp/q$i; cat /tmp/q$i) & done 2>/dev/null; sleep 0.2; rm -f /tmp/q*",
            timeout=3,
        ),
    ),
    shared=(
        Shared(
            "shared_inotify",
            "Take every inotify instance there is.",
            "libc = ctypes.CDLL(None)\nwhile libc.inotify_init1(0) >= 0: pass",
            "libc = ctypes.CDLL(None)\nprint(min(libc.inotify_init1(0) for _ in range(20)) >= 0)",
            "True",
        ),
        Shared(
            "shared_queues",
            "Take all bytes of message queues.",
            "rt = ctypes.CDLL('librt.so.1')\nn = 0\nwhile n < 100 and rt.mq_open(b'/q%d' % n, 0o102, 0o600, None) >= 0: n += 1",
            "import resource\nprint(resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1] == 0 or ctypes.CDLL('librt.so.1').mq_open(b'/n', 0o102, 0o600, None) >= 0)",
            "True",
        ),
        Shared(
            "shared_timers",
            "Take every timer and queued signal.",
            "libc, t = ctypes.CDLL(None), ctypes.c_long()\nwhile libc.timer_create(1, None, ctypes.byref(t)) == 0: pass",
            "libc, t = ctypes.CDLL(None), ctypes.c_long()\nprint([libc.timer_create(1, None, ctypes.byref(t)) for _ in range(100)] == [0] * 100)",
            "True",
        ),
        Shared(
            "shared_processes",
            "Take every process that is left.",
            "try:\n    while True:\n        if os.fork() == 0: time.sleep(60)\nexcept OSError: pass",
            "print(all(os.waitpid(os.fork() or os._exit(0), 0)[1] == 0 for _ in range(20)))",
            "True",
        ),
        Shared(
            "shared_files",
            "Open all the files there may be.",
            "fds = []\ntry:\n    while True: fds.append(os.open('/dev/null', 0))\nexcept OSError: os.close(fds.pop())",
            "print(len([os.open('/dev/null', 0) for _ in range(500)]))",
            "500",
        ),
        Shared(
            "shared_ports",
            "Take every port of the loopback.",
            "s = []\ntry:\n    while len(s) < 3000: s.append(socket.create_server(('127.0.0.1', 0)))\nexcept OSError: pass",
            "print(socket.create_server(('127.0.0.1', 0)).fileno() > 0)",
            "True",
        ),
    ),
)
