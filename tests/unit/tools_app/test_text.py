import json

from hypothesis import given
from hypothesis import strategies as st

from tools_app.text import clean, clean_value, is_clean


@given(st.text(alphabet=st.characters(), max_size=20))
def test_text_that_is_clean_stays_as_it_is(text: str) -> None:
    if is_clean(text):
        assert clean(text) == text
        text.encode("utf-8")


@given(st.text(alphabet=st.sampled_from("a\x00\ud800\udcff€"), max_size=20))
def test_whatever_came_in_what_goes_out_can_be_stored(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert len(cleaned) == len(text)


def test_every_text_within_data_is_cleaned() -> None:
    data = {"a": ["\x00", {"b": "\udcff"}], "n": 1, "t": (None, True)}
    assert (
        json.dumps(clean_value(data), ensure_ascii=False)
        == '{"a": ["\ufffd", {"b": "\ufffd"}], "n": 1, "t": [null, true]}'
    )
