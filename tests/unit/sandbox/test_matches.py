"""ripgrep's output is parsed for all file names. A match is shown only if the file really contains the line, when it is
opened again inside the searched directory."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.runner.matches import Match, parse_matches, verified_matches


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "in").mkdir()
    fd = os.open(tmp_path / "in", os.O_RDONLY | os.O_DIRECTORY)
    yield fd
    os.close(fd)


def found(path: str, text: bytes, *, position: int = 0) -> Match:
    return Match(path, 1, position, text)


@pytest.mark.parametrize("name", ["a", "a b", "a\nb", "a\n./b", "a:1:0:b", "1:2:3\n4:5:6", "\x1b[2J", "caf\udce9"])
def test_any_name_is_read_back(name: str) -> None:
    record = b"./" + os.fsencode(name) + b"\0" + b"7:30:needle: in a haystack\n"

    assert list(parse_matches(record + record)) == [Match(name, 7, 30, b"needle: in a haystack")] * 2


@pytest.mark.parametrize(
    "notice",
    [
        b'./bin: binary file matches (found "\\0" byte around offset 5)\n',
        b'./bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 200013)\n',
    ],
)
def test_what_ripgrep_says_about_binary_files_is_no_name(notice: bytes) -> None:
    output = b"./a\x001:0:x\n" + notice + b"./b\nc\x002:5:y\n" + notice

    assert [match.path for match in parse_matches(output)] == ["a", "b\nc"]


def test_a_record_that_was_cut_off_is_left_out() -> None:
    assert [match.line for match in parse_matches(b"./a\x001:0:x\n./a\x002:2:y")] == [1]


@pytest.mark.parametrize("output", [b"", b"rg: error\n", b"\0\0\0", b"a\0", b"a\0b\0c", b"a\x001:x:y\n"])
def test_nonsense_is_nothing(output: bytes) -> None:
    assert list(parse_matches(output)) == []


def test_a_line_that_stands_there_is_shown(tmp_path: Path, folder: int) -> None:
    (tmp_path / "in" / "f").write_bytes(b"one\nneedle\r\n")
    match = found("f", b"needle\r", position=4)

    assert list(verified_matches(folder, [match])) == [match]


@pytest.mark.parametrize("swap", ["file", "folder", "gone", "pipe", "other content"])
def test_a_line_from_elsewhere_is_not_shown(tmp_path: Path, folder: int, swap: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "f").write_bytes(b"secret\n")
    inside = tmp_path / "in" / "d"
    if swap == "folder":
        inside.symlink_to(tmp_path / "out")
    elif swap != "gone":
        inside.mkdir()
    if swap == "file":
        (inside / "f").symlink_to(tmp_path / "out" / "f")
    elif swap == "pipe":
        os.mkfifo(inside / "f")
    elif swap == "other content":
        (inside / "f").write_bytes(b"good\n")

    assert list(verified_matches(folder, [found("d/f", b"secret")])) == []


def test_a_file_is_opened_once_for_its_matches_and_none_stays_open(tmp_path: Path, folder: int) -> None:
    (tmp_path / "in" / "f").write_bytes(b"aa\nab\n")
    matches = [found("f", b"aa"), found("f", b"ab", position=3), found("none", b"x")]
    before = set(Path("/proc/self/fd").iterdir())

    assert list(verified_matches(folder, matches)) == matches[:2]
    assert set(Path("/proc/self/fd").iterdir()) == before


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (b"\xef\xbb\xbfneedle\n", 0),
        ("\ufeffab\nneedle\n".encode("utf-16-le"), 3),
        ("\ufeffé\nneedle\n".encode("utf-16-be"), 3),
    ],
)
def test_positions_count_as_ripgrep_counts_them(tmp_path: Path, folder: int, content: bytes, position: int) -> None:
    (tmp_path / "in" / "f").write_bytes(content)
    match = found("f", b"needle", position=position)

    assert list(verified_matches(folder, [match])) == [match]


@pytest.mark.parametrize(
    "note", [b" [... omitted end of long line]", b" [... 12 more matches]", b" [... 1 more match]"]
)
def test_a_shortened_line_is_compared_as_far_as_it_goes(tmp_path: Path, folder: int, note: bytes) -> None:
    (tmp_path / "in" / "f").write_bytes(b"needle" * 1000)
    match = found("f", b"needle" * 10 + note)

    assert list(verified_matches(folder, [match])) == [match]
