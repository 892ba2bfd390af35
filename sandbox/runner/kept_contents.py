"""Store the data for undo in archives, so that it survives the loss of a node and is part of a fork.

The last entries of such an archive are `undo/changes/<call id>`, the record of a call; `undo/snapshots/<id>`, a
snapshot that the changes of a session are compared with; and `undo/contents/<hash>`, a content in its stored,
compressed form. The newest records and snapshots come first, and their size is limited. An archive is untrusted: a
content or a snapshot is kept only if it has the hash that its name says.
"""

import json
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from . import tar
from .digests import sha256
from .errors import Refusal
from .frames import to_json
from .records import Records, hashes_in
from .snapshots import Snapshots

FOLDER: Final = "undo/"
CHANGES: Final = FOLDER + "changes/"
SNAPSHOTS: Final = FOLDER + "snapshots/"
CONTENTS: Final = FOLDER + "contents/"
RECORDS_BYTES: Final = 64 << 20  # of all records in an archive, with their contents
SNAPSHOTS_BYTES: Final = 16 << 20  # of all snapshots in an archive, with their contents
SNAPSHOTS_CARRIED: Final = 10  # the newest ones: each is the beginning of a session
MAX_BYTES: Final = RECORDS_BYTES + SNAPSHOTS_BYTES
MAX_ENTRY_BYTES: Final = 4 << 20  # of one record, and of a content
STEP_NS: Final = 1_000
"""Nanoseconds between the times of restored records and snapshots, which keep their order."""


class KeptContents:
    """The data for undo in an archive: records of changes, snapshots, and the contents that they refer to."""

    def __init__(self, snapshots: Snapshots, records: Records) -> None:
        self._snapshots = snapshots
        self._contents = snapshots.contents
        self._records = records
        self._restored_ns = 0

    def entries(self) -> Iterator[tuple[tar.Entry, bytes]]:
        """Yield the archive entries for undo, with their content.

        The newest records and snapshots come first. Those that would exceed the size limits are left out.
        """
        known = set[str]()
        yield from self._with_contents(self._records_with_hashes(), known, RECORDS_BYTES)
        yield from self._with_contents(self._snapshots_with_hashes(), known, SNAPSHOTS_BYTES)

    def _records_with_hashes(self) -> Iterator[tuple[str, bytes, Iterable[str]]]:
        for name, record in self._records.newest():
            yield CHANGES + name, to_json(record), hashes_in(record)

    def _snapshots_with_hashes(self) -> Iterator[tuple[str, bytes, Iterable[str]]]:
        """Yield the name, the manifest and the content hashes of the current state and of each newest snapshot.
        Contents of the current files are left out, because they are stored again when the archive is restored."""
        for snapshot_id, manifest, hashes in self._snapshots.newest(SNAPSHOTS_CARRIED):
            yield SNAPSHOTS + snapshot_id, manifest, hashes

    def _with_contents(
        self, found: Iterable[tuple[str, bytes, Iterable[str]]], known: set[str], room: int
    ) -> Iterator[tuple[tar.Entry, bytes]]:
        """Yield each record or snapshot in `found`, followed by the contents that it refers to.

        Contents in `known` are left out. Stops at the first entry that exceeds the limit of `room` bytes.
        """
        for name, body, hashes in found:
            pieces = [(name, body)]
            for digest in set(hashes) - known:
                if (stored := self._contents.stored(digest)) is not None:
                    pieces.append((CONTENTS + digest, stored))
                    known.add(digest)
            room -= sum(len(content) for _, content in pieces)
            if room < 0:
                return
            for path, content in pieces:
                yield tar.Entry(path, "file", 0o600, len(content), 0), content

    def take(self, entry: tar.Entry, reader: tar.Reader) -> bool:
        """Store an entry of an archive that is being restored. Returns False if the entry is not valid."""
        is_snapshot = entry.name.startswith(SNAPSHOTS)
        if entry.kind != "file" or entry.size > (SNAPSHOTS_BYTES if is_snapshot else MAX_ENTRY_BYTES):
            return False
        body = b"".join(reader.content())
        if entry.name.startswith(CONTENTS):
            return self._take_content(entry.name.removeprefix(CONTENTS), body)
        self._restored_ns = (self._restored_ns or time.time_ns()) - STEP_NS
        if is_snapshot:
            return self._snapshots.manifests.restore(entry.name.removeprefix(SNAPSHOTS), body, at_ns=self._restored_ns)
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
            self._records.take(name, record, at_ns=self._restored_ns)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, Refusal):
            return False
        return True
