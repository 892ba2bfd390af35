import pytest

from agentsite.tenancy.secrets import TOKEN_PATTERN, is_token, new_token


def test_a_new_token_is_known_by_its_form_and_its_checksum() -> None:
    token = new_token()
    assert TOKEN_PATTERN.fullmatch(token)
    assert is_token(token)


@pytest.mark.parametrize("place", [4, 20, 43, 44, 49])
def test_a_token_with_another_character_is_none(place: int) -> None:
    token = new_token()
    other = "a" if token[place] != "a" else "b"
    assert not is_token(token[:place] + other + token[place + 1 :])


def test_a_token_with_a_character_more_is_none() -> None:
    assert not is_token(new_token() + "0")


@pytest.mark.parametrize("text", ["", "ags_", "ags_" + "0" * 46, "ghp_" + "0" * 46])
def test_words_that_look_alike_are_none(text: str) -> None:
    assert not is_token(text)


def test_no_two_tokens_are_the_same() -> None:
    assert len({new_token() for _ in range(100)}) == 100
