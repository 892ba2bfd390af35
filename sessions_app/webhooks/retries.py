"""Pure functions for the retry schedule of failed deliveries: seconds at first, then growing intervals, for a day."""

from datetime import datetime, timedelta
from typing import Final

FIRST_WAIT: Final = timedelta(seconds=5)
FACTOR: Final = 3
MAX_RETRY_WAIT: Final = timedelta(hours=2)
GIVE_UP_AFTER: Final = timedelta(days=1)
DISABLE_AFTER: Final = timedelta(days=3)
"""A webhook is switched off when its receiver has accepted nothing for this long."""


def next_try(*, attempts: int, since: datetime, now: datetime, spread: float) -> datetime | None:
    """Return the time of the next attempt after `attempts` failures; None to give up, if that would be a day or more
    after `since`. `spread`, from 0 to 1, is jitter."""
    exponent = min(attempts - 1, 20)
    wait = min(FIRST_WAIT * FACTOR**exponent, MAX_RETRY_WAIT) * (0.8 + 0.4 * spread)
    return now + wait if now + wait < since + GIVE_UP_AFTER else None
