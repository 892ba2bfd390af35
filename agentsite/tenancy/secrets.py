"""Random secrets; the database stores only their hashes. The secrets are long, so one fast hash (SHA-256) is enough.

An API token is `ags_`, 40 random characters of 0-9A-Za-z, and their CRC-32 as 6 characters of the same alphabet. The
checksum lets secret scanners verify offline that a match is a token.
"""

import hashlib
import secrets
import zlib
from typing import Final

TOKEN_PREFIX: Final = "ags_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARS: Final = 40
_CHECKSUM_CHARS: Final = 6


def new_token() -> str:
    body = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    return f"{TOKEN_PREFIX}{body}{_checksum(body)}"


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(_CHECKSUM_CHARS):
        number, rest = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[rest] + digits
    return digits


def new_ticket() -> str:
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
