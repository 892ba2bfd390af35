"""One thread owns every child process: it starts them, reads their output, ends them and clears up after them.

A `Job` is one process and where its output goes. Other threads only ask (`start`, `stop`) and watch the job's
condition, so there is no race about who reaps whom.
"""

import os
import queue
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from . import sweep
from .identity import Identity
from .refusals import LIMIT_REACHED, REFUSED, Refusal, from_os_error

CHUNK: Final = 1 << 16
GRACE: Final = 0.1
"""How long after its leader's end a job may still have output in its pipe, held open by something it left behind."""
TERM_TO_KILL: Final = 3.0
TICK: Final = 1.0


class Sink(Protocol):
    def feed(self, chunk: bytes) -> str:
        """Takes output; a non-empty answer ends the job with that reason."""
        ...


class Job:
    """One process; it takes over `cwd_fd`. `end` is empty while it runs, then why it ended.

    `failure` is set when it never started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        sink: Sink,
        *,
        cwd_fd: int,
        env: Mapping[str, str],
        timeout: float,
        bystander: bool = False,
        pass_fds: Sequence[int] = (),
        tag: str = "",
        on_end: Callable[["Job"], None] | None = None,
    ) -> None:
        self.argv = argv
        self.sink = sink
        self.cwd_fd = cwd_fd
        self.env = env
        self.timeout = timeout
        self.bystander = bystander
        self.pass_fds = pass_fds
        self.tag = tag
        self.on_end = on_end
        self.condition = threading.Condition()
        self.end = ""
        self.exit_code = -1
        self.failure: Refusal | None = None
        self.started_at = time.time()
        self.duration = 0.0
        # owned by the supervisor's thread
        self.pid = 0
        self.pidfd = -1
        self.pipe = -1
        self.status: int | None = None
        self.reason = ""
        self.deadline = time.monotonic() + timeout
        self.began = time.monotonic()

    @property
    def is_over(self) -> bool:
        return bool(self.end)

    def wait(self, timeout: float | None = None) -> bool:
        with self.condition:
            return self.condition.wait_for(lambda: self.is_over, timeout)


class Supervisor:
    """Start it after `hardening`; children inherit what its thread has denied itself."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._by_fd: dict[int, Job] = {}
        self._live: dict[int, Job] = {}
        threading.Thread(target=self._serve, name="supervisor", daemon=True).start()

    def start(self, job: Job) -> None:
        self._ask(lambda: self._start(job))

    def stop(self, job: Job, reason: str) -> None:
        """TERM to its tree now, KILL after 3 s; the job then ends with this reason."""
        self._ask(lambda: self._stop(job, reason))

    def _ask(self, action: Callable[[], None]) -> None:
        self._asked.put(action)
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        while True:
            for fd, _ in self._poll.poll(self._patience()):
                if fd == self._wake:
                    os.eventfd_read(self._wake)
                elif job := self._by_fd.get(fd):
                    self._attend(job, fd)
            while not self._asked.empty():
                self._asked.get()()
            self._enforce_deadlines()

    def _patience(self) -> float | None:
        if not self._live:
            return None
        nearest = min(job.deadline for job in self._live.values())
        return max(0.0, min(TICK, nearest - time.monotonic()))

    def _start(self, job: Job) -> None:
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        os.set_blocking(writer, True)
        try:
            job.pid = self._spawn(job, writer)
        except OSError as error:
            os.close(reader)
            self._fail(job, from_os_error(error, ""))
            return
        except ValueError:
            os.close(reader)
            self._fail(job, Refusal(REFUSED, "A zero byte or half of a character cannot be given to a process."))
            return
        except subprocess.SubprocessError:
            os.close(reader)
            self._fail(job, Refusal(LIMIT_REACHED, "The process could not be started."))
            return
        finally:
            os.close(writer)
            os.close(job.cwd_fd)
        job.pipe, job.pidfd = reader, os.pidfd_open(job.pid)
        self._live[job.pid] = job
        for fd in (job.pipe, job.pidfd):
            self._by_fd[fd] = job
            self._poll.register(fd, select.EPOLLIN)

    def _spawn(self, job: Job, output: int) -> int:
        """In its own session and already in its directory, which was opened before, so nothing can be swapped."""
        with self._identity.as_tool_user():
            process = subprocess.Popen(
                self._identity.command_line(job.argv, bystander=job.bystander),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=f"/proc/self/fd/{job.cwd_fd}",
                env=job.env,
                start_new_session=True,
                pass_fds=job.pass_fds,
            )
        process.returncode = 0  # this object must never wait for the process: the supervisor does
        return process.pid

    def _fail(self, job: Job, failure: Refusal) -> None:
        job.failure = failure
        if job.on_end:
            job.on_end(job)
        with job.condition:
            job.end = "failed"
            job.condition.notify_all()

    def _attend(self, job: Job, fd: int) -> None:
        if fd == job.pipe:
            self._read(job)
        else:
            self._forget_fd(job.pidfd)
            job.pidfd = -1
            self._reap()
            job.deadline = time.monotonic() + GRACE
        if job.pidfd < 0 and job.pipe < 0:
            self._finish(job)

    def _read(self, job: Job) -> None:
        try:
            chunk = os.read(job.pipe, CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._forget_fd(job.pipe)
            job.pipe = -1
            return
        with job.condition:
            verdict = job.sink.feed(chunk)
            job.condition.notify_all()
        if verdict and not job.reason:
            job.reason = verdict
            self._kill(job)

    def _stop(self, job: Job, reason: str) -> None:
        if job.pid not in self._live or job.reason:
            return
        job.reason = reason
        sweep.end_tree(self._identity, job.pid, signal.SIGTERM)
        if job.pidfd >= 0:
            job.deadline = time.monotonic() + TERM_TO_KILL

    def _enforce_deadlines(self) -> None:
        now = time.monotonic()
        for job in [job for job in self._live.values() if job.deadline <= now]:
            if job.pidfd < 0:
                self._finish(job)
            elif job.reason:
                self._kill(job)
            else:
                self._stop(job, "timeout")

    def _kill(self, job: Job) -> None:
        """Its leader's end is noticed like any other; should that take long, it is killed again."""
        if job.bystander:
            os.kill(job.pid, signal.SIGKILL)
        else:
            sweep.end_tree(self._identity, job.pid, signal.SIGKILL)
        job.deadline = time.monotonic() + TICK

    def _finish(self, job: Job) -> None:
        """The leader has ended: take the rest of the output, remove all it left behind, tell who waits."""
        self._drain(job)
        del self._live[job.pid]
        self._identity.signal_group(job.pid, signal.SIGKILL)
        sweep.remove_strays(self._identity, self._live_calls(), self._reap)
        self._reap()
        job.exit_code = _exit_code(job.status)
        job.duration = time.monotonic() - job.began
        if job.on_end:
            job.on_end(job)
        with job.condition:
            job.end = job.reason or "exited"
            job.condition.notify_all()

    def _drain(self, job: Job) -> None:
        while job.pipe >= 0:
            try:
                chunk = os.read(job.pipe, CHUNK)
            except BlockingIOError:
                chunk = b""
            with job.condition:
                verdict = job.sink.feed(chunk) if chunk else ""
            if not chunk or verdict:
                self._forget_fd(job.pipe)
                job.pipe = -1

    def _live_calls(self) -> dict[int, str]:
        return {pid: job.tag for pid, job in self._live.items()}

    def _reap(self) -> None:
        """Zombies count against the limit on processes, so every ended child is taken at once."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if job := self._live.get(pid):
                job.status = status

    def _forget_fd(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._by_fd[fd]
        os.close(fd)


def _exit_code(status: int | None) -> int:
    """As a shell would say it: 128+n for signal n."""
    if status is None:
        return -1
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
