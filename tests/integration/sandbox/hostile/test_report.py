from collections import Counter

from tests.integration.sandbox.hostile.attempts import CATEGORIES
from tests.integration.sandbox.hostile.report import DOCUMENT, with_table


def test_the_threat_model_tells_of_every_attempt_as_it_is() -> None:
    document = DOCUMENT.read_text()

    assert with_table(document) == document, "run: python -m tests.integration.sandbox.hostile report"


def test_there_are_enough_attempts_and_each_has_a_name_of_its_own() -> None:
    names = Counter((category.name, case.id) for category in CATEGORIES for case in category.cases)

    assert len(names) >= 500
    assert [name for name, count in names.items() if count > 1] == []
    assert all(case.tries.endswith((".", ")", "...")) for category in CATEGORIES for case in category.cases)
