"""The runner's side of the self-check: what only it can tell, and starting the program that looks as a command.

A runner that could not protect itself on this kernel serves nothing but this (`UnfitServer`), so that whoever made the
sandbox learns why it cannot be used.
"""

import os
import select
import signal
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from . import frames, hardening
from .errors import Refusal
from .privileges import Command, Identity
from .processes import MARKS, OPEN_FILES, Job, Supervisor
from .programs import Head, run_program
from .selfcheck_common import KERNEL_LINE, RUNTIME_LINE, Finding
from .tree import Tree

PROGRAM: Final = (
    "/usr/bin/python3", "-I", "-S", "-c",
    "import sys; sys.path.insert(0, '/opt/agentsite'); from runner.selfcheck import main; main(sys.argv[1:])",
)  # fmt: skip
ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
OUTPUT_LIMIT: Final = 1 << 18
TIMEOUT: Final = 25.0
LINE_PARTS: Final = 3

Start = Callable[[Sequence[str]], bytes]
"""Runs a program as the tool user; what it wrote."""


class SelfCheck:
    def __init__(self, start: Start | None, weaknesses: Sequence[Finding] = ()) -> None:
        """Without `start` there are no walls to look at. `weaknesses`: what the runner could not deny itself."""
        self._start = start
        self._weaknesses = weaknesses

    def answer(self, header: frames.Header) -> tuple[frames.Header, bytes]:
        return {}, frames.to_json(self.look(header))

    def look(self, header: frames.Header) -> dict[str, Any]:
        if self._start is None:
            walls = ("walls", False, "this sandbox has none: commands are processes of the machine. For tests only")
            return _to_answer(os.uname().release, "", [walls])
        host_kernel, remapped = str(header.get("host_kernel") or ""), header.get("remapped") is True
        arguments = [*(["--host-kernel", host_kernel] if host_kernel else []), *(["--remapped"] if remapped else [])]
        findings = [runner_powers(), *(self._weaknesses or [("runner", True, "is out of reach of commands")])]
        return _with_program(self._start, arguments, findings)


def runner_powers() -> Finding:
    bounding = hardening.bounding_set()
    few = not bounding & ~hardening.ALLOWED_CAPABILITIES
    return "runner's capabilities", few, f"{'only' if few else 'more than'} SETUID, SETGID and KILL ({bounding:#x})"


def by_supervisor(tree: Tree, supervisor: Supervisor) -> Start:
    """As every other command is started, and known to whoever clears away what commands left behind."""

    def start(argv: Sequence[str]) -> bytes:
        head = Head(OUTPUT_LIMIT)
        job = Job(argv, head, cwd_fd=os.dup(tree.slash_fd), env=ENVIRONMENT, timeout=TIMEOUT)
        run_program(supervisor, job)
        return bytes(head.kept)

    return start


def by_itself(identity: Identity) -> Start:
    """Where what the supervisor is made of may be missing, and nothing else is ever started."""

    def start(argv: Sequence[str]) -> bytes:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        slash = os.open("/", os.O_PATH | os.O_DIRECTORY)
        try:
            pid = identity.start(Command(argv, ENVIRONMENT, MARKS[0], OPEN_FILES), folder=slash, output=writer)
        finally:
            os.close(slash)
            os.close(writer)
        output = _read_to_end(reader, pid)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return output or f"exit code {code}".encode()

    return start


def _read_to_end(reader: int, pid: int) -> bytes:
    """What a program writes; when its time is over it is killed."""
    output, give_up = bytearray(), time.monotonic() + TIMEOUT
    try:
        while select.select([reader], [], [], max(0.0, give_up - time.monotonic()))[0]:
            chunk = os.read(reader, OUTPUT_LIMIT)
            if not chunk:
                return bytes(output)
            output += chunk[: OUTPUT_LIMIT - len(output)]
    finally:
        os.close(reader)
    os.kill(pid, signal.SIGKILL)
    return bytes(output)


def _with_program(start: Start, arguments: Sequence[str], findings: list[Finding]) -> dict[str, Any]:
    try:
        output = start([*PROGRAM, *arguments])
    except Refusal as refusal:
        return _to_answer(os.uname().release, "", [*findings, ("program", False, refusal.message)])
    lines = [line.split("\t") for line in output.decode("utf-8", "replace").splitlines()]
    told = {parts[0]: parts[2] for parts in lines if len(parts) == LINE_PARTS}
    if KERNEL_LINE not in told or any(len(parts) != LINE_PARTS for parts in lines):
        words = output[-300:].decode("utf-8", "replace")
        findings.append(("program", False, f"the self-check did not end as it should: {words}"))
    findings += [
        (parts[0], parts[1] == "yes", parts[2])
        for parts in lines
        if len(parts) == LINE_PARTS and parts[0] not in (KERNEL_LINE, RUNTIME_LINE)
    ]
    return _to_answer(told.get(KERNEL_LINE, os.uname().release), told.get(RUNTIME_LINE, ""), findings)


def _to_answer(kernel: str, runtime: str, findings: Sequence[Finding]) -> dict[str, Any]:
    items = [{"name": name, "passed": passed, "found": found} for name, passed, found in findings]
    return {"kernel": kernel, "runtime": runtime, "items": items}
