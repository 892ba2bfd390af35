"""Masking removes every form of a secret from a text, also if the text arrives in pieces, and changes nothing else."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.masking import MaskedStream, Masks

SECRET = 'P4$s/w+rd "ünï\\x'
MASKS = Masks([("TOKEN", SECRET)])
KEY = "-----BEGIN KEY-----\nabcdefgh0123456789ABCDEFGHIJKLMN\nzyxwvuts9876543210\n-----END KEY-----\n"
MARK = "[secret TOKEN]"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        SECRET.lower(),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower().replace("p4", "P4"),
        quote_plus(SECRET),
    ],
)
def test_each_form_is_replaced(form: str) -> None:
    assert MASKS.mask(f"before {form} after {form}") == f"before {MARK} after {MARK}"


@pytest.mark.parametrize("before", ["", "a", "ab", "abc", "x:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_replaced_at_every_position(before: str, encode: type) -> None:
    secret = "correct horse battery"
    encoded = encode(f"{before}{secret}:and more".encode()).decode()
    masked = Masks([("TOKEN", secret)]).mask(encoded)
    assert MARK in masked
    assert secret[3:-3] not in base64.b64decode(masked.replace(MARK, "") + "===", altchars=None).decode(errors="ignore")


def test_line_breaks_hide_nothing() -> None:
    secret = "0123456789" * 12
    wrapped = base64.encodebytes(f"user:{secret}".encode()).decode()
    masked = Masks([("TOKEN", secret)]).mask(wrapped)
    assert masked.count(MARK) == 1
    assert len(masked) < 30


def test_each_line_of_a_long_secret_is_replaced() -> None:
    numbered = "\n".join(f"{number:05}| {line}" for number, line in enumerate(KEY.splitlines(), 1))
    masked = Masks([("KEY", KEY)]).mask(numbered)
    assert "abcdefgh" not in masked
    assert "zyxwvuts" not in masked
    assert "00001| -----BEGIN KEY-----" in masked


def test_overlapping_secrets_leave_no_rest() -> None:
    masks = Masks([("ONE", "abcdefghij"), ("TWO", "ghijklmnop")])
    assert masks.mask("<abcdefghijklmnop>") == "<[secret ONE]>"


def test_other_texts_stay_as_they_are() -> None:
    text = "nothing\nto\r\nsee p4$s/w+rd here"
    assert MASKS.mask(text) == text
    assert Masks([]).mask_value({"a": [text]}) == {"a": [text]}


def test_nested_data_is_masked() -> None:
    assert MASKS.mask_value({"diff": f"+{SECRET}", "n": 1, "list": (SECRET,)}) == {
        "diff": f"+{MARK}",
        "n": 1,
        "list": [MARK],
    }


@given(st.data())
def test_a_stream_shows_the_same_however_it_is_cut(data: st.DataObject) -> None:
    text = f"one {SECRET} two {base64.b64encode(SECRET.encode()).decode()}\nthree {SECRET[:9]} four"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    stream, shown = MaskedStream(MASKS), ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        shown += stream.feed(text[start:end])
        assert SECRET not in shown
    assert shown + stream.finish() == MASKS.mask(text)


def test_a_stream_holds_back_no_more_than_what_may_be_a_secret() -> None:
    stream = MaskedStream(MASKS)
    assert stream.feed("installing p4") == "installing "
    assert stream.feed("ckages") == "p4ckages"
