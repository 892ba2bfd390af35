"""The supervisor: one thread that owns every child process, reads its output, ends it and cleans up after it.

A `Job` is one process and the sink of its output. A job is started on the requesting thread, because passing it to
another thread costs half as much time as starting a command; the supervisor does everything else. Other threads ask it
to `stop` a job, and use `Job.wait` to wait until a job is over. Starting a job and the supervisor's own work exclude
each other. So only one thread waits for a child, and no process is started during a search for strays. Temporary errors
do not end the thread: failed actions are retried, and only after 20 s without success does the runner exit, to be
restarted.
"""

import collections
import contextlib
import itertools
import math
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, ParamSpec, Protocol

from . import process_cleanup
from .errors import LIMIT_REACHED, REFUSED, Refusal, from_os_error
from .privileges import Command, Identity
from .retries import FailureTracker, retry, retry_or_exit
from .shared_objects import RunningJob, SharedObjects

CHUNK: Final = 1 << 16  # bytes read at a time
GRACE: Final = 0.1
"""Seconds after the end of a job's leader in which its pipe is still read, because a leftover process may hold it
open."""
TERM_TO_KILL: Final = 3.0  # seconds between SIGTERM and SIGKILL
TICK: Final = 1.0  # seconds; how long the supervisor sleeps at most while a job runs
MARKS: Final = range(50_000, 60_000)
"""Group ids that mark the processes of a job. No file belongs to one of them."""
OPEN_FILES: Final = 4096  # per process

Arguments = ParamSpec("Arguments")


class Sink(Protocol):
    """A receiver of the output of a job."""

    def feed(self, chunk: bytes) -> str:
        """Accept output. A result that is not empty is the reason to end the job."""
        ...


class Job:
    """One process and its state. The supervisor closes `cwd_fd` when it starts the process.

    `end` is empty while the process runs, then the reason why it ended. `failure` is set if it was never started.
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
        open_files: int = OPEN_FILES,
        data_mib: int = 0,
        is_command: bool = False,
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
        self.open_files = open_files
        self.data_mib = data_mib
        self.is_command = is_command
        self.on_end = on_end
        self.condition = threading.Condition()
        self.started = threading.Event()
        self.end = ""
        self.exit_code = -1
        self.failure: Refusal | None = None
        self.started_at = time.time()
        self.duration = 0.0
        # used by the supervisor, under its lock
        self.mark = 0
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

    @property
    def as_live_call(self) -> process_cleanup.LiveCall:
        return process_cleanup.LiveCall(self.pid, self.tag, self.mark)

    @property
    def as_running(self) -> RunningJob:
        return RunningJob(self.started_at, self.is_command)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the job is over. Returns False after `timeout` seconds (None: no limit)."""
        with self.condition:
            return self.condition.wait_for(lambda: self.is_over, timeout)


class Supervisor:
    """A supervisor that starts, watches and ends jobs on its own thread. Create it after `hardening` has run: children
    inherit the restrictions of this thread."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._shared_objects = SharedObjects(identity) if identity.separates_users else None
        self._lock = threading.Lock()
        self._sleeps_until = 0.0
        self._actions: collections.deque[Callable[[], None]] = collections.deque()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._by_fd: dict[int, Job] = {}
        self._live: dict[int, Job] = {}  # by mark
        self._marks = itertools.cycle(MARKS)
        self._failures = FailureTracker()
        threading.Thread(target=self._serve, name="supervisor", daemon=True).start()

    def start(self, job: Job) -> None:
        """Start a job. On return either its process exists or `failure` is set."""
        with self._lock:
            self._start(job)
            if job.deadline < self._sleeps_until:
                os.eventfd_write(self._wake, 1)

    def stop(self, job: Job, reason: str) -> None:
        """Send SIGTERM to the job's process tree now and SIGKILL after 3 s. The job then ends with this reason."""
        self._actions.append(lambda: self._stop(job, reason))
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        while True:
            ready = self._poll.poll(self._poll_timeout())
            with self._lock:
                self._handle_events(ready)
            self._failures.back_off()

    def _handle_events(self, ready: Sequence[tuple[int, int]]) -> None:
        for fd, _ in ready:
            if fd == self._wake:
                os.eventfd_read(self._wake)
            elif job := self._by_fd.get(fd):
                self._try(self._handle_event, job, fd)
        while self._actions:
            self._actions.popleft()()
        self._enforce_deadlines()

    def _try(self, action: Callable[Arguments, None], *arguments: Arguments.args, **named: Arguments.kwargs) -> None:
        """Run an action and record an error instead of raising it.

        The supervisor retries a failed action automatically: the descriptor stays readable, or the deadline stays in
        the past.
        """
        try:
            action(*arguments, **named)
        except Exception as error:  # noqa: BLE001 - an error with one job must not end the thread that serves all
            self._failures.record(error)

    def _poll_timeout(self) -> float | None:
        """Return how many seconds to sleep. None while no job runs.

        A thread that starts a job with an earlier deadline wakes the supervisor.
        """
        with self._lock:
            if not self._live:
                self._sleeps_until = math.inf
                return None
            now = time.monotonic()
            nearest = min(job.deadline for job in self._live.values())
            self._sleeps_until = max(now, min(now + TICK, nearest))
            return self._sleeps_until - now

    def _start(self, job: Job) -> None:
        try:
            job.mark = next(mark for mark in self._marks if mark not in self._live)
            job.pipe = self._launch(job)
        except Exception as error:  # noqa: BLE001 - whoever waits for this job must be notified of any error
            self._fail(job, _start_refusal(error))
            return
        finally:
            os.close(job.cwd_fd)
        self._live[job.mark] = job
        retry_or_exit(lambda: self._watch(job))
        job.started.set()
        if job.reason:
            self._try(self._kill, job)

    def _watch(self, job: Job) -> None:
        job.pidfd = retry(lambda: os.pidfd_open(job.pid))
        for fd in (job.pipe, job.pidfd):
            self._by_fd[fd] = job
            retry(partial(self._poll.register, fd, select.EPOLLIN))

    def _launch(self, job: Job) -> int:
        """Start the process and return the read end of the pipe for its output."""
        reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            os.set_blocking(writer, True)
            job.pid = self._spawn(job, writer)
        except BaseException:
            os.close(reader)
            raise
        finally:
            os.close(writer)
        return reader

    def _spawn(self, job: Job, output: int) -> int:
        """Start the job's process in the job's directory, which is already open and so cannot be replaced."""
        command = Command(job.argv, job.env, job.mark, job.open_files, job.bystander, job.pass_fds, job.data_mib)
        return self._identity.start(command, folder=job.cwd_fd, output=output)

    def _fail(self, job: Job, failure: Refusal) -> None:
        job.failure = failure
        if job.on_end:
            self._try(job.on_end, job)
        with job.condition:
            job.end = "failed"
            job.condition.notify_all()
        job.started.set()

    def _handle_event(self, job: Job, fd: int) -> None:
        if fd == job.pipe:
            self._read(job)
        else:
            self._forget_fd(job.pidfd)
            job.pidfd, job.deadline = -1, time.monotonic() + GRACE
            self._reap()
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
            stop_reason = job.sink.feed(chunk)
            job.condition.notify_all()
        if stop_reason and not job.reason:
            job.reason = stop_reason
            self._kill(job)

    def _stop(self, job: Job, reason: str) -> None:
        if job.is_over or job.reason:
            return
        job.reason = reason
        if job.mark not in self._live:
            return
        if job.pidfd >= 0:
            job.deadline = time.monotonic() + TERM_TO_KILL
            if self._identity.separates_users and not process_cleanup.is_tool_process(
                job.pid
            ):  # it has not become the tool user yet
                self._try(signal.pidfd_send_signal, job.pidfd, signal.SIGTERM)
        self._try(process_cleanup.signal_tree, self._identity, job.as_live_call, signal.SIGTERM)

    def _enforce_deadlines(self) -> None:
        now = time.monotonic()
        for job in [job for job in self._live.values() if job.deadline <= now]:
            if job.pidfd < 0:
                self._try(self._finish, job)
            elif job.reason:
                self._try(self._kill, job)
            else:
                self._stop(job, "timeout")

    def _kill(self, job: Job) -> None:
        """Send SIGKILL to the job's processes. The end is detected as usual; if that takes longer than `TICK`, the
        signal is sent again."""
        job.deadline = time.monotonic() + TICK
        if job.bystander:
            with contextlib.suppress(ProcessLookupError):
                os.kill(job.pid, signal.SIGKILL)
        else:
            process_cleanup.signal_tree(self._identity, job.as_live_call, signal.SIGKILL)

    def _finish(self, job: Job) -> None:
        """Finish a job whose leader has ended, and wake the threads that wait for the job.

        Reads the rest of its output and kills the processes that it left behind. If a step fails, all steps are
        repeated from the beginning, and the job stays live until they succeed. If all processes of the tool user are
        killed anyway, the job's process group does not get a separate signal.
        """
        self._drain(job)
        others = [other.as_live_call for other in self._others(job)]
        if (others or not self._identity.separates_users) and job.pid not in {other.leader for other in others}:
            self._identity.signal_group(job.pid, signal.SIGKILL)
        process_cleanup.remove_strays(self._identity, others, self._reap)
        self._reap()
        if job.is_command and self._shared_objects:
            self._try(self._shared_objects.remove_unowned, [other.as_running for other in self._others(job)])
        del self._live[job.mark]
        job.exit_code = _exit_code(job.status)
        job.duration = time.monotonic() - job.began
        if job.on_end:
            self._try(job.on_end, job)
        with job.condition:
            job.end = job.reason or "exited"
            job.condition.notify_all()

    def _others(self, job: Job) -> list[Job]:
        return [other for other in self._live.values() if other is not job]

    def _drain(self, job: Job) -> None:
        while job.pipe >= 0:
            try:
                chunk = os.read(job.pipe, CHUNK)
            except BlockingIOError:
                chunk = b""
            with job.condition:
                stop_reason = job.sink.feed(chunk) if chunk else ""
            if not chunk or stop_reason:
                self._forget_fd(job.pipe)
                job.pipe = -1

    def _reap(self) -> None:
        """Collect the exit status of every child that has ended, because zombies count against the process limit."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for job in self._live.values():
                if job.pid == pid and job.status is None:
                    job.status = status

    def _forget_fd(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._by_fd[fd]
        os.close(fd)


def _start_refusal(error: Exception) -> Refusal:
    if isinstance(error, OSError):
        return from_os_error(error, "")
    if isinstance(error, ValueError):
        return Refusal(REFUSED, "The command contains a zero byte or an invalid character.")
    return Refusal(LIMIT_REACHED, "The process could not be started.")


def _exit_code(status: int | None) -> int:
    """Return the exit code as a shell reports it: 128+n for signal n. -1 if it is unknown."""
    if status is None:
        return -1
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
