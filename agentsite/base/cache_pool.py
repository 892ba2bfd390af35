"""The connection pool of Django's cache, shared by all threads of a process."""

from functools import cache
from typing import Any

from redis import ConnectionPool


class SharedPool:
    """One connection pool of Django's cache for each process.

    Django creates a cache object for each request. If each had a pool of its own, each request would open a connection.
    """

    @staticmethod
    @cache
    def from_url(url: str, **options: Any) -> ConnectionPool:
        return ConnectionPool.from_url(url, **options)
