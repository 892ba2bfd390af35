"""Manifests have the same text as manifests of earlier runners, so ids and stored snapshots stay valid."""

import json
import os
from typing import Final

import pytest

from sandbox.runner.digests import small_digest
from sandbox.runner.manifests import Recorded, compress, decompress, from_text, recorded_in, to_text

NAMES: Final = ["a", "src/b.py", 'quote".txt', "tab\t", "brackets],:[", "back\\slash", "é", "漢字", "\U0001f600", "}"]
NO_TEXT: Final = [b"\xff" * 300, b"in/\xe9t\xe9"]


def entry(name: str) -> Recorded:
    return Recorded(0o100644, len(name), small_digest(os.fsencode(name)), len(name) % 2 == 0)


def test_the_text_is_sorted_json_of_paths_and_what_is_recorded() -> None:
    manifest = {os.fsencode(name): b"what a cache puts before it" + entry(name).packed() for name in NAMES}

    text = b"".join(to_text(manifest))

    assert text == json.dumps({name: entry(name) for name in NAMES}, sort_keys=True, separators=(",", ":")).encode()


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
@pytest.mark.parametrize("count", [0, 1, 600])
def test_what_was_written_is_read_however_it_is_cut(size: int, count: int) -> None:
    names = [*map(os.fsencode, NAMES), *NO_TEXT, *(b"many/%d" % number for number in range(count))] if count else []
    manifest = {name: entry(os.fsdecode(name)).packed() for name in names}
    text = b"".join(decompress(b"".join(compress(to_text(manifest)))))

    found = dict(from_text(text[start : start + size] for start in range(0, len(text), size)))

    assert found == manifest
    assert all(recorded_in(found[name]) == entry(os.fsdecode(name)) for name in names)


@pytest.mark.parametrize("text", [b"", b"{", b'{"a":[1,2,"ff",true]}', b'{"a":[33188,1,"' + b"0" * 64 + b'",true]'])
def test_a_damaged_text_is_not_taken_for_an_empty_one(text: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        list(from_text([text]))
