"""Reports of a self-check come from an untrusted runner, so they are validated before they are stored."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.client.answers import Fields
from sandbox.client.checks import MAX_ITEMS, CheckContext, to_report
from sandbox.docker.checks import StoredReports, require_passed
from sandbox.errors import CheckFailed, ProtocolError
from sandbox.reports import CheckItem, CheckReport

ITEM: dict[str, Any] = {"name": "ls", "passed": True, "found": "works"}
REPORT = CheckReport(passed=True, runtime="runc", kernel="6.1", items=(CheckItem(**ITEM),), at=12.5)


def answer(*items: Any, **others: Any) -> Fields:
    return Fields({"kernel": "6.1", "runtime": "", "items": list(items), **others})


def test_whether_it_passed_is_our_own_conclusion() -> None:
    failed = {**ITEM, "passed": False}

    assert to_report(answer(ITEM), CheckContext("runc")).passed
    assert not to_report(answer(ITEM, failed, passed=True), CheckContext("runc")).passed


def test_the_runtime_is_the_one_that_was_asked_for() -> None:
    assert to_report(answer(ITEM, runtime="kata"), CheckContext("runc")).runtime == "runc"


@pytest.mark.parametrize(
    "fields",
    [
        answer(),
        answer(*[ITEM] * (MAX_ITEMS + 1)),
        answer("ls"),
        answer({**ITEM, "passed": 1}),
        answer({**ITEM, "found": None}),
        answer(ITEM, kernel=6),
        Fields({"kernel": "6.1", "runtime": ""}),
    ],
)
def test_an_answer_that_is_no_report_is_refused(fields: Fields) -> None:
    with pytest.raises(ProtocolError):
        to_report(fields, CheckContext("runc"))


def test_words_are_bounded_and_can_be_stored_and_shown() -> None:
    hostile = {"name": "n\0\x1b[31m" * 99, "passed": False, "found": "a\nb\udcff" + "x" * 9999}

    item = to_report(answer(hostile), CheckContext("runc")).items[0]

    assert len(item.name) <= 80
    assert len(item.found) <= 500
    assert f"{item.name}{item.found}".isprintable()
    assert f"{item.name}{item.found}".encode()


def test_a_kept_report_holds_for_what_it_was_kept_with(tmp_path: Path) -> None:
    StoredReports(tmp_path).save("wsp_1", "container engine kernel", REPORT)

    kept = StoredReports(tmp_path)

    assert kept.find("wsp_1") == kept.find("wsp_1", "container engine kernel") == REPORT
    assert kept.find("wsp_1", "container engine another-kernel") is None
    assert kept.find("wsp_2") is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"stamp": "s"}', '{"stamp": "s", "report": {"items": [1]}}'])
def test_a_report_that_cannot_be_read_is_none(tmp_path: Path, content: str) -> None:
    StoredReports(tmp_path).save("wsp_1", "s", REPORT)
    next((tmp_path / ".checks").iterdir()).write_text(content)

    assert StoredReports(tmp_path).find("wsp_1") is None


def test_a_forgotten_report_is_gone_and_may_be_forgotten_again(tmp_path: Path) -> None:
    kept = StoredReports(tmp_path)
    kept.save("wsp_1", "s", REPORT)

    for _ in range(2):
        kept.delete("wsp_1")

    assert kept.find("wsp_1") is None


def test_a_place_that_cannot_be_written_keeps_nothing_and_hurts_nobody(tmp_path: Path) -> None:
    (tmp_path / ".checks").write_text("in the way")

    StoredReports(tmp_path).save("wsp_1", "s", REPORT)

    assert StoredReports(tmp_path).find("wsp_1") is None


def test_a_failure_names_what_failed_and_what_can_be_done() -> None:
    failed_ones = [
        CheckItem(name, passed=False, found=found) for name, found in (("ls", "Invalid argument"), ("stat", "x"))
    ]
    items = (*REPORT.items, *failed_ones)
    report = replace(REPORT, passed=False, runtime="runsc", items=items)

    with pytest.raises(CheckFailed) as failed:
        require_passed(report)

    assert failed.value.report is report
    assert failed.value.message == (
        "The sandbox failed its self-check under the runtime 'runsc' and was removed again: ls, stat. The first of "
        "them: Invalid argument. Choose another runtime by policy, or install a current version of this one and of the "
        "engine on the node."
    )


def test_a_report_on_disk_is_json_that_an_operator_can_read(tmp_path: Path) -> None:
    StoredReports(tmp_path).save("wsp_1", "s", REPORT)

    assert json.loads((tmp_path / ".checks" / "wsp_1.json").read_text())["report"]["items"] == [ITEM]
