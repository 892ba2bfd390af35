"""Which cases of a table `make test` runs."""

from dataclasses import dataclass

import pytest

from tests.support import lanes

ROUTE = "tests/integration/sessions_app/test_rest.py::test_refuses"


@dataclass(frozen=True)
class Item:
    nodeid: str


def kept(monkeypatch: pytest.MonkeyPatch, test: str, cases: int, *, everything: bool = False) -> list[str]:
    monkeypatch.setattr(lanes, "EVERYTHING", everything)
    items = [Item(f"{test}[{number}]") for number in range(cases)]
    return [item.nodeid for item in lanes._some_of_each_table(items)]  # type: ignore[arg-type]


def test_of_a_large_table_the_first_case_and_a_part_of_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    some = kept(monkeypatch, ROUTE, 60)
    assert some[0] == f"{ROUTE}[0]"
    assert 10 < len(some) < 30
    assert kept(monkeypatch, ROUTE, 61)[: len(some)] == some


def test_small_tables_and_those_of_other_folders_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(kept(monkeypatch, ROUTE, 5)) == 5
    assert len(kept(monkeypatch, "tests/unit/tools_app/test_rules.py::test_denies", 60)) == 60


def test_make_test_all_runs_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(kept(monkeypatch, ROUTE, 60, everything=True)) == 60
