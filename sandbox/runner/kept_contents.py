"""Carry in archives what undo needs, so that it survives the loss of a node and comes with a fork.

The last entries of such an archive are `undo/changes/<call id>`, the record of a call, and `undo/contents/<hash>`,
compressed as it is stored. The newest records come first, and there is a limit. An archive is untrusted: a content is
kept only if it has the hash that its name says.
"""

import json
import zlib
from collections.abc import Iterator
from typing import Final

from . import tar
from .contents import Contents
from .digests import sha256
from .errors import Refusal
from .frames import to_json
from .records import Records, hashes_in

FOLDER: Final = "undo/"
CHANGES: Final = FOLDER + "changes/"
CONTENTS: Final = FOLDER + "contents/"
MAX_BYTES: Final = 64 << 20  # of all entries in an archive
MAX_ENTRY_BYTES: Final = 4 << 20  # of one entry, and of a content
HASH_CHARACTERS: Final = 64


class KeptContents:
    """Reads and writes the part of archives that undo needs."""

    def __init__(self, contents: Contents, records: Records) -> None:
        self._contents = contents
        self._records = records

    def entries(self) -> Iterator[tuple[tar.Entry, bytes]]:
        """Yield entries with their content, those of the newest records first, as far as the limit allows."""
        room, known = MAX_BYTES, set[str]()
        for name, record in self._records.newest():
            pieces = [(CHANGES + name, to_json(record))]
            for digest in set(hashes_in(record)) - known:
                if (stored := self._contents.stored(digest)) is not None:
                    pieces.append((CONTENTS + digest, stored))
                    known.add(digest)
            room -= sum(len(content) for _, content in pieces)
            if room < 0:
                return
            for path, content in pieces:
                yield tar.Entry(path, "file", 0o600, len(content), 0), content

    def take(self, entry: tar.Entry, reader: tar.Reader) -> bool:
        """Store an entry that is being restored. Returns False if it is not valid."""
        if entry.kind != "file" or entry.size > MAX_ENTRY_BYTES:
            return False
        body = b"".join(reader.content())
        if entry.name.startswith(CONTENTS):
            return self._take_content(entry.name.removeprefix(CONTENTS), body)
        return entry.name.startswith(CHANGES) and self._take_record(entry.name.removeprefix(CHANGES), body)

    def _take_content(self, digest: str, stored: bytes) -> bool:
        decompressor = zlib.decompressobj()
        try:
            content = decompressor.decompress(stored, MAX_ENTRY_BYTES)
        except zlib.error:
            return False
        is_whole = decompressor.eof and sha256(content).hexdigest() == digest
        return is_whole and self._contents.store(digest, content)

    def _take_record(self, name: str, body: bytes) -> bool:
        try:
            record = json.loads(body)
            list(hashes_in(record))
            self._records.take(name, record)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, Refusal):
            return False
        return True
