from hypothesis import given
from hypothesis import strategies as st

from tools_app.paging import MAX_LINE_CHARACTERS, page


@given(st.lists(st.text(alphabet="aé", max_size=5), min_size=1, max_size=30), st.integers(1, 10), st.integers(5, 60))
def test_following_pages_show_every_line_once(lines: list[str], limit: int, max_bytes: int) -> None:
    shown: list[str] = []
    following: int | None = 1
    while following is not None:
        found = page(lines, offset=following, limit=limit, numbered=False, max_bytes=max_bytes)
        assert found.lines
        shown += found.lines
        following = found.following
    assert shown == lines


def test_bytes_bound_a_page() -> None:
    found = page(["€" * 10] * 10, offset=1, limit=10, numbered=False, max_bytes=70)
    assert (len(found.lines), found.following) == (2, 3)


def test_a_long_line_is_cut_and_marked() -> None:
    (line,) = page(["x" * 5000], offset=1, limit=1, numbered=True).lines
    assert line == f"1: {'x' * MAX_LINE_CHARACTERS}… (line cut at 2000 characters)"
