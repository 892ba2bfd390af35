"""Snapshots in an archive are untrusted, so they are kept only if their content matches their ids."""

import time
import zlib
from pathlib import Path
from typing import Final

import pytest

from sandbox.runner.digests import small_digest
from sandbox.runner.errors import Refusal
from sandbox.runner.manifest_files import ManifestFiles, packed_text
from sandbox.runner.manifests import Recorded

MANIFEST: Final = {b"a": Recorded(0o100644, 1, "0" * 64, stored=True).packed()}
NOW: Final = time.time_ns()


@pytest.fixture
def files(tmp_path: Path) -> ManifestFiles:
    return ManifestFiles(str(tmp_path / "manifests"))


def test_a_snapshot_is_restored_as_old_as_it_was(files: ManifestFiles) -> None:
    kept, _ = files.store({})
    snapshot_id, compressed = packed_text(MANIFEST)

    assert files.restore(snapshot_id, compressed, at_ns=NOW - 10**12)

    assert dict(files.entries(snapshot_id)) == MANIFEST
    assert files.by_age() == [snapshot_id, kept]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}x",
        b'{"a":[1,2]}',
        b'{"a":[4294967296,1,"' + b"0" * 64 + b'",true]}',
        b'{"\\x":[1,1,"' + b"0" * 64 + b'",true]}',
        b'{"' + b"a" * (1 << 20),
    ],
)
def test_what_is_no_manifest_is_not_kept(files: ManifestFiles, text: bytes) -> None:
    assert not files.restore(small_digest(text), zlib.compress(text), at_ns=NOW)
    assert files.by_age() == []


def test_another_hash_and_what_is_not_compressed_are_not_kept(files: ManifestFiles) -> None:
    snapshot_id, compressed = packed_text(MANIFEST)
    assert not files.restore("0" * 64, compressed, at_ns=NOW)
    assert not files.restore("../../x", compressed, at_ns=NOW)
    assert not files.restore(snapshot_id, b"{}", at_ns=NOW)
    assert not files.restore(snapshot_id, zlib.compress(bytes(65 << 20)), at_ns=NOW)
    with pytest.raises(Refusal):
        files.entries("../../x")
