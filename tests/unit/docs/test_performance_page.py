"""The table of costs in the docs on performance equals the table made from the limits that the tests enforce."""

from tests.support.costs import BEGIN, COSTS, DESCRIPTIONS, END, PAGE, table


def test_the_page_shows_the_costs() -> None:
    shown = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    assert shown.strip() == table(), "tests.support.costs.write_table writes it"


def test_every_cost_is_described() -> None:
    assert list(COSTS) == list(DESCRIPTIONS)
