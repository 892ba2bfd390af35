"""Input from outside must be strictly valid JSON, with values that can be stored."""

from typing import Any

import pytest

from agentsite.base.errors import BadInput
from agentsite.http.json_input import read_json, require_plain


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", '{"a": Infinity}', "[" * 100_000, b"\xff\xfe", "1" * 5000, "[-1e999]"]
)
def test_what_is_not_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_json(text)


@pytest.mark.parametrize("value", ["a\0", {"a": ["\ud800"]}, {"\0": 1}, [[["\udfff x"]]]])
def test_texts_that_no_database_keeps_are_refused(value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        require_plain(value)
    assert caught.value.code == "unstorable_text"


@pytest.mark.parametrize("value", ["", "tea \U0001f375", {"a": [1, None, True, 2.5, {"b": "ü"}]}])
def test_everything_else_passes(value: Any) -> None:
    require_plain(value)
