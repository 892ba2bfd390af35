"""Key pairs of libsodium's sealed boxes: every process can encrypt, but only processes with the private key can
decrypt."""

from dataclasses import dataclass
from typing import Final

from django.conf import settings
from nacl.encoding import URLSafeBase64Encoder
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from agentsite.base.error_codes import ErrorCode
from agentsite.base.errors import Unavailable

_MARK: Final = "sealed1:"
_ENCODING: Final = URLSafeBase64Encoder


class CannotUnseal(Exception):
    """No private key of this process can decrypt the text. The message does not contain the text."""


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A kind of key pair. Two settings hold its public key and its private keys, the newest first.

    To rotate the keys, add a new pair with its private key in front, run `manage.py reseal_secrets`, and then remove
    the old private key. Each key is 32 bytes in base64.
    """

    public_setting: str
    private_setting: str

    def seal(self, text: str) -> str:
        """Encrypt a text. Raises Unavailable on a site without the public key, because secrets are never stored in
        clear."""
        public = getattr(settings, self.public_setting)
        if not public:
            raise Unavailable(
                "This site has no key to encrypt secrets with.",
                code=ErrorCode.NO_SEALING_KEY,
                hint=f"Ask an operator to set {self.public_setting} (`manage.py make_sealing_keys` creates key pairs).",
            )
        box = SealedBox(PublicKey(public.encode(), _ENCODING))
        return _MARK + box.encrypt(text.encode(), _ENCODING).decode()

    def unseal(self, sealed: str) -> str:
        """Decrypt a text that was encrypted by `seal`. Raises CannotUnseal if no key of this process can decrypt it."""
        for key in getattr(settings, self.private_setting):
            text = _open(sealed, key)
            if text is not None:
                return text
        raise CannotUnseal("This text was encrypted for a key that this process does not have.")

    def is_sealed_for_newest(self, sealed: str) -> bool:
        private_keys = getattr(settings, self.private_setting)
        return bool(private_keys) and _open(sealed, private_keys[0]) is not None


def make_pair() -> tuple[str, str]:
    """Return a new pair of keys for encryption: the private key and the public key."""
    private = PrivateKey.generate()
    return private.encode(_ENCODING).decode(), public_of(private.encode(_ENCODING).decode())


def public_of(private_key: str) -> str:
    """Return the public key of a private key. Raises ValueError for an invalid key."""
    try:
        public: bytes = PrivateKey(private_key.encode(), _ENCODING).public_key.encode(_ENCODING)
    except (CryptoError, ValueError, TypeError):
        raise ValueError("This is not a valid private key.") from None
    return public.decode()


def _open(sealed: str, private_key: str) -> str | None:
    if not sealed.startswith(_MARK):
        return None
    try:
        box = SealedBox(PrivateKey(private_key.encode(), _ENCODING))
        return box.decrypt(sealed.removeprefix(_MARK).encode(), _ENCODING).decode()
    except (CryptoError, ValueError, TypeError):
        return None
