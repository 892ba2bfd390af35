"""Secrets that are shown once and kept as a hash. They are long and random, so one fast hash is enough.

A token is `ags_`, 40 random characters of 0-9A-Za-z and 6 more that are their CRC-32 in the same alphabet: whoever
scans code or logs for lost secrets can tell one from a word that only looks like it, without asking anybody.
"""

import hashlib
import re
import secrets
import zlib
from typing import Final

TOKEN_PREFIX: Final = "ags_"
TOKEN_PATTERN: Final = re.compile(r"ags_[0-9A-Za-z]{46}")
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM: Final = 40
_CHECK: Final = 6


def new_token() -> str:
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return f"{TOKEN_PREFIX}{body}{_checksum(body)}"


def is_token(text: str) -> bool:
    """Whether it was made here, as far as its form tells."""
    if TOKEN_PATTERN.fullmatch(text) is None:
        return False
    body, check = text[len(TOKEN_PREFIX) : -_CHECK], text[-_CHECK:]
    return secrets.compare_digest(_checksum(body), check)


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK):
        number, rest = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[rest] + digits
    return digits


def new_ticket() -> str:
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
