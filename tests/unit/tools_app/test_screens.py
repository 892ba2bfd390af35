import time

import pytest

from tools_app.screens import MAX_COLUMNS, MAX_ROWS, MAX_SECONDS, draw_screen


def lines(output: bytes, rows: int = 5, columns: int = 20) -> list[str]:
    return [line for line in draw_screen(output, rows, columns).lines if line]


def test_lines_and_the_cursor_are_drawn() -> None:
    drawn = draw_screen(b"one\r\n\x1b[31mtwo\x1b[0m  \r\n> ", 5, 20)
    assert drawn.lines == ("one", "two", ">", "", "")
    assert (drawn.row, drawn.column, drawn.complete) == (3, 3, True)


def test_what_was_overwritten_is_gone() -> None:
    assert lines(b"10%\r50%\r100%\n") == ["100%"]


def test_an_editor_leaves_what_was_there_before() -> None:
    assert lines(b"before\r\n\x1b[?1049h\x1b[2J\x1b[HEDITOR") == ["EDITOR"]
    assert lines(b"before\r\n\x1b[?1049h\x1b[2J\x1b[HEDITOR\x1b[?1049lafter") == ["before", "after"]


def test_characters_without_a_place_hide_nothing() -> None:
    assert lines("a\u200db\u0301c\u0308d 日本".encode()) == ["ab\u0301cd 日本".replace("b\u0301", "b")]


def test_a_sequence_that_the_library_cannot_read_does_not_end_the_drawing() -> None:
    assert lines(b"one\x1b[?6n" + b" " * 300 + b"\r\n\x1b[2J\x1b[Htwo") == ["two"]


@pytest.mark.parametrize(
    "piece", [b"\x1b#8", b"\x1b[2J", b"\x1b[9999@", b"\x1b[9999L", b"\x1bM", b"\x1b[?3h", "a\u0301\u0301".encode()]
)
def test_hostile_output_costs_a_bounded_time(piece: bytes) -> None:
    before = time.thread_time()
    drawn = draw_screen(piece * (1 << 16), 1_000, 1_000)
    assert time.thread_time() - before < 3 * MAX_SECONDS
    assert (len(drawn.lines), max(map(len, drawn.lines)) <= MAX_COLUMNS) == (MAX_ROWS, True)
