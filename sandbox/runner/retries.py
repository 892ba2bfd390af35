"""Going on when the kernel says no for a moment.

A sandbox whose memory or processes are used up refuses the runner too: changing a thread's ids, a descriptor, a look
at /proc may fail now and work a moment later, when something was killed. Whoever must not fail asks again.
"""

import errno
import os
import sys
import time
from collections.abc import Callable
from typing import Final, TypeVar

PERSISTENCE: Final = 20.0
"""Seconds after which what still fails is not a moment any more; the runner then ends and is started again."""
FIRST_PAUSE: Final = 0.001
LONGEST_PAUSE: Final = 0.25
TELL_EVERY: Final = 1.0
RESTART_ME: Final = 70
TRANSIENT: Final = frozenset(
    {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOSPC, errno.EINTR}
)

Result = TypeVar("Result")


def persist(action: Callable[[], Result], *, patience: float = PERSISTENCE) -> Result:
    """Its result, tried again while it fails for want of something; then its last error."""
    give_up, pause = 0.0, FIRST_PAUSE
    while True:
        try:
            return action()
        except (OSError, MemoryError) as error:
            give_up = give_up or time.monotonic() + patience
            if not _may_pass(error) or time.monotonic() > give_up:
                raise
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def must(action: Callable[[], None]) -> None:
    """For what leaves a thread unfit to serve anybody when it fails for good: ends the runner then."""
    try:
        persist(action)
    except BaseException:  # noqa: BLE001 - nobody above may go on with such a thread
        tell(sys.exc_info()[1])
        os._exit(RESTART_ME)


def tell(error: BaseException | None) -> None:
    """To the log. What it takes is only loaded when there is something to tell: every workspace would pay for it."""
    import traceback

    traceback.print_exception(error, file=sys.stderr)


def _may_pass(error: OSError | MemoryError) -> bool:
    return isinstance(error, MemoryError) or error.errno in TRANSIENT


class Trouble:
    """Keeps count of what goes wrong on a thread that must not end.

    `meet` each error and `pause` after each round: it tells the log once a second, waits longer from round to round,
    and raises the error when no round went well for 20 s.
    """

    def __init__(self) -> None:
        self._met: Exception | None = None
        self._since = 0.0
        self._told = 0.0
        self._pause = FIRST_PAUSE

    def meet(self, error: Exception) -> None:
        self._met = error
        now = time.monotonic()
        self._since = self._since or now
        if now - self._told > TELL_EVERY:
            self._told = now
            tell(error)

    def pause(self) -> None:
        met, self._met = self._met, None
        if met is None:
            self._since, self._pause = 0.0, FIRST_PAUSE
            return
        if time.monotonic() - self._since > PERSISTENCE:
            raise met
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
