"""The self-check's part about work: whether files and basic commands do what every program takes for granted.

A runtime whose `ls` fails is not a sandbox that anybody can work in.
"""

import errno
import mmap
import os
import select
import stat
import time
from collections.abc import Iterator

from .selfcheck_common import Finding, read

PATIENCE = 15.0
"""For each command. None takes 0.1 s, but a machine that is busy must not keep a workspace from starting."""
CHUNK = 1 << 16
SIGKILL = 9
SCRATCH = f"/tmp/.self-check-{os.getpid()}"  # noqa: S108
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": SCRATCH, "LC_ALL": "C"}
BIG = 70_000
"""Bytes: more than a pipe holds."""

COMMANDS: tuple[tuple[str, list[str], str], ...] = (
    ("ls", ["ls", "-l", "/"], " workspace\n"),
    ("stat", ["stat", "/workspace"], "File: /workspace"),
    ("cat", ["cat", "/etc/passwd"], "agent:x:1000:"),
    ("bash", ["bash", "-c", "for word in one two; do echo $word; done | tail -1"], "two\n"),
    ("git", ["git", "init", "--template=", f"{SCRATCH}/repository"], "Initialized empty Git repository"),
    ("rg", ["rg", "--no-config", "--fixed-strings", "agent:x:1000", "/etc/passwd"], "agent:x:1000:"),
    ("pipe", ["head", "-c", str(BIG), "/dev/zero"], "\0" * BIG),
)
"""A name, what is run, and what must be in its output."""
LOOK_UP: tuple[str, list[str]] = ("name service", ["getent", "ahosts", "example.com"])
"""Must find nothing."""
KEPT_FOLDER = "/home/agent"
OWN_FAULT = (errno.ENOSPC, errno.EDQUOT, errno.EACCES)
"""What a home says that is full, or closed to its own user: the sandbox is as it must be."""


class Command:
    __slots__ = ("failure", "name", "output", "pid", "reader", "started", "wanted")

    def __init__(self, name: str, argv: list[str], wanted: str) -> None:
        self.name = name
        self.wanted = wanted
        self.output = b""
        self.failure = ""
        self.started = time.monotonic()
        self.reader, writer = os.pipe()
        try:
            self.pid = spawn(argv, writer)
        except OSError as error:
            self.pid, self.failure = 0, f"did not start: {error.strerror}"
        finally:
            os.close(writer)

    def finish(self, patience: float) -> int:
        """Its exit code, after all its output has come; -1 when it did not start."""
        give_up = self.started + patience
        poll = select.poll()
        poll.register(self.reader, select.POLLIN)
        while poll.poll(max(0.0, give_up - time.monotonic()) * 1000):
            chunk = os.read(self.reader, CHUNK)
            if not chunk:
                break
            self.output += chunk
        else:
            self.failure = self.failure or f"did not end within {patience:.1f} s"
            if self.pid:
                os.kill(self.pid, SIGKILL)
        os.close(self.reader)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) if self.pid else -1


def spawn(argv: list[str], output: int) -> int:
    """With posix_spawn: importing subprocess takes longer than all of these programs."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
    ]
    return os.posix_spawnp(argv[0], argv, ENVIRONMENT, file_actions=actions, setpgroup=0)


def start_all() -> list[Command]:
    os.mkdir(SCRATCH, 0o700)
    started = [Command(name, argv, wanted) for name, argv, wanted in COMMANDS]
    return [*started, Command(*LOOK_UP, "")]


def outcomes(commands: list[Command]) -> Iterator[Finding]:
    *ordinary, look_up = commands
    for command in ordinary:
        code = command.finish(PATIENCE)
        good = code == 0 and command.wanted.encode() in command.output
        yield command.name, good, "works" if good else command.failure or _words(command.output, code)
    found = look_up.finish(PATIENCE) == 0
    words = "finds a host of the internet" if found else "finds nothing"
    yield look_up.name, not found and not look_up.failure, look_up.failure or words


def clear_away() -> None:
    for folder, folders, files in os.walk(SCRATCH, topdown=False):
        for name in files:
            os.unlink(f"{folder}/{name}")
        for name in folders:
            os.rmdir(f"{folder}/{name}")
    os.rmdir(SCRATCH)


def _words(output: bytes, code: int) -> str:
    said = output[:200].decode("utf-8", "replace").strip()
    return f"failed with exit code {code}: {said}" if code else f"answered something else: {said}"


def files_and_processes() -> Iterator[Finding]:
    for name, act in (("files", _files), ("kept files", _kept_files), ("mmap", _mapping), ("kill", _kill)):
        try:
            problem = act()
        except OSError as error:
            problem = f"failed: {error.strerror}"
        yield name, not problem, problem or "works"


def _files() -> str:
    return _write_and_read(SCRATCH)


def _kept_files() -> str:
    """In the home, which is on the same disk as the workspace and where nobody looks for changes."""
    try:
        return _write_and_read(KEPT_FOLDER)
    except OSError as error:
        if error.errno in OWN_FAULT:
            return ""
        raise


def _write_and_read(folder: str) -> str:
    """Written, synced, renamed, and read again through a link. Nobody can have put something in these places before."""
    name = os.urandom(8).hex()
    first, second, link = (f"{folder}/.self-check-{name}{end}" for end in "abc")
    fd = os.open(first, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(fd, b"kept")
        os.fsync(fd)
        os.rename(first, second)
        os.symlink(second, link)
        same = read(link) == "kept" and os.path.realpath(link) == second
        return "" if same and stat.S_ISLNK(os.lstat(link).st_mode) else "what was written is not what is read"
    finally:
        os.close(fd)
        for path in (first, second, link):
            if os.path.lexists(path):
                os.unlink(path)


def _mapping() -> str:
    path = f"{SCRATCH}/mapped"
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        os.truncate(fd, mmap.PAGESIZE)
        with mmap.mmap(fd, mmap.PAGESIZE) as mapped:
            mapped[:5] = b"shown"
            mapped.flush()
        return "" if os.pread(fd, 5, 0) == b"shown" else "what was mapped is not in the file"
    finally:
        os.close(fd)


def _kill() -> str:
    """The whole group of a shell and what it started ends with one signal."""
    reader, writer = os.pipe()
    pid = spawn(["bash", "-c", "sleep 60 & echo; wait"], writer)
    os.close(writer)
    try:
        os.read(reader, 1)
        os.killpg(pid, SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        alive = select.select([reader], [], [], PATIENCE)[0] == []
    finally:
        os.close(reader)
    return "" if code == -SIGKILL and not alive else "a group of processes was not ended"
