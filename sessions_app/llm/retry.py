"""When a failed model call is tried again, and after how long. Pure: the caller brings the randomness and sleeps."""

from dataclasses import dataclass
from typing import Final

from sessions_app.llm.port import LlmError, LlmUnavailable

MAX_RETRIES: Final = 5
FIRST_DELAY: Final = 2.0
LONGEST_DELAY: Final = 30.0
JITTER_SHARE: Final = 0.25
LONGEST_OBEYED_WAIT: Final = 600.0


@dataclass(frozen=True, slots=True)
class Retry:
    """Try again after `delay` seconds; this will be retry number `number` (from 1)."""

    number: int
    delay: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Do not try again; `reason` is a plain sentence."""

    reason: str


def decide_retry(error: LlmError, *, failures: int, jitter: float) -> Retry | GiveUp:
    """`failures`: how many tries of this call have failed so far, this one included. `jitter`: uniform in [0, 1).

    A wait that the provider asks for is obeyed to the letter; one that is longer than anybody would wait for ends
    the call instead.
    """
    if not isinstance(error, LlmUnavailable):
        return GiveUp("Asking again would give the same answer.")
    if failures > MAX_RETRIES:
        return GiveUp(f"The model was asked {failures} times without success.")
    if error.retry_after is None:
        return Retry(number=failures, delay=_backoff(failures, jitter))
    if error.retry_after > LONGEST_OBEYED_WAIT:
        return GiveUp(f"The provider asks to wait for {error.retry_after:.0f} seconds.")
    return Retry(number=failures, delay=error.retry_after)


def _backoff(failures: int, jitter: float) -> float:
    delay = FIRST_DELAY * 2.0 ** (failures - 1)
    return min(LONGEST_DELAY, delay * (1 + JITTER_SHARE * jitter))
