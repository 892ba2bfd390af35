"""WebOrder: the fields of every request to a guarded web process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class WebOrder:
    """One request that a guarded process is to make. Subclasses add the fields of one kind of request."""

    url: str
    seconds: float = field(kw_only=True)
    """Time limit for the network."""
    allowed: Sequence[str] = field(default=(), kw_only=True)
    """Hosts that the site exempts from the rules for addresses, each as `host:port`."""
    certificates: str = field(default="", kw_only=True)
    """Path of a file with further certificate authorities to trust; empty: only the usual ones."""

    def as_message(self) -> dict[str, Any]:
        """Return the fields of the request as JSON values."""
        return {
            "url": self.url,
            "seconds": self.seconds,
            "allowed": list(self.allowed),
            "certificates": self.certificates,
        }
