"""Key pairs of ssh (ed25519): making them, their fingerprints, and the signatures that git checks. Pure functions."""

import base64
import hashlib
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
)

NAMESPACE: Final = b"git"
HASH: Final = b"sha512"
LINE: Final = 70  # characters


class BadKey(ValueError):
    """The text is not a private key of the kind that the site makes."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key pair: the public line that people register, and the private key in OpenSSH's format."""

    public: str
    private: str


@dataclass(frozen=True, slots=True)
class SshLogin:
    """A key for a server. `host_key` is the server's public key; if `is_test` is set, an empty `host_key` accepts any
    host key."""

    private_key: str = field(repr=False)
    host_key: str = ""
    is_test: bool = False


def new_key(comment: str) -> NewKey:
    """Make a key pair. The comment must have no spaces."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()).decode()
    return NewKey(f"{public_line(key)} {comment}", private)


def load_key(text: str) -> Ed25519PrivateKey:
    """Parse a private key. Raises BadKey."""
    try:
        key = load_ssh_private_key(text.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadKey("This is not a private key.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadKey("This is not an ed25519 key.")
    return key


def public_line(key: Ed25519PrivateKey) -> str:
    """Return the public key in the format of `authorized_keys`, without a comment."""
    return key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def fingerprint(line: str) -> str:
    """Return the fingerprint of a public key as ssh shows it; "" if the text is not a public key."""
    try:
        blob = base64.b64decode(line.split()[1], validate=True)
    except (IndexError, ValueError):
        return ""
    return f"SHA256:{base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip('=')}"


def ssh_signature(key: Ed25519PrivateKey, payload: bytes) -> bytes:
    """Return the signature of a commit or a tag, in the format of `ssh-keygen -Y sign -n git` (PROTOCOL.sshsig)."""
    digest = hashlib.sha512(payload).digest()
    signed = b"SSHSIG" + b"".join(map(_string, (NAMESPACE, b"", HASH, digest)))
    signature = _string(b"ssh-ed25519") + _string(key.sign(signed))
    public = base64.b64decode(public_line(key).split()[1])
    parts = (public, NAMESPACE, b"", HASH, signature)
    blob = b"SSHSIG" + (1).to_bytes(4, "big") + b"".join(map(_string, parts))
    text = base64.b64encode(blob).decode()
    lines = [text[at : at + LINE] for at in range(0, len(text), LINE)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""]).encode()


def _string(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value
