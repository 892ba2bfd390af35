"""Secrets that are shown once and kept as a hash. They are long and random, so one fast hash is enough."""

import hashlib
import secrets
from typing import Final

TOKEN_PREFIX: Final = "ags_"


def new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def new_ticket() -> str:
    return secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
