"""Second factors at rest: sealed with a key derived from SECRET_KEY, opened with those of SECRET_KEY_FALLBACKS too."""

import base64
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

_PURPOSE: Final = b"agentsite second factors"


def seal_secret(text: str) -> str:
    return _keys().encrypt(text.encode()).decode("ascii")


def open_secret(sealed: str) -> str:
    """Raises ValueError for what none of the site's keys has sealed."""
    try:
        return _keys().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise ValueError("none of the site's secret keys opens this") from None


def is_sealed_for_newest(sealed: str) -> bool:
    try:
        Fernet(_derive(settings.SECRET_KEY)).decrypt(sealed.encode())
    except InvalidToken:
        return False
    return True


def seal_again(sealed: str) -> str:
    """The same secret under the newest key. Raises ValueError for what none of the site's keys has sealed."""
    open_secret(sealed)
    return _keys().rotate(sealed.encode()).decode("ascii")


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(_derive(key)) for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _derive(secret_key: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(secret_key.encode())
    return base64.urlsafe_b64encode(derived)
