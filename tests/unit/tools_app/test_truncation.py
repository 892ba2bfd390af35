from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from tools_app.truncation import truncate

TEXTS = st.text(alphabet="abä€😀\n", max_size=200)
DIRECTIONS = st.sampled_from(["head", "tail"])


@given(TEXTS, st.integers(1, 20), st.integers(0, 200), DIRECTIONS)
def test_what_is_kept_is_whole_lines_within_both_bounds(
    text: str, max_lines: int, max_bytes: int, direction: Literal["head", "tail"]
) -> None:
    result = truncate(text, max_lines=max_lines, max_bytes=max_bytes, direction=direction)
    lines = text.removesuffix("\n").split("\n")
    whole = result.text if result.truncated else text.removesuffix("\n")
    kept = whole.split("\n") if result.text else []
    assert len(result.text.encode()) <= max_bytes
    assert len(kept) <= max_lines
    assert kept == (lines[: len(kept)] if direction == "head" else lines[len(lines) - len(kept) :])


@given(TEXTS, st.integers(1, 20), st.integers(0, 200), DIRECTIONS)
def test_removed_counts_what_is_missing(
    text: str, max_lines: int, max_bytes: int, direction: Literal["head", "tail"]
) -> None:
    result = truncate(text, max_lines=max_lines, max_bytes=max_bytes, direction=direction)
    assert result.truncated == (result.text != text)
    assert result.truncated == (result.removed > 0)
    if result.truncated and result.unit == "bytes":
        assert result.removed == len(text.encode()) - len(result.text.encode())
    if result.truncated and result.unit == "lines":
        assert result.removed == len(text.removesuffix("\n").split("\n")) - max_lines


def test_bytes_are_counted_and_not_characters() -> None:
    assert truncate("€\n€\n€", max_bytes=7).text == "€\n€"
    assert not truncate("aaaaaaa", max_bytes=7).truncated


def test_the_tail_keeps_the_end() -> None:
    result = truncate("a\nb\nc\n", max_lines=2, direction="tail")
    assert (result.text, result.removed, result.unit) == ("b\nc", 1, "lines")


def test_a_line_that_does_not_fit_is_left_out_whole() -> None:
    result = truncate("x" * 100, max_bytes=10)
    assert (result.text, result.removed, result.unit) == ("", 100, "bytes")
