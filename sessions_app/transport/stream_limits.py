"""How many streams are open at once for each address, in this web server: each costs memory and looks at the database
every two seconds, and who reads with a link need not be anybody of ours."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from agentsite.base.errors import TooMany


class TooManyStreams(TooMany):
    code = "too_many_streams"


class OpenStreams:
    def __init__(self, most: int) -> None:
        self.most = most
        self._open: Counter[str] = Counter()

    def require_room(self, address: str) -> None:
        if self._open[address] >= self.most:
            raise TooManyStreams(
                f"{self.most} streams are open from your address.", hint="Close some of these pages, then try again."
            )

    @contextmanager
    def one_more(self, address: str) -> Iterator[None]:
        """Raises TooManyStreams."""
        self.require_room(address)
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]
