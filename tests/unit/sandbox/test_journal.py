from pathlib import Path
from typing import Any

import pytest

from sandbox.runner import journal as journal_module
from sandbox.runner.journal import Journal


def result(total: int, **more: Any) -> dict[str, Any]:
    return {"end": "exited", "exit_code": 0, "total": total, "dropped": 0, **more}


def test_a_result_is_there_after_a_restart(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start("call", "hash")
    journal.finish("call", result(6), b"output")

    entry = (again := Journal(tmp_path / "journal")).find("call")

    assert entry is not None
    assert (entry.request, entry.result, again.output(entry)) == ("hash", result(6), b"output")


def test_a_call_that_did_not_end_is_known_to_have_started(tmp_path: Path) -> None:
    Journal(tmp_path / "journal").start("call", "hash")

    entry = Journal(tmp_path / "journal").find("call")

    assert entry is not None
    assert entry.result is None


def test_a_withdrawn_call_may_be_tried_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start("call", "hash")
    journal.withdraw("call")

    assert journal.find("call") is None
    assert Journal(tmp_path / "journal").find("call") is None


def test_a_record_cut_off_by_a_kill_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.start("one", "hash")
    journal.finish("one", result(3), b"abc")
    whole = path.stat().st_size
    journal.start("two", "hash")

    for size in range(whole, path.stat().st_size):
        torn = tmp_path / f"torn-{size}"
        torn.write_bytes(path.read_bytes()[:size])
        again = Journal(torn)
        again.start("three", "hash")

        assert again.find("two") is None
        assert (entry := again.find("one")) is not None
        assert again.output(entry) == b"abc"
        assert Journal(torn).find("three") is not None


def test_a_full_journal_forgets_old_outputs_but_not_that_calls_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FILE_LIMIT", 10_000)
    monkeypatch.setattr(journal_module, "KEPT_BYTES", 3_000)
    journal = Journal(tmp_path / "journal")
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
    assert Journal(tmp_path / "journal").find("call-0") is not None


def test_a_full_disk_costs_the_output_and_not_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path / "journal")
    journal.start("call", "hash")

    def full(header: object, body: bytes = b"") -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal, "_append", full)
    journal.finish("call", result(6), b"output")

    entry = journal.find("call")
    assert entry is not None
    assert entry.result == result(6, dropped=6)
