"""The connections to the cache."""

from functools import cache
from typing import Any

from redis import ConnectionPool


class SharedPool:
    """Creates the connection pool of Django's cache once for each process.

    Django creates a cache object for each request, whose own pool would open a connection for each request.
    """

    @staticmethod
    @cache
    def from_url(url: str, **options: Any) -> ConnectionPool:
        return ConnectionPool.from_url(url, **options)
