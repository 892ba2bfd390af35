"""Self-check of commands and files: verify that basic commands work as every program expects.

Under some container runtimes even `ls` fails; no one can work in such a sandbox.
"""

import errno
import mmap
import os
import select
import stat
import time
from collections.abc import Iterator

from .selfcheck_common import Finding, read

COMMAND_TIMEOUT = 15.0  # seconds; commands take less than 0.1 s, but a busy machine must not fail the check
CHUNK = 1 << 16  # bytes
SIGKILL = 9
SCRATCH = f"/tmp/.self-check-{os.getpid()}"  # noqa: S108
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": SCRATCH, "LC_ALL": "C"}
PIPE_TEST_BYTES = 70_000  # more than a pipe holds

COMMANDS: tuple[tuple[str, list[str], str], ...] = (
    ("ls", ["ls", "-l", "/"], " workspace\n"),
    ("stat", ["stat", "/workspace"], "File: /workspace"),
    ("cat", ["cat", "/etc/passwd"], "agent:x:1000:"),
    ("bash", ["bash", "-c", "for word in one two; do echo $word; done | tail -1"], "two\n"),
    ("git", ["git", "init", "--template=", f"{SCRATCH}/repository"], "Initialized empty Git repository"),
    ("rg", ["rg", "--no-config", "--fixed-strings", "agent:x:1000", "/etc/passwd"], "agent:x:1000:"),
    ("pipe", ["head", "-c", str(PIPE_TEST_BYTES), "/dev/zero"], "\0" * PIPE_TEST_BYTES),
)
"""For each command: the finding's name, the arguments, and text that its output must contain."""
NAME_LOOKUP: tuple[str, list[str]] = ("name service", ["getent", "ahosts", "example.com"])
"""The finding's name, and the arguments of a command that must fail."""
HOME = "/home/agent"
IGNORED_HOME_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EACCES)
"""Errors in the home directory that are no fault of the sandbox: it is full, or its user has removed permissions."""


class Command:
    """A started command whose output must contain `wanted`.

    `failure` is why it did not start or end, else empty.
    """

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

    def finish(self, timeout: float) -> int:
        """Read the output to its end, and return the exit code. -1 if the command did not start."""
        deadline = self.started + timeout
        poll = select.poll()
        poll.register(self.reader, select.POLLIN)
        while poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            chunk = os.read(self.reader, CHUNK)
            if not chunk:
                break
            self.output += chunk
        else:
            self.failure = self.failure or f"did not end within {timeout:.1f} s"
            if self.pid:
                os.kill(self.pid, SIGKILL)
        os.close(self.reader)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]) if self.pid else -1


def spawn(argv: list[str], output: int) -> int:
    """Start a command with posix_spawn, because importing subprocess takes longer than running all the commands."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
    ]
    return os.posix_spawnp(argv[0], argv, ENVIRONMENT, file_actions=actions, setpgroup=0)


def start_all() -> list[Command]:
    """Start all commands of the self-check, with the name lookup as the last one."""
    os.mkdir(SCRATCH, 0o700)
    started = [Command(name, argv, wanted) for name, argv, wanted in COMMANDS]
    return [*started, Command(*NAME_LOOKUP, "")]


def outcomes(commands: list[Command]) -> Iterator[Finding]:
    """Wait for the commands and yield a finding for each."""
    *ordinary, name_lookup = commands
    for command in ordinary:
        code = command.finish(COMMAND_TIMEOUT)
        good = code == 0 and command.wanted.encode() in command.output
        yield command.name, good, "works" if good else command.failure or _failure_text(command.output, code)
    found = name_lookup.finish(COMMAND_TIMEOUT) == 0
    words = "resolves a host name of the internet" if found else "resolves no host name"
    yield name_lookup.name, not found and not name_lookup.failure, name_lookup.failure or words


def remove_scratch() -> None:
    for folder, folders, files in os.walk(SCRATCH, topdown=False):
        for name in files:
            os.unlink(f"{folder}/{name}")
        for name in folders:
            os.rmdir(f"{folder}/{name}")
    os.rmdir(SCRATCH)


def _failure_text(output: bytes, code: int) -> str:
    """Describe why a command failed."""
    text = output[:200].decode("utf-8", "replace").strip()
    return f"failed with exit code {code}: {text}" if code else f"printed unexpected output: {text}"


def files_and_processes() -> Iterator[Finding]:
    for name, act in (("files", _files), ("home files", _home_files), ("mmap", _mapping), ("kill", _kill)):
        try:
            problem = act()
        except OSError as error:
            problem = f"failed: {error.strerror}"
        yield name, not problem, problem or "works"


def _files() -> str:
    return _write_and_read(SCRATCH)


def _home_files() -> str:
    """Check files in the home directory, which is on the same disk as the workspace but not part of any diff."""
    try:
        return _write_and_read(HOME)
    except OSError as error:
        if error.errno in IGNORED_HOME_ERRNOS:
            return ""
        raise


def _write_and_read(folder: str) -> str:
    """Write, sync and rename a file, and read it through a link. Returns the failure as text, or "".

    The names are random, so that no file of that name can exist already.
    """
    name = os.urandom(8).hex()
    first, second, link = (f"{folder}/.self-check-{name}{end}" for end in "abc")
    fd = os.open(first, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(fd, b"kept")
        os.fsync(fd)
        os.rename(first, second)
        os.symlink(second, link)
        same = read(link) == "kept" and os.path.realpath(link) == second
        return "" if same and stat.S_ISLNK(os.lstat(link).st_mode) else "the content read is not the content written"
    finally:
        os.close(fd)
        for path in (first, second, link):
            if os.path.lexists(path):
                os.unlink(path)


def _mapping() -> str:
    """Write to a file through a memory mapping. Returns the failure as text, or ""."""
    path = f"{SCRATCH}/mapped"
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        os.truncate(fd, mmap.PAGESIZE)
        with mmap.mmap(fd, mmap.PAGESIZE) as mapped:
            mapped[:5] = b"shown"
            mapped.flush()
        return "" if os.pread(fd, 5, 0) == b"shown" else "the content written to the mapping is not in the file"
    finally:
        os.close(fd)


def _kill() -> str:
    """Kill a shell and its child with one signal to their group. Returns a description of the failure, or ""."""
    reader, writer = os.pipe()
    pid = spawn(["bash", "-c", "sleep 60 & echo; wait"], writer)
    os.close(writer)
    try:
        os.read(reader, 1)
        os.killpg(pid, SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        alive = select.select([reader], [], [], COMMAND_TIMEOUT)[0] == []
    finally:
        os.close(reader)
    return "" if code == -SIGKILL and not alive else "the signal did not end the process group"
