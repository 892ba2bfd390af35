"""Sign deliveries with the scheme of standardwebhooks.com, for which most languages have a library.

`id.timestamp.body` is signed with HMAC-SHA256; the key is the base64 text after `whsec_`. A delivery has one signature
for each valid secret, so that receivers can change to a new secret.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_webhook_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signed_headers(valid: Iterable[str], *, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    signatures = [_signature(secret, f"{event_id}.{timestamp}.".encode() + body) for secret in valid]
    return {
        "Webhook-Id": event_id,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
