"""SHA-256 digests.

Loading OpenSSL costs every runner half a MiB of memory, so `hashlib` is imported only when something large is hashed.
Small contents are hashed by the interpreter's built-in implementation.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash
    from io import FileIO

try:
    from _sha256 import sha256 as _built_in_sha256  # type: ignore[import-not-found]
except ImportError:  # this Python has the module under another name
    from hashlib import sha256 as _built_in_sha256


def sha256(content: bytes = b"") -> _Hash:
    """Return a hash object, for content that may be large."""
    import hashlib

    return hashlib.sha256(content)


def small_digest(content: bytes) -> str:
    """Return the SHA-256 of a content of a few kilobytes at most, in hexadecimal."""
    digest: str = _built_in_sha256(content).hexdigest()
    return digest


def file_digest(file: FileIO) -> str:
    """Return the SHA-256 of the rest of a file, from its current position, in hexadecimal."""
    import hashlib

    return hashlib.file_digest(file, "sha256").hexdigest()
