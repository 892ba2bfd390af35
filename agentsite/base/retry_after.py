"""Read the header `Retry-After` of an HTTP response (RFC 9110, section 10.2.3)."""

import re
from datetime import datetime
from email.utils import parsedate_to_datetime


def seconds_to_wait(text: str, now: datetime) -> float | None:
    """Return the number of seconds to wait according to the text of a `Retry-After` header, which is a number or a
    date; None if the text is neither."""
    if (seconds := number_of(text)) is not None:
        return seconds
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def number_of(text: str) -> float | None:
    """Parse a text as a number that is not negative; None if the text is anything else."""
    return float(text) if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text) else None
