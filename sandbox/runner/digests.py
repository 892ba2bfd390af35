"""SHA-256. OpenSSL takes half a MiB of every runner that has it, so it is loaded when a file is to be hashed, and what
is small is left to the interpreter's own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hashlib import _Hash
    from io import FileIO

try:
    from _sha256 import sha256 as _own  # type: ignore[import-not-found]
except ImportError:  # a Python that has it elsewhere
    from hashlib import sha256 as _own


def sha256(content: bytes = b"") -> _Hash:
    """For what may be large."""
    import hashlib

    return hashlib.sha256(content)


def small_digest(content: bytes) -> str:
    """In hex; some kilobytes at most."""
    digest: str = _own(content).hexdigest()
    return digest


def file_digest(file: FileIO) -> str:
    """In hex, from where the file stands to its end."""
    import hashlib

    return hashlib.file_digest(file, "sha256").hexdigest()
