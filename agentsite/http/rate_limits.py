"""Rate limits for API tokens, people and teams, counted in Valkey for all web servers together.

The limits protect the site from faulty programs, not from attackers. Therefore an outage of Valkey does not block
requests: meanwhile each web server counts for itself, and tries Valkey again every few seconds.
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

VALKEY_RETRY_AFTER: Final = 5.0  # seconds without a new try after Valkey did not answer
_VALKEY_TIMEOUT: Final = 0.5  # seconds
logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CounterState:
    """The state of one counter. `reset` is in seconds from now; `over` is true if this request exceeded the limit."""

    limit: int
    remaining: int
    reset: int
    over: bool

    def headers(self) -> dict[str, str]:
        headers = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }
        return headers | {"Retry-After": str(self.reset)} if self.over else headers


class Counters:
    """Counters of requests in Valkey, or in this process while Valkey cannot be reached."""

    def __init__(self, url: str) -> None:
        storage = RedisStorage(
            url, wrap_exceptions=True, socket_timeout=_VALKEY_TIMEOUT, socket_connect_timeout=_VALKEY_TIMEOUT
        )
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._local = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._down_until = 0.0

    def count(self, item: RateLimitItem, key: str) -> CounterState:
        if time.monotonic() >= self._down_until:
            try:
                return _count(self._shared, item, key)
            except StorageError as error:
                self._down_until = time.monotonic() + VALKEY_RETRY_AFTER
                logger.warning("rate_limits_counted_here", error=repr(error))
        return _count(self._local, item, key)


def _count(limiter: RateLimiter, item: RateLimitItem, key: str) -> CounterState:
    passed = limiter.hit(item, key)
    stats = limiter.get_window_stats(item, key)
    reset = max(math.ceil(stats.reset_time - time.time()), 1)
    return CounterState(item.amount, max(stats.remaining, 0), reset, over=not passed)


def count_request(keys: dict[str, str]) -> dict[str, str]:
    """Increment the counters of a request. `keys` maps each kind ("token", "person", "team") to the key of its counter.

    Returns the headers of the counter with the smallest share left. Raises RateExceeded if a counter is used up.
    """
    counts = {kind: counters().count(item, f"{kind}:{key}") for kind, key in keys.items() if (item := _limit(kind))}
    if not counts:
        return {}
    kind, nearest = min(counts.items(), key=lambda pair: (not pair[1].over, pair[1].remaining / pair[1].limit))
    if nearest.over:
        raise RateExceeded(kind, nearest)
    return nearest.headers()


class RateExceeded(TooMany):
    """The error of a request over a rate limit. `headers` contains Retry-After and the state of the exceeded
    counter."""

    code = ErrorCode.RATE_LIMITED

    def __init__(self, kind: str, count: CounterState) -> None:
        super().__init__(
            f"This {kind} has used up its rate limit of {count.limit} requests.",
            hint=f"Wait {max(count.reset, 1)} s. To receive changes, use the event stream instead of polling.",
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
