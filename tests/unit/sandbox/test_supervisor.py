"""The threads of the supervisor and of the server survive temporary failures of system calls."""

import errno
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.runner import process_cleanup, processes, retries
from sandbox.runner.privileges import SingleUser
from sandbox.runner.processes import Job, Supervisor
from sandbox.runner.programs import Head
from sandbox.runner.server import Server

PATIENCE = 10.0


class Failing:
    """A function that raises an error in its first calls and then runs an action."""

    def __init__(self, times: int, error: Exception, action: Callable[..., Any]) -> None:
        self.left = times
        self._error = error
        self._action = action

    def __call__(self, *arguments: Any) -> Any:
        if self.left:
            self.left -= 1
            raise self._error
        return self._action(*arguments)


def no_memory() -> OSError:
    return OSError(errno.ENOMEM, "Cannot allocate memory")


@pytest.fixture
def supervisor(monkeypatch: pytest.MonkeyPatch) -> Supervisor:
    """Return a supervisor that sees only the processes of its own jobs, so that it kills no process of other tests."""
    monkeypatch.setattr(process_cleanup, "read_processes", list)
    return Supervisor(SingleUser())


def new_job(command: str = "echo done", **more: Any) -> Job:
    cwd_fd = os.open("/", os.O_PATH)
    return Job(["/bin/sh", "-c", command], Head(1000), cwd_fd=cwd_fd, env={}, timeout=PATIENCE, **more)


def run(supervisor: Supervisor, job: Job) -> Job:
    supervisor.start(job)
    assert job.wait(PATIENCE)
    return job


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN])
def test_a_descriptor_for_the_process_that_is_refused_for_a_moment_costs_nothing(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(os, "pidfd_open", failing := Failing(4, OSError(number, "no"), os.pidfd_open))

    assert (run(supervisor, new_job()).end, failing.left) == ("exited", 0)


@pytest.mark.parametrize("name", ["pipe2", "set_blocking"])
def test_a_job_that_cannot_start_is_told_and_the_next_one_starts(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(os, name, Failing(1, OSError(errno.EMFILE, "Too many open files"), getattr(os, name)))

    failed, next_one = run(supervisor, new_job()), run(supervisor, new_job())

    assert failed.failure is not None
    assert (failed.failure.code, next_one.end) == ("limit_reached", "exited")


@pytest.mark.parametrize("error", [no_memory(), MemoryError(), IndexError(), ProcessLookupError()])
def test_what_fails_while_a_job_is_cleared_away_is_done_again(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    failing = Failing(5, error, process_cleanup.remove_strays)
    monkeypatch.setattr(process_cleanup, "remove_strays", failing)

    assert (run(supervisor, new_job()).end, failing.left) == ("exited", 0)
    assert run(supervisor, new_job()).end == "exited"


def test_a_job_is_aborted_although_nobody_can_be_signalled_at_first(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "TERM_TO_KILL", 0.02)
    monkeypatch.setattr(processes, "TICK", 0.02)
    monkeypatch.setattr(process_cleanup, "signal_tree", failing := Failing(3, no_memory(), process_cleanup.signal_tree))
    job = new_job("exec sleep 600")
    supervisor.start(job)

    supervisor.stop(job, "aborted")

    assert job.wait(PATIENCE)
    assert (job.end, failing.left) == ("aborted", 0)


def test_who_waits_is_told_also_when_the_result_cannot_be_remembered(supervisor: Supervisor) -> None:
    def forget(job: Job) -> None:
        raise no_memory()

    assert run(supervisor, new_job(on_end=forget)).end == "exited"
    assert run(supervisor, new_job()).end == "exited"


def test_what_never_works_ends_the_thread_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "RETRY_TIMEOUT", 0.0)
    failures = retries.FailureTracker()
    failures.record(no_memory())

    with pytest.raises(OSError, match="Cannot allocate"):
        failures.back_off()


def test_what_is_wrong_for_good_is_not_tried_again() -> None:
    failing = Failing(2, PermissionError(errno.EACCES, "no"), bool)

    with pytest.raises(PermissionError):
        retries.retry(failing)
    assert failing.left == 1


class Listener:
    """A listener whose first accepts fail; after them it ends the test."""

    def __init__(self) -> None:
        self.accepted = Failing(3, OSError(errno.EMFILE, "Too many open files"), self._end)

    def accept(self) -> Any:
        return self.accepted()

    @staticmethod
    def _end() -> Any:
        raise KeyboardInterrupt


def test_a_connection_that_cannot_be_taken_ends_no_thread() -> None:
    listener, complete = Listener(), threading.Event()
    complete.set()

    with pytest.raises(KeyboardInterrupt):
        Server._accept_forever(Server.__new__(Server), listener, complete)  # type: ignore[arg-type]
    assert listener.accepted.left == 0


def test_no_request_is_taken_before_every_thread_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner accepts requests only after all its threads have started, because a request may start a command that
    uses up all processes."""
    made: list[bool] = []

    class Thread(threading.Thread):
        def start(self) -> None:
            complete: threading.Event = self._args[1]  # type: ignore[attr-defined]
            made.append(complete.is_set())

        def join(self, timeout: float | None = None) -> None:
            return

    monkeypatch.setattr(threading, "Thread", Thread)
    Server.__new__(Server).serve(None)  # type: ignore[arg-type]

    assert made == [False] * 24
