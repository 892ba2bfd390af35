"""`make test` runs only some cases of large parametrized tests, and of tests that repeat in a second deployment."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import lanes

ROUTE = "tests/integration/sessions_app/test_rest.py::test_refuses"


@dataclass(frozen=True)
class Item:
    nodeid: str

    @property
    def name(self) -> str:
        return self.nodeid.rpartition("::")[2]

    @property
    def path(self) -> Path:
        return Path(self.nodeid.partition("::")[0])


def kept(monkeypatch: pytest.MonkeyPatch, test: str, cases: int, *, everything: bool = False) -> list[str]:
    monkeypatch.setattr(lanes, "EVERYTHING", everything)
    items = [Item(f"{test}[{number}]") for number in range(cases)]
    return [item.nodeid for item in lanes._some_of_each_table(items)]  # type: ignore[arg-type]


def test_of_a_large_table_the_first_case_and_a_part_of_the_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    some = kept(monkeypatch, ROUTE, 60)
    assert some[0] == f"{ROUTE}[0]"
    assert 10 < len(some) < 30
    assert kept(monkeypatch, ROUTE, 61)[: len(some)] == some


def test_small_tables_and_those_that_choose_themselves_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(kept(monkeypatch, ROUTE, 5)) == 5
    assert len(kept(monkeypatch, "tests/unit/tools_app/test_rules.py::test_denies", 60)) == 60
    assert len(kept(monkeypatch, "tests/integration/agentsite/test_tenancy_matrix.py::test_each_role", 60)) == 60


def test_make_test_all_runs_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(kept(monkeypatch, ROUTE, 60, everything=True)) == 60


@pytest.mark.parametrize(
    ("test", "whole", "part"),
    [
        ("tests/contract/sandbox/test_search.py::test_finds", "local", "docker"),
        ("tests/integration/sandbox/test_boundary.py::test_keeps_in", "docker", "local"),
        ("tests/contract/sandbox/test_run.py::test_runs", "docker", None),
    ],
)
def test_what_shows_the_same_elsewhere_runs_there_in_part(test: str, whole: str, part: str | None) -> None:
    def number_of(deployment: str) -> int:
        items = [Item(f"{test}[{number}-{deployment}]") for number in range(60)]
        return sum(not lanes._repeats_another_deployment(item) for item in items)  # type: ignore[arg-type]

    assert number_of(whole) == 60
    assert part is None or 10 < number_of(part) < 30
