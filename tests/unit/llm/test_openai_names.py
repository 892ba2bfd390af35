"""The field for an answer's token limit has one name at OpenAI and another at all other providers."""

import pytest

from sessions_app.llm.openai_compatible import _for_openai
from sessions_app.llm.port import ModelEndpoint


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("", "max_completion_tokens"),
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://models.example.org/v1", "max_tokens"),
    ],
)
def test_the_bound_of_an_answer_has_the_name_that_the_place_knows(base_url: str, name: str) -> None:
    endpoint = ModelEndpoint("openai_compatible", "m", base_url=base_url)
    assert _for_openai({"model": "m", "max_tokens": 7}, endpoint) == {"model": "m", name: 7}
    assert _for_openai({"model": "m"}, endpoint) == {"model": "m"}
