"""Identifiers: UUIDv7 (RFC 9562, sortable by time) in the database, `prefix_` and 32 hexadecimal digits in the API."""

import os
import time
import uuid

from agentsite.base.errors import Missing


def new_id(*, after: uuid.UUID | None = None) -> uuid.UUID:
    """Return a new UUIDv7: 48 bits of milliseconds, 12 bits of the fraction of a millisecond, 62 random bits.

    The new id is larger than `after`, even if the clock of this machine is behind. Pass the id of the newest row as
    `after` where rows are ordered by their ids.
    """
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    fraction = rest * 4096 // 1_000_000
    random_bits = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
    value = (milliseconds & ((1 << 48) - 1)) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | random_bits
    if after is not None and value <= after.int:
        value = after.int + 1
    return uuid.UUID(int=value)


def to_public(prefix: str, value: uuid.UUID) -> str:
    return f"{prefix}_{value.hex}"


def from_public(prefix: str, text: str) -> uuid.UUID:
    """Parse a public id. Raises Missing for a malformed id or another prefix, because no object has such an id."""
    head, _, digits = text.partition("_")
    if head != prefix or len(digits) != 32:
        raise Missing(f"There is no '{text[:60]}'.")
    try:
        return uuid.UUID(hex=digits)
    except ValueError as error:
        raise Missing(f"There is no '{text[:60]}'.") from error
