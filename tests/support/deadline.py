"""Waiting for something that happens elsewhere, with a deadline and a reason."""

import time
from collections.abc import Callable


def wait_until(happened: Callable[[], bool], what: str, *, seconds: float = 30.0, step: float = 0.02) -> None:
    """Fails the test when it has not happened in time. Prefer an event to wait on where there is one."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(step)
