import pytest

from tools_app.languages.positions import to_characters, to_units
from tools_app.spec import ToolError

LINES = ["plain text", "a𝒳b = 'é'", ""]


@pytest.mark.parametrize(
    ("place", "units"),
    [((1, 1), (0, 0)), ((1, 7), (0, 6)), ((2, 2), (1, 1)), ((2, 3), (1, 3)), ((2, 4), (1, 4)), ((3, 1), (2, 0))],
)
def test_characters_become_the_protocols_units_and_come_back(place: tuple[int, int], units: tuple[int, int]) -> None:
    assert to_units(LINES, *place) == units
    assert to_characters(LINES, *units) == place


def test_a_column_past_the_end_of_its_line_means_the_end() -> None:
    assert to_units(LINES, 1, 500) == (0, 10)


def test_a_line_that_the_file_does_not_have_is_an_error_that_says_how_many_there_are() -> None:
    with pytest.raises(ToolError, match="the file has 3"):
        to_units(LINES, 4, 1)


def test_a_place_that_a_server_made_up_stays_as_it_said_it() -> None:
    assert to_characters(LINES, 90, 4) == (91, 5)
    assert to_characters(LINES, 0, 999) == (1, 11)
