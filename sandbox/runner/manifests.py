"""Manifests: the data of a snapshot about each file, compactly in memory and as JSON on disk.

A workspace may have 100,000 files, so each takes only a name and one short bytes object in memory. A manifest is
written and read in pieces, because its text may be many times as long: JSON escapes each byte that is not text.
"""

import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

PACKED: Final = struct.Struct("<IQ32s?")
BATCH: Final = 256  # files converted to JSON at once
MAX_ENTRY_TEXT: Final = 1 << 16  # bytes of an entry: a path has 4,096 bytes, and JSON writes one with six characters
PIECE_BYTES: Final = 1 << 16  # of text, decompressed at once
ENTRY: Final = re.compile(rb'[{,]"([^"\\]*(?:\\.[^"\\]*)*)":\[(\d+),(\d+),"([0-9a-f]{64})",(true|false)\]')
END: Final = (b"}", b"{}")  # what is left of a manifest's text after the last entry


class Recorded(NamedTuple):
    """A file's data in a snapshot: mode, size and hash.

    `stored`: the content is stored, not only its hash. The content of a symbolic link is its target.
    """

    mode: int
    size: int
    sha256: str
    stored: bool

    def packed(self) -> bytes:
        return PACKED.pack(self.mode, self.size, bytes.fromhex(self.sha256), self.stored)


Manifest = Mapping[bytes, bytes]
"""Maps each path to a packed `Recorded`, before which there may be more bytes."""


def packed_part(entry: bytes) -> bytes:
    """Return the last part of a file's entry in a manifest: the packed `Recorded`."""
    return entry[-PACKED.size :]


def recorded_in(entry: bytes) -> Recorded:
    """Unpack the `Recorded` of a file from its entry in a manifest."""
    mode, size, digest, stored = PACKED.unpack(packed_part(entry))
    return Recorded(mode, size, digest.hex(), stored)


def git_mode(mode: int) -> str:
    """Return a file's mode as git writes it, for a link, a program or any other file."""
    if stat.S_ISLNK(mode):
        return "120000"
    return "100755" if mode & 0o111 else "100644"


def to_text(manifest: Manifest) -> Iterator[bytes]:
    """Yield the manifest's text in pieces: a JSON object of paths with [mode, size, hash, stored], sorted by path."""
    paths = sorted(manifest)
    separator = b"{"
    for start in range(0, len(paths), BATCH):
        batch = {os.fsdecode(path): recorded_in(manifest[path]) for path in paths[start : start + BATCH]}
        yield separator + json.dumps(batch, separators=(",", ":")).encode("ascii")[1:-1]
        separator = b","
    yield b"}" if paths else b"{}"


def from_text(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield each path of a manifest's text with its packed `Recorded`. Raises ValueError if the text is damaged."""
    text = b""
    for piece in pieces:
        text, position = text + piece, 0
        while found := ENTRY.match(text, position):
            position = found.end()
            yield _path(found[1]), _packed(found)
        text = text[position:]
        if len(text) > MAX_ENTRY_TEXT:
            break
    if text not in END:
        raise ValueError("A snapshot's manifest is damaged.")


def compress(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress the pieces of a manifest's text, and yield the compressed data."""
    compressor = zlib.compressobj(1)
    for piece in pieces:
        yield compressor.compress(piece)
    yield compressor.flush()


def decompress(compressed: bytes) -> Iterator[bytes]:
    """Decompress a text, and yield it in pieces of at most `PIECE_BYTES`."""
    decompressor = zlib.decompressobj()
    while not decompressor.eof and compressed:
        yield decompressor.decompress(compressed, PIECE_BYTES)
        compressed = decompressor.unconsumed_tail


def _path(escaped: bytes) -> bytes:
    return os.fsencode(json.loads(b'"' + escaped + b'"')) if b"\\" in escaped else escaped


def _packed(found: "re.Match[bytes]") -> bytes:
    return PACKED.pack(int(found[2]), int(found[3]), bytes.fromhex(found[4].decode("ascii")), found[5] == b"true")
