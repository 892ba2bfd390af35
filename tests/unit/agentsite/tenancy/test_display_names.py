import pytest

from agentsite.base.errors import BadInput
from agentsite.tenancy.display_names import one_line, required_name


@pytest.mark.parametrize("text", ["", " \n", "\u202e\u200b", "\u200d \u2066"])
def test_a_name_that_does_not_show_is_none(text: str) -> None:
    with pytest.raises(BadInput):
        required_name(text)


def test_a_name_cannot_turn_the_words_around_it() -> None:
    assert one_line("Kettle \u202eskrow\n\x07 and  co") == "Kettle skrow and co"


def test_a_sign_of_several_characters_stays_whole() -> None:
    assert one_line("👩\u200d🔬 نامه\u200cها") == "👩\u200d🔬 نامه\u200cها"
