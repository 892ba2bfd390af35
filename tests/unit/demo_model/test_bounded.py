"""The diagnosis in its own process says the same as in ours, and a strange project costs nothing but the answer."""

import pytest

from deploy import demo_project
from deploy.demo_model.repair import bounded
from deploy.demo_model.repair.bounded import diagnose_bounded
from deploy.demo_model.repair.diagnosis import Diagnosis, diagnose


def test_the_process_gives_the_same_diagnosis() -> None:
    sources = {path: text.decode() for path, text in demo_project.files().items() if path.endswith(".py")}
    found = diagnose_bounded(sources)
    assert found == diagnose(sources)
    assert found.repairs


@pytest.mark.parametrize("text", ["def broken(:", "-" * 200_000 + "1", "x = '\x00'"])
def test_sources_that_cannot_be_read_are_left_out(text: str) -> None:
    assert diagnose_bounded({"test_x.py": text}) == Diagnosis()


def test_a_project_that_takes_too_long_gives_no_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "TIME_LIMIT", 1.0)
    shared = "x = [1, 2]\n" + "x = [x] * 1000\n" * 6
    sources = {"test_x.py": f"{shared}y = x + []\ny[0] = [*x[0]]\ndef test_it():\n    assert str(x) == str(y)\n"}
    assert diagnose_bounded(sources) == Diagnosis()
