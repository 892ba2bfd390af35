"""One thread owns every child process: it reads their output, ends them and clears up after them.

A `Job` is one process and where its output goes. Who wants one starts it on its own thread, since handing that over
costs a command half as much as starting it; everything else it asks for (`stop`) and watches on the job's condition.
Starting and all that the owner does take turns, so there is no race about who reaps whom, and nothing is started while
strays are looked for. The thread outlives whatever goes wrong for a moment: what failed is done again, and only when
nothing went well for 20 s does the runner end and start anew.
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
from .retries import Trouble, must, persist

CHUNK: Final = 1 << 16
GRACE: Final = 0.1
"""How long after its leader's end a job may still have output in its pipe, held open by something it left behind."""
TERM_TO_KILL: Final = 3.0
TICK: Final = 1.0
MARKS: Final = range(50_000, 60_000)
"""Groups that mark what belongs to a job; no file has one of them."""
OPEN_FILES: Final = 4096

Arguments = ParamSpec("Arguments")


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
        open_files: int = OPEN_FILES,
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
        self.on_end = on_end
        self.condition = threading.Condition()
        self.started = threading.Event()
        self.end = ""
        self.exit_code = -1
        self.failure: Refusal | None = None
        self.started_at = time.time()
        self.duration = 0.0
        # of the supervisor, in turns
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

    def wait(self, timeout: float | None = None) -> bool:
        with self.condition:
            return self.condition.wait_for(lambda: self.is_over, timeout)


class Supervisor:
    """Start it after `hardening`; children inherit what its thread has denied itself."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._turn = threading.Lock()
        self._sleeps_until = 0.0
        self._asked: collections.deque[Callable[[], None]] = collections.deque()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.epoll()
        self._poll.register(self._wake, select.EPOLLIN)
        self._by_fd: dict[int, Job] = {}
        self._live: dict[int, Job] = {}  # by mark
        self._marks = itertools.cycle(MARKS)
        self._trouble = Trouble()
        threading.Thread(target=self._serve, name="supervisor", daemon=True).start()

    def start(self, job: Job) -> None:
        """Its process is there when this returns, or its `failure`."""
        with self._turn:
            self._start(job)
            if job.deadline < self._sleeps_until:
                os.eventfd_write(self._wake, 1)

    def stop(self, job: Job, reason: str) -> None:
        """TERM to its tree now, KILL after 3 s; the job then ends with this reason."""
        self._asked.append(lambda: self._stop(job, reason))
        os.eventfd_write(self._wake, 1)

    def _serve(self) -> None:
        while True:
            ready = self._poll.poll(self._patience())
            with self._turn:
                self._attend_all(ready)
            self._trouble.pause()

    def _attend_all(self, ready: Sequence[tuple[int, int]]) -> None:
        for fd, _ in ready:
            if fd == self._wake:
                os.eventfd_read(self._wake)
            elif job := self._by_fd.get(fd):
                self._try(self._attend, job, fd)
        while self._asked:
            self._asked.popleft()()
        self._enforce_deadlines()

    def _try(self, action: Callable[Arguments, None], *arguments: Arguments.args, **named: Arguments.kwargs) -> None:
        """What failed comes up again by itself: its descriptor stays ready, its deadline stays in the past."""
        try:
            action(*arguments, **named)
        except Exception as error:  # noqa: BLE001 - no one job may end the thread that all others live by
            self._trouble.meet(error)

    def _patience(self) -> float | None:
        """Who starts a job that has to be looked after before that wakes this thread."""
        with self._turn:
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
        except Exception as error:  # noqa: BLE001 - whatever it is, who waits for this job must hear of it
            self._fail(job, _why_not_started(error))
            return
        finally:
            os.close(job.cwd_fd)
        self._live[job.mark] = job
        must(lambda: self._watch(job))
        job.started.set()
        if job.reason:
            self._try(self._kill, job)

    def _watch(self, job: Job) -> None:
        job.pidfd = persist(lambda: os.pidfd_open(job.pid))
        for fd in (job.pipe, job.pidfd):
            self._by_fd[fd] = job
            persist(partial(self._poll.register, fd, select.EPOLLIN))

    def _launch(self, job: Job) -> int:
        """The end of the pipe to read its output from."""
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
        """Already in its directory, which was opened before, so nothing can be swapped."""
        command = Command(job.argv, job.env, job.mark, job.open_files, job.bystander, job.pass_fds)
        return self._identity.start(command, folder=job.cwd_fd, output=output)

    def _fail(self, job: Job, failure: Refusal) -> None:
        job.failure = failure
        if job.on_end:
            self._try(job.on_end, job)
        with job.condition:
            job.end = "failed"
            job.condition.notify_all()
        job.started.set()

    def _attend(self, job: Job, fd: int) -> None:
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
            verdict = job.sink.feed(chunk)
            job.condition.notify_all()
        if verdict and not job.reason:
            job.reason = verdict
            self._kill(job)

    def _stop(self, job: Job, reason: str) -> None:
        if job.is_over or job.reason:
            return
        job.reason = reason
        if job.mark not in self._live:
            return
        if job.pidfd >= 0:
            job.deadline = time.monotonic() + TERM_TO_KILL
            if self._identity.split and not process_cleanup.is_tool_process(
                job.pid
            ):  # it is still on its way to be one
                self._try(signal.pidfd_send_signal, job.pidfd, signal.SIGTERM)
        self._try(process_cleanup.end_tree, self._identity, job.as_live_call, signal.SIGTERM)

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
        """Its leader's end is noticed like any other; should that take long, it is killed again."""
        job.deadline = time.monotonic() + TICK
        if job.bystander:
            with contextlib.suppress(ProcessLookupError):
                os.kill(job.pid, signal.SIGKILL)
        else:
            process_cleanup.end_tree(self._identity, job.as_live_call, signal.SIGKILL)

    def _finish(self, job: Job) -> None:
        """The leader has ended: take the rest of the output, remove all it left behind, tell who waits.

        Done again from the beginning when something fails in it; only then is the job no longer live. Its group needs
        no signal of its own where everything of the tool user ends.
        """
        self._drain(job)
        others = [other.as_live_call for other in self._live.values() if other is not job]
        if (others or not self._identity.split) and job.pid not in {other.leader for other in others}:
            self._identity.signal_group(job.pid, signal.SIGKILL)
        process_cleanup.remove_strays(self._identity, others, self._reap)
        self._reap()
        del self._live[job.mark]
        job.exit_code = _exit_code(job.status)
        job.duration = time.monotonic() - job.began
        if job.on_end:
            self._try(job.on_end, job)
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

    def _reap(self) -> None:
        """Zombies count against the limit on processes, so every ended child is taken at once."""
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


def _why_not_started(error: Exception) -> Refusal:
    if isinstance(error, OSError):
        return from_os_error(error, "")
    if isinstance(error, ValueError):
        return Refusal(REFUSED, "A zero byte or half of a character cannot be given to a process.")
    return Refusal(LIMIT_REACHED, "The process could not be started.")


def _exit_code(status: int | None) -> int:
    """As a shell would say it: 128+n for signal n."""
    if status is None:
        return -1
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code
