"""Limit the number of open streams per IP address in this web server.

Each stream costs memory and one query every two seconds, and readers of share links may be anonymous.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import TooMany


class TooManyStreams(TooMany):
    code = ErrorCode.TOO_MANY_STREAMS


class OpenStreams:
    def __init__(self, most: int) -> None:
        self.most = most
        self._open: Counter[str] = Counter()

    def require_room(self, address: str) -> None:
        if self._open[address] >= self.most:
            raise TooManyStreams(
                f"At most {self.most} streams may be open from your address.", hint="Close some pages, then try again."
            )

    @contextmanager
    def count_open(self, address: str) -> Iterator[None]:
        """Count a stream as open inside the context. Raises TooManyStreams if the address has too many open streams."""
        self.require_room(address)
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
