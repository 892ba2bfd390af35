import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.policies import jsonc

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_plain_json_is_read_as_such(value: object) -> None:
    assert jsonc.loads(json.dumps(value)) == value
    assert jsonc.loads(json.dumps(value, ensure_ascii=False, indent=1)) == value


def test_comments_and_last_commas_say_nothing() -> None:
    text = """
    {
      // a comment with "quotes" and a , }
      "bash": {"git *": "allow", /* , } */ "rm *": "deny",},
      "list": [1, 2, /* the last */ ],
    }"""
    assert jsonc.loads(text) == {"bash": {"git *": "allow", "rm *": "deny"}, "list": [1, 2]}


def test_what_looks_like_a_comment_within_a_text_stays() -> None:
    assert jsonc.loads(r'{"url": "https://x/*y*/", "end": "a,}", "quote": "\"//"}') == {
        "url": "https://x/*y*/",
        "end": "a,}",
        "quote": '"//',
    }


@pytest.mark.parametrize("text", ["", "{", '{"a": 1 /* no end', '{"a" 1}', "[1,,]", "// only a comment"])
def test_what_is_no_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        jsonc.loads(text)


@pytest.mark.parametrize(
    "piece", ['"\\', '"', "/*", "//", ",}", ", ", "/", '"/*', '{"a":', "[", '\\"', "\n", "1", "*/", '/*"']
)
def test_nothing_that_a_repository_holds_takes_long(piece: str) -> None:
    started = time.process_time()
    try:
        jsonc.loads('"' + piece * (65_536 // len(piece)))
        jsonc.loads(piece * (65_536 // len(piece)))
    except (ValueError, RecursionError):
        pass
    assert time.process_time() - started < 1
