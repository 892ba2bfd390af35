"""Three-way merges of texts, made by `git merge-file` in a process of its own.

Like diff(1), it runs in a separate process as a third user, because hostile text can make any merge slow, and so that
commands cannot tamper with it. It runs outside the workspace, so that no repository can configure it.
"""

import os
from typing import Final

from .budgets import MemoryPool
from .changes import in_memory
from .processes import Job, Supervisor
from .programs import ENVIRONMENT, Head, run_program

MERGE_TIMEOUT: Final = 10.0  # seconds
MERGED_LIMIT: Final = 8 << 20  # bytes
ALONE: Final = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_DIR": "/nonexistent", "HOME": "/"}


class Merger:
    """A three-way merger for the changes of two texts that have a common origin."""

    def __init__(self, supervisor: Supervisor, slash_fd: int, pool: MemoryPool) -> None:
        self._supervisor = supervisor
        self._slash_fd = slash_fd
        self._pool = pool

    def merge(self, current: bytes, base: bytes, other: bytes) -> bytes | None:
        """Return `current` with the changes that lead from `base` to `other`. None if both changed the same lines."""
        kept = Head(MERGED_LIMIT)
        with in_memory(current) as first, in_memory(base) as second, in_memory(other) as third:
            fds = (first, second, third)
            job = Job(
                ["git", "merge-file", "-p", "-q", *(f"/proc/self/fd/{fd}" for fd in fds)],
                kept,
                cwd_fd=os.dup(self._slash_fd),
                env={**ENVIRONMENT, **ALONE},
                timeout=MERGE_TIMEOUT,
                pass_fds=fds,
                bystander=True,
                data_mib=self._pool.program_mib,
            )
            run_program(self._supervisor, job)
        return bytes(kept.kept) if job.end == "exited" and job.exit_code == 0 else None
