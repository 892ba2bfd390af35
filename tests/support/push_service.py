"""A push service for browsers, and the receiving side of one browser, which can decrypt its notices."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sessions_app.push.encryption import CURVE, base64url, public_of, read_base64url
from tests.support.receiver import Receiver, answering


@dataclass
class ReceivingBrowser:
    """The keys of a browser, and its address at the push service."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    def subscription(self) -> dict[str, str]:
        """Return the subscription that the page sends to the site."""
        return {"endpoint": self.endpoint, "p256dh": public_of(self.key), "auth": base64url(self.auth)}

    def read(self, body: bytes) -> dict[str, Any]:
        """Decrypt a notice, as the browser does by RFC 8291 and RFC 8188."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= size, "one record"
        own = read_base64url(public_of(self.key))
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        secret = derived(shared, self.auth, b"WebPush: info\0" + own + sender, 32)
        key = derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derived(secret, salt, b"Content-Encoding: nonce\0", 12)
        padded = AESGCM(key).decrypt(nonce, record, None)
        text = padded.rstrip(b"\0")
        assert text.endswith(b"\x02"), "the last record"
        read: dict[str, Any] = json.loads(text[:-1])
        return read


def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


class PushService(Receiver):
    """A push service on this machine that accepts every notice. `browser` returns a receiving browser at this
    service."""

    def __init__(self) -> None:
        super().__init__(answering(201))

    @property
    def notices(self) -> list[tuple[str, dict[str, str], bytes]]:
        """Return the path, headers and body of each received notice."""
        return [(path, *got) for path, got in zip(self.paths, self.got, strict=False)]

    def browser(self, name: str = "one") -> ReceivingBrowser:
        return ReceivingBrowser(f"http://{self.place}/push/{name}")
