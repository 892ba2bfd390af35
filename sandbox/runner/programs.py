"""Running our own programs (ripgrep, git, diff) to their end."""

from typing import Final

from .blocking_files import find_obstacle
from .errors import LIMIT_REACHED, UNAVAILABLE, WRONG_KIND, Refusal
from .privileges import Identity
from .processes import Job, Supervisor

NOT_FOUND_BY_SHELLS: Final = 127
KILLED: Final = 128 + 9
ENVIRONMENT: Final = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_CTYPE": "C.UTF-8"}
"""Nothing in it lies where the tool user may write, or a `diff` of its own would run as the bystander: it could say
what changed as it likes, and outlive every call."""
SUSPICIOUS_AFTER: Final = 1.0
"""Seconds after which somebody looks for what may hold a search up: most have ended long before."""


class Head:
    """The first bytes and lines of an output; then it has enough."""

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
    """Run one of our own programs to its end. Refusal when it is missing, cannot start or takes too long."""
    supervisor.start(job)
    job.wait()
    return _require_done(job)


def run_searcher(supervisor: Supervisor, identity: Identity, job: Job, directory_fd: int) -> Job:
    """As `run_program`, for what walks through a directory: ends it when a file there holds it up."""
    supervisor.start(job)
    took_long = not job.wait(SUSPICIOUS_AFTER)
    if took_long or (job.end == "exited" and job.exit_code == KILLED):
        with identity.as_tool_user():
            obstacle = find_obstacle(directory_fd)
        if obstacle:
            supervisor.stop(job, "held up")
            job.wait()
            raise Refusal(
                WRONG_KIND, f"{obstacle} holds {job.argv[0]} up: it is too large or no file at all. Remove it."
            )
        job.wait()
    return _require_done(job)


def _require_done(job: Job) -> Job:
    if isinstance(job.failure, Refusal):
        missing = job.failure.code == "not_found"
        raise Refusal(UNAVAILABLE, f"The sandbox image lacks {job.argv[0]}.") if missing else job.failure
    if job.exit_code == NOT_FOUND_BY_SHELLS:
        raise Refusal(UNAVAILABLE, f"The sandbox image lacks {job.argv[0]}.")
    if job.end == "timeout":
        raise Refusal(LIMIT_REACHED, f"{job.argv[0]} took longer than {job.timeout:.0f} s; look at a smaller part.")
    if job.end == "exited" and job.exit_code == KILLED:
        raise Refusal(LIMIT_REACHED, f"{job.argv[0]} was killed, most likely because memory ran out.")
    return job
