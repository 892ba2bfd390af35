"""An analysis that stops at the first reason for incompleteness has the same result for texts whose analysis is
complete."""

from tests.contract.shell.fuzz.first_doubt import INCOMPLETE, first_doubt
from tests.contract.shell.proof import analyze
from tests.corpora.shell.corpus import everyday, ways_around


def test_complete_texts_are_analysed_as_always_and_all_others_are_incomplete() -> None:
    texts = [*(one.command for one in everyday()[::9]), *(way.command for way in ways_around()[::50])]
    usual = {text: analyze(text) for text in texts}
    with first_doubt() as quick:
        found = {text: quick(text) for text in texts}
    assert any(each.complete for each in found.values())
    assert found == {text: each if each.complete else INCOMPLETE for text, each in usual.items()}
    assert analyze("x=$(cat f); $x").reasons
