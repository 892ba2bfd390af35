"""Packs store many contents in one file. Stored contents can be found, stay while they are needed, and are never
incomplete."""

import hashlib
import os
from pathlib import Path

import pytest

from sandbox.runner.contents import LEAST_PACKED, Contents

MANY = [f"{number}\n".encode() * 3 for number in range(LEAST_PACKED + 200)]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(folder: Path, contents: list[bytes]) -> Contents:
    made = Contents(str(folder / "blobs"))
    with made.packing() as pack:
        assert all(made.store(digest(each), each, pack) for each in contents)
    return made


def files_below(folder: Path) -> int:
    return sum(len(files) for _, _, files in os.walk(folder))


def test_many_contents_take_two_files_and_are_found_by_this_process_and_the_next(tmp_path: Path) -> None:
    first = packed(tmp_path, [*MANY, *MANY])
    assert files_below(tmp_path) == 2
    for contents in (first, Contents(str(tmp_path / "blobs"))):
        assert all(contents.read(digest(each)) == each for each in MANY)
        assert contents.find(digest(b"other")) is None
        assert contents.store(digest(MANY[5]), MANY[5])
    assert files_below(tmp_path) == 2


def test_few_contents_get_files_of_their_own(tmp_path: Path) -> None:
    contents = packed(tmp_path, MANY[:3])
    assert files_below(tmp_path / "blobs-packs") == 0
    assert [contents.read(digest(each)) for each in MANY[:3]] == MANY[:3]


@pytest.mark.parametrize(("kept", "left"), [(0, 0), (100, 2), (1_000, 2)])
def test_a_pack_is_written_anew_when_less_than_half_of_it_is_wanted(kept: int, left: int, tmp_path: Path) -> None:
    contents = packed(tmp_path, MANY)
    size = sum(file.stat().st_size for file in (tmp_path / "blobs-packs").iterdir())
    contents.delete_all_but({digest(each) for each in MANY[:kept]})
    found = list((tmp_path / "blobs-packs").iterdir())
    assert len(found) == left
    assert (sum(file.stat().st_size for file in found) < size / 2) == (kept < LEAST_PACKED)
    assert all(contents.read(digest(each)) == each for each in MANY[:kept])
    assert (contents.find(digest(MANY[-1])) is None) == (kept < LEAST_PACKED)


def test_what_fails_or_is_killed_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    contents = Contents(str(tmp_path / "blobs"))

    def fail() -> None:
        with contents.packing() as pack:
            contents.store(digest(MANY[0]), MANY[0], pack)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    folder = tmp_path / "blobs-packs"
    assert files_below(folder) == 0
    for name in ("a.unfinished", "b.pack", "b.index.unfinished"):
        (folder / name).write_bytes(b"half")
    again = Contents(str(tmp_path / "blobs"))
    assert (files_below(folder), again.find(digest(MANY[0]))) == (0, None)
