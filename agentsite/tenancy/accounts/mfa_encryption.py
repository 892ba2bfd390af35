"""Encryption of stored MFA secrets with a key derived from SECRET_KEY.

Secrets that were encrypted with keys derived from SECRET_KEY_FALLBACKS can still be decrypted.
"""

import base64
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE: Final = b"agentsite second factors"


def encrypt_secret(text: str) -> str:
    return _keys().encrypt(text.encode()).decode("ascii")


def decrypt_secret(encrypted: str) -> str:
    """Decrypt a stored MFA secret. Raises ValueError if no key of the site can decrypt it."""
    try:
        return _keys().decrypt(encrypted.encode()).decode()
    except InvalidToken:
        raise ValueError("none of the site's secret keys can decrypt this") from None


def is_encrypted_with_newest(encrypted: str) -> bool:
    try:
        Fernet(_derive(settings.SECRET_KEY)).decrypt(encrypted.encode())
    except InvalidToken:
        return False
    return True


def reencrypt_secret(encrypted: str) -> str:
    """Encrypt a stored MFA secret again with the newest key. Raises ValueError if no key of the site can decrypt it."""
    decrypt_secret(encrypted)
    return _keys().rotate(encrypted.encode()).decode("ascii")


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(_derive(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _derive(secret_key: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(secret_key.encode())
    return base64.urlsafe_b64encode(derived)
