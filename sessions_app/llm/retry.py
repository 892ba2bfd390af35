"""Decide whether and when a failed model call is retried. Pure functions: the caller passes the jitter and sleeps."""

from dataclasses import dataclass
from typing import Final

from sessions_app.llm.port import LlmError, LlmUnavailable

MAX_RETRIES: Final = 5
FIRST_DELAY: Final = 2.0  # seconds; doubles with each retry
MAX_DELAY: Final = 30.0  # seconds
MAX_JITTER: Final = 0.25  # share of the delay that is added at most
MAX_RETRY_AFTER: Final = 600.0  # seconds


@dataclass(frozen=True, slots=True)
class Retry:
    """The decision to retry the call after `delay` seconds. `number` is the number of this retry, from 1."""

    number: int
    delay: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The decision not to retry the call. `reason` is a plain sentence."""

    reason: str


def decide_retry(error: LlmError, *, failures: int, jitter: float, retries: int = MAX_RETRIES) -> Retry | GiveUp:
    """Decide whether a failed model call is retried, and when. `failures`: failed attempts of this call so far.
    `jitter`: uniform in [0, 1). `retries`: the most times that the call is repeated.

    The wait that a provider requests is used unchanged. If it is longer than `MAX_RETRY_AFTER`, the call is not
    retried.
    """
    if not isinstance(error, LlmUnavailable):
        return GiveUp("A retry would fail in the same way.")
    if failures > retries:
        return GiveUp("The model call failed." if failures == 1 else f"The model call failed {failures} times.")
    if error.retry_after is None:
        return Retry(number=failures, delay=_backoff(failures, jitter))
    if error.retry_after > MAX_RETRY_AFTER:
        return GiveUp(f"The provider requests a wait of {error.retry_after:.0f} seconds.")
    return Retry(number=failures, delay=error.retry_after)


def _backoff(failures: int, jitter: float) -> float:
    delay = FIRST_DELAY * 2.0 ** (failures - 1)
    return min(MAX_DELAY, delay * (1 + MAX_JITTER * jitter))
