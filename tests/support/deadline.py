"""Poll until a condition is true, and fail the test with a reason at a deadline."""

import time
from collections.abc import Callable


def wait_until(happened: Callable[[], bool], what: str, *, seconds: float = 30.0, step: float = 0.02) -> None:
    """Poll until `happened` returns true; fail the test after `seconds`. Prefer to wait for an event where there is
    one."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(step)
