"""The runner's side of the self-check: its own findings, and the start of the self-check program.

A runner that could not restrict itself on this kernel answers only self-check requests (`UnprotectedServer`), so that
the report says why the sandbox cannot be used.
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
OUTPUT_LIMIT: Final = 1 << 18  # bytes
TIMEOUT: Final = 25.0  # seconds
LINE_PARTS: Final = 3  # name, yes or no, text

StartProgram = Callable[[Sequence[str]], bytes]
"""Runs a program as the tool user and returns its output."""


class SelfCheck:
    """The self-check of the sandbox: runs its program and returns the report."""

    def __init__(self, start: StartProgram | None, weaknesses: Sequence[Finding] = ()) -> None:
        """Prepare the self-check. `start` runs its program; it is None in a sandbox without isolation.

        `weaknesses`: restrictions that the runner could not apply.
        """
        self._start = start
        self._weaknesses = weaknesses

    def answer(self, header: frames.Header) -> tuple[frames.Header, bytes]:
        return {}, frames.to_json(self.run(header))

    def run(self, header: frames.Header) -> dict[str, Any]:
        """Run the self-check and return its report: kernel, runtime, and an item for each check."""
        if self._start is None:
            finding = ("isolation", False, "none: commands are ordinary processes of this machine; for tests only")
            return _report(os.uname().release, "", [finding])
        host_kernel, remapped = str(header.get("host_kernel") or ""), header.get("remapped") is True
        arguments = [*(["--host-kernel", host_kernel] if host_kernel else []), *(["--remapped"] if remapped else [])]
        findings = [
            runner_capabilities(),
            *(self._weaknesses or [("runner", True, "commands cannot trace it or read its memory")]),
        ]
        return _with_program(self._start, arguments, findings)


def runner_capabilities() -> Finding:
    """Check that the runner has only the allowed capabilities."""
    bounding = hardening.bounding_set()
    few = not bounding & ~hardening.ALLOWED_CAPABILITIES
    return "runner's capabilities", few, f"{'only' if few else 'more than'} SETUID, SETGID and KILL ({bounding:#x})"


def start_supervised(tree: Tree, supervisor: Supervisor) -> StartProgram:
    """Return a function that runs a program of the self-check as a job of the supervisor.

    So it is started like any command, and included when leftover processes are killed.
    """

    def start(argv: Sequence[str]) -> bytes:
        head = Head(OUTPUT_LIMIT)
        job = Job(argv, head, cwd_fd=os.dup(tree.slash_fd), env=ENVIRONMENT, timeout=TIMEOUT)
        run_program(supervisor, job)
        return bytes(head.kept)

    return start


def start_unsupervised(identity: Identity) -> StartProgram:
    """Return a function that runs the program without a supervisor.

    It is used in a runner that starts no other process, on a kernel that may lack what the supervisor needs.
    """

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
    """Return a program's output. It is killed after `TIMEOUT`."""
    output, deadline = bytearray(), time.monotonic() + TIMEOUT
    try:
        while select.select([reader], [], [], max(0.0, deadline - time.monotonic()))[0]:
            chunk = os.read(reader, OUTPUT_LIMIT)
            if not chunk:
                return bytes(output)
            output += chunk[: OUTPUT_LIMIT - len(output)]
    finally:
        os.close(reader)
    os.kill(pid, signal.SIGKILL)
    return bytes(output)


def _with_program(start: StartProgram, arguments: Sequence[str], findings: list[Finding]) -> dict[str, Any]:
    try:
        output = start([*PROGRAM, *arguments])
    except Refusal as refusal:
        return _report(os.uname().release, "", [*findings, ("program", False, refusal.message)])
    lines = [line.split("\t") for line in output.decode("utf-8", "replace").splitlines()]
    reported = {parts[0]: parts[2] for parts in lines if len(parts) == LINE_PARTS}
    if KERNEL_LINE not in reported or any(len(parts) != LINE_PARTS for parts in lines):
        words = output[-300:].decode("utf-8", "replace")
        findings.append(("program", False, f"the self-check's program printed unexpected output: {words}"))
    findings += [
        (parts[0], parts[1] == "yes", parts[2])
        for parts in lines
        if len(parts) == LINE_PARTS and parts[0] not in (KERNEL_LINE, RUNTIME_LINE)
    ]
    return _report(reported.get(KERNEL_LINE, os.uname().release), reported.get(RUNTIME_LINE, ""), findings)


def _report(kernel: str, runtime: str, findings: Sequence[Finding]) -> dict[str, Any]:
    items = [{"name": name, "passed": passed, "found": found} for name, passed, found in findings]
    return {"kernel": kernel, "runtime": runtime, "items": items}
