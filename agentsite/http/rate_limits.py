"""How many requests a token, a person and a team may make. Counted in Valkey, for all web servers together.

The limits keep one program's mistake from being everybody's: they are no wall, so an outage of Valkey does not close
the site. While it is away each web server counts for itself, and looks for Valkey again every few seconds.
"""

import math
import time
from dataclasses import dataclass
from functools import cache
from typing import Final

import structlog
from django.conf import settings
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import RateLimiter, SlidingWindowCounterRateLimiter

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import TooMany

AWAY: Final = 5.0  # seconds in which Valkey is not asked again after it did not answer
_PATIENCE: Final = 0.5  # seconds
logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Count:
    """Where one counter is. `reset` is in seconds."""

    limit: int
    remaining: int
    reset: int
    over: bool

    def headers(self) -> dict[str, str]:
        told = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }
        return told | {"Retry-After": str(self.reset)} if self.over else told


class Counters:
    """In Valkey, or in this process while Valkey is away."""

    def __init__(self, url: str) -> None:
        storage = RedisStorage(url, wrap_exceptions=True, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._away_until = 0.0

    def count(self, item: RateLimitItem, key: str) -> Count:
        if time.monotonic() >= self._away_until:
            try:
                return _count(self._shared, item, key)
            except StorageError as error:
                self._away_until = time.monotonic() + AWAY
                logger.warning("rate_limits_counted_here", error=repr(error))
        return _count(self._own, item, key)


def _count(limiter: RateLimiter, item: RateLimitItem, key: str) -> Count:
    passed = limiter.hit(item, key)
    stats = limiter.get_window_stats(item, key)
    reset = max(math.ceil(stats.reset_time - time.time()), 1)
    return Count(item.amount, max(stats.remaining, 0), reset, over=not passed)


def count_request(keys: dict[str, str]) -> dict[str, str]:
    """Count the request for each kind of counter ("token", "person", "team") under its key. The headers that tell of
    the one that is nearest to its end; raises RateExceeded, with such headers, when one is used up."""
    counts = {kind: counters().count(item, f"{kind}:{key}") for kind, key in keys.items() if (item := _limit(kind))}
    if not counts:
        return {}
    kind, nearest = min(counts.items(), key=lambda pair: (not pair[1].over, pair[1].remaining / pair[1].limit))
    if nearest.over:
        raise RateExceeded(kind, nearest)
    return nearest.headers()


class RateExceeded(TooMany):
    """`headers` say when to come again."""

    code = ErrorCode.RATE_LIMITED

    def __init__(self, kind: str, count: Count) -> None:
        super().__init__(
            f"This {kind} has made {count.limit} requests within its time.",
            hint=f"Send the next one in {max(count.reset, 1)} s. Events come by themselves over a socket or a stream.",
        )
        self.headers = count.headers()


def _limit(kind: str) -> RateLimitItem | None:
    words: str = settings.RATE_LIMITS[kind]
    return parse(words) if words else None


@cache
def counters() -> Counters:
    return Counters(_address(settings.REDIS_URL))


def _address(url: str) -> str:
    return url.replace("unix://", "redis+unix://", 1) if url.startswith("unix://") else url
