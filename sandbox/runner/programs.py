"""Run the sandbox's own helper programs (ripgrep, git, diff) until they end."""

from typing import Final

from .blocking_files import find_blocking_file
from .budgets import MemoryPool
from .errors import LIMIT_REACHED, UNAVAILABLE, WRONG_KIND, Refusal
from .privileges import Identity
from .processes import Job, Supervisor

COMMAND_NOT_FOUND: Final = 127  # exit code of a missing program, as in shells
BROKEN: Final = 128  # lowest exit code of git after a fatal error, and of any program ended by a signal
KILLED: Final = 128 + 9  # exit code of a program ended by SIGKILL, as in shells
ENVIRONMENT: Final = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_CTYPE": "C.UTF-8"}
"""The environment of helper programs. No folder in its PATH is writable for the tool user: otherwise a command could
place its own `diff` there, which would run as the bystander, could falsify diffs, and would outlive every call."""
SLOW_AFTER: Final = 1.0
"""Seconds after which a file that blocks the search is looked for. Most searches have ended long before."""


class Head:
    """A buffer for the beginning of a program's output. It ends the program's job after `limit` bytes or `lines`
    lines."""

    def __init__(self, limit: int, lines: int | None = None) -> None:
        self._limit = limit
        self._lines_left = lines
        self.kept = bytearray()

    def feed(self, chunk: bytes) -> str:
        self.kept += chunk
        if self._lines_left is not None:
            self._lines_left -= chunk.count(b"\n")
        full = len(self.kept) > self._limit or (self._lines_left is not None and self._lines_left < 0)
        return "enough" if full else ""


def run_program(supervisor: Supervisor, job: Job) -> Job:
    """Run a program until it ends. Raises Refusal if it is missing, cannot be started or takes too long."""
    supervisor.start(job)
    job.wait()
    return _require_done(job)


def run_searcher(supervisor: Supervisor, identity: Identity, pool: MemoryPool, job: Job, directory_fd: int) -> Job:
    """Run a program that walks a directory (see `run_program`).

    If the program is slow or fails, the runner looks for a file that blocks it. If there is one, the program is
    stopped, and the Refusal names the file.
    """
    supervisor.start(job)
    took_long = not job.wait(SLOW_AFTER)
    if took_long or (job.end == "exited" and job.exit_code >= BROKEN):
        with identity.as_tool_user(), pool.budget() as budget:
            blocking_file = find_blocking_file(directory_fd, budget)
        if blocking_file:
            supervisor.stop(job, "blocked")
            job.wait()
            raise Refusal(
                WRONG_KIND, f"{blocking_file} blocks {job.argv[0]}: it is too large or not a regular file. Remove it."
            )
        job.wait()
    return _require_done(job)


def _require_done(job: Job) -> Job:
    if isinstance(job.failure, Refusal):
        missing = job.failure.code == "not_found"
        raise Refusal(UNAVAILABLE, f"The sandbox image does not contain {job.argv[0]}.") if missing else job.failure
    if job.exit_code == COMMAND_NOT_FOUND:
        raise Refusal(UNAVAILABLE, f"The sandbox image does not contain {job.argv[0]}.")
    if job.end == "timeout":
        raise Refusal(
            LIMIT_REACHED,
            f"{job.argv[0]} took longer than {job.timeout:.0f} s. Search a smaller folder or use a narrower pattern.",
        )
    if job.end == "exited" and job.exit_code == KILLED:
        raise Refusal(LIMIT_REACHED, f"{job.argv[0]} was killed, most likely because memory ran out.")
    return job
