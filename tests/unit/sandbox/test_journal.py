import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.runner import journal as journal_module
from sandbox.runner.journal import Journal


def result(total: int, **more: Any) -> dict[str, Any]:
    return {"end": "exited", "exit_code": 0, "total": total, "dropped": 0, **more}


def test_a_result_is_there_after_a_restart(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"))
    journal.start("call", "hash")
    journal.finish("call", result(6), b"output")

    entry = (again := Journal(str(tmp_path / "journal"))).find("call")

    assert entry is not None
    assert (entry.request, entry.result, again.output(entry)) == ("hash", result(6), b"output")


def test_a_call_that_did_not_end_is_known_to_have_started(tmp_path: Path) -> None:
    Journal(str(tmp_path / "journal")).start("call", "hash")

    entry = Journal(str(tmp_path / "journal")).find("call")

    assert entry is not None
    assert entry.result is None


def test_a_withdrawn_call_may_be_tried_again(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal"))
    journal.start("call", "hash")
    journal.withdraw("call")

    assert journal.find("call") is None
    assert Journal(str(tmp_path / "journal")).find("call") is None


def test_a_record_cut_off_by_a_kill_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(str(path))
    journal.start("one", "hash")
    journal.finish("one", result(3), b"abc")
    whole = path.stat().st_size
    journal.start("two", "hash")

    for size in range(whole, path.stat().st_size):
        torn = tmp_path / f"torn-{size}"
        torn.write_bytes(path.read_bytes()[:size])
        again = Journal(str(torn))
        again.start("three", "hash")

        assert again.find("two") is None
        assert (entry := again.find("one")) is not None
        assert again.output(entry) == b"abc"
        assert Journal(str(torn)).find("three") is not None


def test_a_full_journal_forgets_old_outputs_but_not_that_calls_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FILE_LIMIT", 10_000)
    monkeypatch.setattr(journal_module, "KEPT_BYTES", 3_000)
    journal = Journal(str(tmp_path / "journal"))
    for number in range(30):
        journal.start(f"call-{number}", "hash")
        journal.finish(f"call-{number}", result(1000), bytes([number]) * 1000)

    oldest, newest = journal.find("call-0"), journal.find("call-29")

    assert (tmp_path / "journal").stat().st_size < 20_000
    assert oldest is not None
    assert newest is not None
    assert oldest.result is not None
    assert (oldest.result["dropped"], journal.output(oldest)) == (1000, b"")
    assert journal.output(newest) == bytes([29]) * 1000
    assert Journal(str(tmp_path / "journal")).find("call-0") is not None


def test_a_full_disk_costs_the_output_and_not_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(tmp_path / "journal"))
    journal.start("call", "hash")

    def full(header: object, body: bytes = b"") -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal, "_append", full)
    journal.finish("call", result(6), b"output")

    entry = journal.find("call")
    assert entry is not None
    assert entry.result == result(6, dropped=6)


def history(folder: Path) -> tuple[bytes, list[int]]:
    """Return a journal with every kind of record, and the offset at which each record ends."""
    path = folder / "history"
    journal = Journal(str(path))
    ends = []
    writes: tuple[Callable[[], None], ...] = (
        lambda: journal.start("one", "hash"),
        lambda: journal.finish("one", result(3), b"abc"),
        lambda: journal.start("two", "hash"),
        lambda: journal.start("three", "hash"),
        lambda: journal.withdraw("three"),
        lambda: journal.finish("two", result(0), b""),
        lambda: journal.start("four", "hash"),
    )
    for write in writes:
        write()
        ends.append(path.stat().st_size)
    return path.read_bytes(), ends


def remembered(path: Path) -> dict[str, bytes | None]:
    """Return the output of each call in a journal; None for a call that has not ended."""
    journal = Journal(str(path))
    entries = {name: journal.find(name) for name in ("one", "two", "three", "four")}
    return {name: journal.output(entry) if entry.result else None for name, entry in entries.items() if entry}


EXPECTED: list[dict[str, bytes | None]] = [
    {},
    {"one": None},
    {"one": b"abc"},
    {"one": b"abc", "two": None},
    {"one": b"abc", "two": None, "three": None},
    {"one": b"abc", "two": None},
    {"one": b"abc", "two": b""},
    {"one": b"abc", "two": b"", "four": None},
]
"""The remembered calls after each number of complete records."""


def test_a_kill_at_any_byte_costs_the_record_that_was_being_written_and_no_other(tmp_path: Path) -> None:
    whole, ends = history(tmp_path)
    torn = tmp_path / "torn"

    for size in range(len(whole) + 1):
        torn.write_bytes(whole[:size])

        assert remembered(torn) == EXPECTED[sum(end <= size for end in ends)], size
        assert torn.stat().st_size == max((end for end in ends if end <= size), default=0)


@pytest.mark.parametrize(
    "garbage",
    [
        bytes(64),
        b"\xff" * 64,
        b"\0\0\0\x02\0\0\0\0[]",
        b"\0\0\0\x02\0\0\0\0{}",
        b"\0\0\0\x0b\0\0\0\0" + b'{"call":[]}',
        b"\0\0\0\x17\0\0\0\0" + b'{"call":"x","result":1}',
        b"\0\0\0\x18\0\0\0\0" + b'{"call":"x","result":{}}',
        b"\0\0\0\x19\0\0\0\0" + b'{"call":"one","result":{}',
    ],
)
def test_garbage_after_the_last_record_is_no_call(garbage: bytes, tmp_path: Path) -> None:
    whole, _ = history(tmp_path)
    path = tmp_path / "garbage"
    path.write_bytes(whole + garbage)

    assert remembered(path) == EXPECTED[-1]
    assert Journal(str(path)).find("x") is None


@given(st.binary(max_size=200))
def test_no_garbage_at_all_raises_or_forgets(garbage: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole, _ = history(Path(folder))
        path = Path(folder) / "garbage"
        path.write_bytes(whole + garbage)

        assert remembered(path) == EXPECTED[-1]


def test_a_record_that_is_there_twice_says_nothing_new(tmp_path: Path) -> None:
    whole, ends = history(tmp_path)
    begins = [0, *ends[:-1]]
    path = tmp_path / "doubled"

    for begin, end in zip(begins, ends, strict=True):
        path.write_bytes(whole[:end] + whole[begin:])

        assert remembered(path) == EXPECTED[-1]


def test_a_result_that_is_repeated_later_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    whole, ends = history(tmp_path)
    path = tmp_path / "repeated"
    path.write_bytes(whole + whole[: ends[1]])

    assert remembered(path) == EXPECTED[-1]


def test_a_journal_goes_on_after_garbage(tmp_path: Path) -> None:
    whole, _ = history(tmp_path)
    path = tmp_path / "garbage"
    path.write_bytes(whole + b"garbage")
    journal = Journal(str(path))

    journal.finish("four", result(1), b"x")

    assert remembered(path) == {**EXPECTED[-1], "four": b"x"}
