"""Detect the kind of an uploaded file from its first bytes; its name is not used."""

from typing import Final, Literal

Kind = Literal["zip", "tar", "bundle"]
"""The kinds of files that can be uploaded. `tar` includes tar files that are compressed with gzip, bzip2 or xz."""

SNIFFED_BYTES: Final = 512
ACCEPTED: Final = "a zip file, a tar file (also .tar.gz, .tar.bz2 or .tar.xz) or a git bundle"
_BEGINNINGS: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"# v2 git bundle\n", "bundle"),
    (b"# v3 git bundle\n", "bundle"),
    (b"\x1f\x8b", "tar"),
    (b"BZh", "tar"),
    (b"\xfd7zXZ\x00", "tar"),
)


def kind_of(beginning: bytes) -> Kind | None:
    """Return the kind of a file that begins with these bytes; None if it cannot be uploaded."""
    for mark, kind in _BEGINNINGS:
        if beginning.startswith(mark):
            return kind
    return "tar" if beginning[257:262] == b"ustar" else None
