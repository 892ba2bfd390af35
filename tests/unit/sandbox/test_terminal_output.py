"""The stored end of a terminal's output, which begins with the terminal modes that the discarded part has
switched on."""

from sandbox.runner.terminal_output import TerminalOutput


def of(*chunks: bytes, limit: int = 100) -> TerminalOutput:
    output = TerminalOutput(limit)
    for chunk in chunks:
        output.feed(chunk)
    return output


def test_the_last_bytes_are_kept_with_their_position() -> None:
    output = of(*[b"%09d\n" % number for number in range(100)])
    start, kept = output.since(0, 10_000)
    assert output.total == 1000
    assert start == output.start
    assert start + len(kept) == 1000
    assert kept.endswith(b"000000099\n")
    assert kept.startswith(b"0000000")  # whole lines
    assert len(kept) <= 200


def test_a_position_that_is_kept_goes_on_there() -> None:
    output = of(b"one\n", b"two\n")
    assert output.since(4, 10) == (4, b"two\n")
    assert output.since(8, 10) == (8, b"")
    assert output.since(99, 10) == (8, b"")
    assert output.since(0, 3) == (0, b"one")


def test_an_editor_keeps_its_screen() -> None:
    output = of(b"\x1b[?1049h\x1b[?25l\x1b[?1000;1006h", *[b"line\n"] * 100)
    beginning = output.beginning()
    assert beginning.startswith(b"\x1b[?1049h")
    assert set(beginning.split(b"\x1b")[1:]) == {b"[?1049h", b"[?25l", b"[?1000h", b"[?1006h"}


def test_what_was_switched_off_again_stays_off() -> None:
    output = of(b"\x1b[?1049h\x1b[?2004h", b"\x1b[?1049l", *[b"line\n"] * 100)
    assert output.beginning() == b"\x1b[?2004h"
    assert of(b"\x1b[?1049h\x1b[?25l\x1bc", *[b"line\n"] * 100).beginning() == b""
    assert of(b"\x1b[?1049h").beginning() == b""  # still among what is kept


def test_a_sequence_is_not_cut_in_two() -> None:
    output = of(*[b"\x1b[31mred\x1b[0m"] * 100)
    _, kept = output.since(0, 10_000)
    assert kept.startswith(b"\x1b[")


def test_it_can_be_shortened() -> None:
    output = of(b"x" * 150)
    output.shorten(10)
    assert output.since(0, 1000) == (140, b"x" * 10)
