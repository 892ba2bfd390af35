"""Encrypt notices for one browser (RFC 8291), and sign requests to its push service (RFC 8292). Without Django.

The push service sees who gets a notice and when, but not its content. The library `cryptography` does all cryptography;
this module only implements the format. (Libraries for web push are published as source only, so that installing them
would run build tools which no lock file pins.)
"""

import base64
import binascii
import hashlib
import os
import time
from dataclasses import dataclass
from typing import Final, Self

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE: Final = ec.SECP256R1()
PRIVATE_BYTES: Final = 32
AUTH_BYTES: Final = 16
SALT_BYTES: Final = 16
RECORD_BYTES: Final = 4096
LAST_RECORD: Final = b"\x02"  # the delimiter that ends the only record
MAX_MESSAGE_BYTES: Final = 3_000  # push services accept 4,096 bytes encrypted
SIGNED_FOR_SECONDS: Final = 12 * 3600  # at most a day is allowed


@dataclass(frozen=True, slots=True)
class BrowserKeys:
    """The keys of one browser: its public key as an uncompressed point, and the shared secret."""

    public: bytes
    auth: bytes

    @classmethod
    def read(cls, public: str, auth: str) -> Self:
        """Read the public key and the shared secret from base64url. Raises ValueError with the name of the value that
        is not valid."""
        try:
            point = read_base64url(public)
            ec.EllipticCurvePublicKey.from_encoded_point(CURVE, point)
        except ValueError as error:
            raise ValueError("p256dh") from error
        try:
            secret = read_base64url(auth)
        except ValueError as error:
            raise ValueError("auth") from error
        if len(secret) != AUTH_BYTES:
            raise ValueError("auth")
        return cls(point, secret)


def encrypt(
    message: bytes, keys: BrowserKeys, *, sender: ec.EllipticCurvePrivateKey | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a notice for one browser: return the body of the request to its push service. `sender` and `salt` are new
    for each message unless a test gives them."""
    if len(message) > MAX_MESSAGE_BYTES:
        raise ValueError(f"A notice has at most {MAX_MESSAGE_BYTES} bytes.")
    sender, salt = sender or ec.generate_private_key(CURVE), salt or os.urandom(SALT_BYTES)
    own = point_of(sender.public_key())
    shared = sender.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, keys.public))
    secret = _derive(shared, keys.auth, b"WebPush: info\0" + keys.public + own, 32)
    key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(own)]) + own
    return header + AESGCM(key).encrypt(nonce, message + LAST_RECORD, None)


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


def authorization(origin: str, key: ec.EllipticCurvePrivateKey, *, contact: str) -> str:
    """Return the header with which the site identifies itself at the push service at `origin`. `contact` is an https or
    mailto address of the site's operator."""
    claims = {"aud": origin, "exp": int(time.time()) + SIGNED_FOR_SECONDS, "sub": contact}
    return f"vapid t={jwt.encode(claims, key, algorithm='ES256')}, k={public_of(key)}"


def topic_of(text: str) -> str:
    """Return a value for the HTTP header `Topic`, derived from a text: 32 base64url characters that do not reveal the
    text."""
    return base64url(hashlib.sha256(text.encode()).digest()[:24])


def read_private(text: str) -> ec.EllipticCurvePrivateKey:
    """Read a private key: 32 bytes in base64url, the form in which all tools for web push write it. Raises
    ValueError."""
    number = read_base64url(text)
    if len(number) != PRIVATE_BYTES:
        raise ValueError(f"A VAPID private key has {PRIVATE_BYTES} bytes.")
    return ec.derive_private_key(int.from_bytes(number, "big"), CURVE)


def public_of(key: ec.EllipticCurvePrivateKey) -> str:
    return base64url(point_of(key.public_key()))


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return a public key as an uncompressed point of 65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_base64url(text: str) -> bytes:
    """Decode base64url, with or without padding. Raises ValueError."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError("This is not base64url.") from error
