"""Retry actions that the kernel refuses temporarily.

When a sandbox has used up its memory or processes, system calls of the runner fail too: changing a thread's ids,
opening a file or reading /proc may fail now and succeed a moment later, after some process was killed.
"""

import errno
import os
import sys
import time
from collections.abc import Callable
from typing import Final, TypeVar

RETRY_TIMEOUT: Final = 20.0
"""Seconds after which an error no longer counts as temporary; the runner then exits and is restarted."""
FIRST_PAUSE: Final = 0.001  # seconds
MAX_PAUSE: Final = 0.25  # seconds
LOG_INTERVAL: Final = 1.0  # seconds
RESTART_EXIT_CODE: Final = 70  # of a runner that gives up and is to be started again
TRANSIENT: Final = frozenset(
    {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOSPC, errno.EINTR}
)

Result = TypeVar("Result")


def retry(action: Callable[[], Result], *, timeout: float = RETRY_TIMEOUT) -> Result:
    """Return the result of the action. While it fails for lack of a resource it is retried, for `timeout` seconds.

    Raises its last error after that, and any other error at once.
    """
    deadline, pause = 0.0, FIRST_PAUSE
    while True:
        try:
            return action()
        except (OSError, MemoryError) as error:
            deadline = deadline or time.monotonic() + timeout
            if not _may_pass(error) or time.monotonic() > deadline:
                raise
        time.sleep(pause)
        pause = min(2 * pause, MAX_PAUSE)


def retry_or_exit(action: Callable[[], None]) -> None:
    """Retry an action without which the calling thread cannot continue. Ends the runner if all attempts fail."""
    try:
        retry(action)
    except BaseException:  # noqa: BLE001 - no caller may continue on such a thread
        log_error(sys.exc_info()[1])
        os._exit(RESTART_EXIT_CODE)


def log_error(error: BaseException | None) -> None:
    """Write an error to the log. `traceback` is imported only when an error occurs, to save memory in every
    workspace."""
    import traceback

    traceback.print_exception(error, file=sys.stderr)


def _may_pass(error: OSError | MemoryError) -> bool:
    return isinstance(error, MemoryError) or error.errno in TRANSIENT


class FailureTracker:
    """Error handling of a thread that must not end.

    Call `record` with each error and `back_off` after each round. Errors are logged at most once a second, the pauses
    get longer, and the last error is raised when no round succeeded for 20 s.
    """

    def __init__(self) -> None:
        self._error: Exception | None = None
        self._since = 0.0
        self._logged_at = 0.0
        self._pause = FIRST_PAUSE

    def record(self, error: Exception) -> None:
        self._error = error
        now = time.monotonic()
        self._since = self._since or now
        if now - self._logged_at > LOG_INTERVAL:
            self._logged_at = now
            log_error(error)

    def back_off(self) -> None:
        error, self._error = self._error, None
        if error is None:
            self._since, self._pause = 0.0, FIRST_PAUSE
            return
        if time.monotonic() - self._since > RETRY_TIMEOUT:
            raise error
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, MAX_PAUSE)
