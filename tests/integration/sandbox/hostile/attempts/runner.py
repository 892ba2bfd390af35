"""Attacks on the runner, the main process of the container."""

from tests.integration.sandbox.hostile.case import NO, Category, Probe, Trap


def against(id: str, tries: str, code: str, *, expect: str = "EPERM|EACCES") -> Probe:
    return Probe(id, tries, code, expect)


COUNT = "ps -eo user:20,args --no-headers | grep -c '[m]arked-by-us'"


def left_behind(id: str, tries: str, setup: str) -> Trap:
    """Return a trap whose process `sleep 301`, named marked-by-us, must be gone when the next command runs."""
    return Trap(id, tries, setup, COUNT, "0")


SLEEPER = "exec -a marked-by-us sleep 301"
CATEGORY = Category(
    "runner",
    "The runner",
    "another uid, not dumpable, its files behind 0700, thread ids that no signal of the tool user matches, journal and "
    "snapshots out of reach; one kill of all processes when a command ends",
    probes=(
        against(
            "signals",
            "Send every signal to the runner.",
            """
            out = set()
            for number in range(0, 65):
                try:
                    os.kill(runner(), number); out.add(number)
                except PermissionError:
                    pass
                except OSError as error:
                    assert number > 64 or error.errno == errno.EINVAL
            sorted(out)
            """,
            expect=r"\[\]",
        ),
        against(
            "signals_to_init",
            "Send every signal to the first process.",
            """
            out = set()
            for number in range(1, 65):
                try:
                    os.kill(1, number); out.add(number)
                except OSError:
                    pass
            sorted(out)
            """,
            expect=r"\[\]",
        ),
        against(
            "threads",
            "Kill a thread of the runner by its id.",
            """
            out = set()
            for thread in os.listdir(f"/proc/{runner()}/task"):
                try:
                    sys_call(234, 131, runner(), int(thread), 9); out.add(thread)
                except OSError:
                    pass
            sorted(out)
            """,
            expect=r"\[\]",
        ),
        against(
            "thread_as_process",
            "Kill a thread as if it were a process.",
            """
            out = set()
            for thread in os.listdir(f"/proc/{runner()}/task"):
                try:
                    sys_call(200, 130, int(thread), 9); out.add(thread)
                except OSError:
                    pass
            sorted(out)
            """,
            expect=r"\[\]",
        ),
        against(
            "sigqueue",
            "Queue a signal with a value.",
            "sys_call(129, 138, runner(), 34, bytes([34, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]) + bytes(116))",
        ),
        against(
            "pidfd_signal", "Send a signal through a pidfd.", "sys_call(424, 424, os.pidfd_open(runner()), 9, None, 0)"
        ),
        against("group", "Signal the runner's group.", "os.killpg(os.getpgid(runner()), 9)"),
        against("session", "Join the runner's group.", "os.setpgid(0, os.getpgid(runner()))"),
        against(
            "fasync",
            "Have the kernel signal the runner when a pipe has data.",
            """
            import fcntl
            r, w = os.pipe(); fcntl.fcntl(r, fcntl.F_SETOWN, runner()); fcntl.fcntl(r, 10, 9)
            fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); os.write(w, b"x"); bool(runner())
            """,
            expect="True|EPERM",
        ),
        against(
            "parent_death",
            "Have a dying parent's signal reach the runner.",
            "sys_call(157, 167, 1, 9, 0, 0, 0); bool(runner())",
            expect="True",
        ),
        against("priority", "Make the runner slow.", "os.setpriority(os.PRIO_PROCESS, runner(), 19)"),
        against(
            "scheduler", "Make the runner idle.", "os.sched_setscheduler(runner(), os.SCHED_IDLE, os.sched_param(0))"
        ),
        against("affinity", "Keep the runner on one processor.", "os.sched_setaffinity(runner(), {0})"),
        against(
            "limits",
            "Take the runner's descriptors away.",
            "resource.prlimit(runner(), resource.RLIMIT_NOFILE, (3, 3))",
        ),
        against("limits_read", "Read the runner's limits.", "resource.prlimit(runner(), resource.RLIMIT_NOFILE)"),
        *(
            against(
                f"proc_{name}",
                f"Open /proc/RUNNER/{name}.",
                f"first(f'/proc/{{runner()}}/{name}')"
                if name not in ("fd", "task/1/fd")
                else f"os.listdir(f'/proc/{{runner()}}/{name}')",
                expect=NO,
            )
            for name in (
                "mem",
                "environ",
                "maps",
                "smaps",
                "pagemap",
                "auxv",
                "io",
                "stack",
                "syscall",
                "personality",
                "fd",
                "numa_maps",
            )
        ),
        against(
            "proc_write_mem", "Write the runner's memory through /proc.", "opened(f'/proc/{runner()}/mem', os.O_WRONLY)"
        ),
        *(
            against(f"proc_{name}", f"Go through /proc/RUNNER/{name}.", f"os.readlink(f'/proc/{{runner()}}/{name}')")
            for name in ("root", "cwd", "exe", "ns/mnt")
        ),
        against(
            "proc_root_runner",
            "Enter the runner's directory through its root.",
            "os.listdir(f'/proc/{runner()}/root/run/runner')",
        ),
        against("proc_fds", "Reopen one of the runner's descriptors.", "opened(f'/proc/{runner()}/fd/3')"),
        against(
            "socket",
            "Connect to the runner's socket.",
            "s = socket.socket(socket.AF_UNIX); s.connect('/run/runner/socket')",
        ),
        against("journal", "Read what other commands wrote.", "first('/run/runner/journal')"),
        against(
            "journal_write", "Write the result of a call.", "opened('/run/runner/journal', os.O_WRONLY | os.O_CREAT)"
        ),
        against("snapshots", "Change what a snapshot remembers.", "os.listdir('/run/runner/snapshots')"),
        against(
            "replace_state",
            "Move the runner's directory away.",
            "os.rename('/run/runner', '/run/old')",
            expect="EPERM|EACCES|EROFS|EBUSY",
        ),
        against(
            "squat_run",
            "Put a socket beside the runner's.",
            "s = socket.socket(socket.AF_UNIX); s.bind('/run/socket')",
            expect="EPERM|EACCES|EROFS",
        ),
        against(
            "squat_lock",
            "Put files where system programs look for locks.",
            "open('/run/lock/x', 'w')",
            expect="EROFS|EACCES",
        ),
        against(
            "module_path",
            "Put a module where the runner's Python finds it.",
            """
            places = ["/opt/agentsite", "/usr/lib/python3/dist-packages", "/usr/lib/python3.11", "/usr/local/lib/python3.11/dist-packages"]
            [p for p in places if os.path.isdir(p) and os.access(p, os.W_OK)]
            """,
            expect=r"\[\]",
        ),
        against(
            "isolated",
            "Have the runner read PYTHON* variables or a user's site directory.",
            "'-I' in processes()[runner()].split()",
            expect="True",
        ),
        against(
            "inherited_fds",
            "Inherit a descriptor of the runner.",
            "sorted(set(os.listdir('/proc/self/fd')) - set('0123456789'))",
            expect=r"\[\]",
        ),
        against("stdin", "Read from the runner's input.", "os.read(0, 10)", expect="b''"),
        against(
            "controlling_terminal",
            "Have a terminal to push input into.",
            "opened('/dev/tty', os.O_RDWR)",
            expect="ENXIO|ENOENT|EACCES",
        ),
        against(
            "own_dumpable",
            "Leave the undumpable state to be traced: of no use, tracing is refused.",
            "sys_call(157, 167, 4, 1, 0, 0, 0); sys_call(101, 117, 0, 0, 0, 0)",
        ),
        against(
            "watch_runner",
            "Watch the runner's directory for its files' names.",
            "sys_call(254, 27, LIBC.inotify_init1(0), b'/run/runner', 0xfff)",
        ),
    ),
    traps=(
        left_behind(
            "setsid", "Leave a process in a session of its own.", f"setsid bash -c '{SLEEPER}' >/dev/null 2>&1 &"
        ),
        left_behind("nohup", "Leave one that ignores hang-ups.", f"nohup bash -c '{SLEEPER}' >/dev/null 2>&1 &"),
        left_behind("disown", "Leave one that the shell forgot.", f"bash -c '{SLEEPER}' & disown"),
        left_behind(
            "double_fork",
            "Leave a daemon: two forks, no terminal, no environment.",
            f"""
            python3 - <<'X'
            import os
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.close(1); os.close(2); os.execve("/bin/bash", ["bash", "-c", "{SLEEPER}"], {{}})
                os._exit(0)
            X
            """,
        ),
        left_behind(
            "ignores_signals",
            "Leave one that ignores every signal it can.",
            f"(trap '' 1 2 3 15 20; setsid bash -c 'trap \"\" 15; {SLEEPER}') >/dev/null 2>&1 &",
        ),
        left_behind(
            "stopped",
            "Leave one that is stopped.",
            f"setsid bash -c 'kill -STOP $$; {SLEEPER}' >/dev/null 2>&1 & sleep 0.1",
        ),
        left_behind(
            "mark_spoofed",
            "Leave one with another call's mark.",
            f"SANDBOX_CALL=call_other setsid bash -c '{SLEEPER}' >/dev/null 2>&1 &",
        ),
        left_behind("holds_pipe", "Leave one that holds the output open.", f"setsid bash -c '{SLEEPER}' &"),
        left_behind(
            "many",
            "Leave a hundred at once.",
            f"for i in $(seq 100); do setsid bash -c '{SLEEPER}' >/dev/null 2>&1 & done",
        ),
        left_behind(
            "respawner",
            "Leave two that start each other again.",
            """
            cat > /tmp/again.sh <<'X'
            setsid bash -c 'exec -a marked-by-us bash /tmp/again.sh' >/dev/null 2>&1 & sleep 0.01
            X
            setsid bash -c 'exec -a marked-by-us bash /tmp/again.sh' >/dev/null 2>&1 & sleep 0.3
            """,
        ),
        left_behind(
            "subreaper",
            "Leave a family whose head adopts its orphans.",
            f"""
            setsid python3 -c "import ctypes, os, time; ctypes.CDLL(None).prctl(36, 1); os.system('bash -c \\"{SLEEPER}\\" &'); time.sleep(300)" >/dev/null 2>&1 & sleep 0.2
            """,
        ),
        left_behind(
            "schedulers",
            "Leave it to at, cron, batch or systemd.",
            "for p in at batch crontab systemd-run; do command -v $p && echo 'exec -a marked-by-us sleep 301' | $p now; done; true",
        ),
        left_behind(
            "vfork",
            "Leave a child whose parent sleeps in vfork.",
            """
            cat > /tmp/v.c <<'X'
            #include <unistd.h>
            #include <signal.h>
            int main(void) { setsid(); if (vfork() == 0) { execl("/bin/bash", "marked-by-us", "-c", "sleep 301; :", (char *)0); } return 0; }
            X
            gcc -w -o /tmp/v /tmp/v.c && /tmp/v >/dev/null 2>&1
            """,
        ),
        Trap("kill_all", "Kill everything it may.", "kill -9 -1", "echo alive", "alive"),
        Trap("stop_all", "Stop everything it may.", "kill -STOP -1", "echo alive", "alive", timeout=1),
        Trap(
            "term_storm",
            "Send signals to everyone as fast as it can.",
            "for i in $(seq 300); do kill -USR1 -1; kill -WINCH -1; done; true",
            "echo alive",
            "alive",
        ),
        Trap(
            "forged_frames",
            "Print what looks like the runner's frames.",
            r"printf '\0\0\0\20\0\0\0\0{\"end\":\"exited\"}'; printf '\377\377\377\377\377\377\377\377'",
            "echo alive",
            "alive",
        ),
        Trap(
            "forged_by_fd",
            "Write frames to every descriptor it can open.",
            r"for p in /proc/[0-9]*/fd/*; do printf '\0\0\0\2\0\0\0\0{}' > $p; done 2>/dev/null; true",
            "echo alive",
            "alive",
        ),
        Trap(
            "nul_output",
            "Print zero bytes, escapes and half characters.",
            r"printf '\0\033]0;x\007\033[2J\xed\xa0\x80\xff'",
            "echo alive",
            "alive",
        ),
        Trap("closed_output", "Close all output at once and go on.", "exec >&- 2>&-; sleep 0.3", "echo alive", "alive"),
        Trap(
            "exit_codes",
            "End in every odd way.",
            "bash -c 'kill -SEGV $$'; bash -c 'ulimit -c 0; kill -ABRT $$'; exit 255",
            "echo alive",
            "alive",
        ),
        Trap(
            "own_limits",
            "Lower its own limits for the next command.",
            "ulimit -n 3; ulimit -u 1; ulimit -f 0; ulimit -v 10; true",
            "ulimit -n | grep -vxc 3",
            "1",
        ),
        Trap(
            "mode_of_root",
            "Close the workspace to everybody.",
            "chmod 000 /workspace /home/agent",
            "echo alive; chmod 755 /home/agent /workspace",
            "alive",
        ),
        Trap("umask_next", "Leave a mask to the next command.", "umask 777; cd /; export PATH=/tmp", "umask", "0022"),
        Trap(
            "bash_env",
            "Leave start-up files for the next command's shell.",
            "for f in .bashrc .bash_profile .profile .bash_login; do echo 'echo pwned; exit 3' > ~/$f; done",
            "echo alive; rm -f ~/.bash* ~/.profile",
            "alive",
        ),
        Trap(
            "shm_left",
            "Leave shared memory and queues beyond the processes.",
            'python3 -c "import ctypes; print(ctypes.CDLL(None).shmget(0x77, 1 << 20, 0o1666))"; echo x > /dev/shm/x',
            "ls /dev/shm >/dev/null; rm -f /dev/shm/x; echo alive",
            "alive",
        ),
    ),
)
