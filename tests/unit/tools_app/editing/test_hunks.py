import pytest

from tools_app.editing.errors import TextAmbiguous, TextNotFound, TooMuchWork
from tools_app.editing.hunks import Patched, apply_hunks
from tools_app.editing.patch_text import UpdateFile, read_patch
from tools_app.editing.search_budget import SearchBudget


def put(content: str, *lines: str) -> str:
    return patched(content, *lines).text


def patched(content: str, *lines: str) -> Patched:
    (section,) = read_patch("\n".join(["*** Begin Patch", "*** Update File: a.py", *lines, "*** End Patch"]))
    assert isinstance(section, UpdateFile)
    return apply_hunks(content, section.hunks, path="a.py", budget=SearchBudget())


def test_lines_go_and_come_where_they_stand() -> None:
    assert put("a\nb\nc\nd\n", "@@", " b", "-c", "+x", "+y") == "a\nb\nx\ny\nd\n"


def test_hunks_are_put_one_behind_the_other() -> None:
    assert put("x = 1\ny\nx = 1\n", "@@", "-x = 1", "+x = 2", "@@", "-x = 1", "+x = 3") == "x = 2\ny\nx = 3\n"


def test_a_hunk_is_never_looked_for_backwards() -> None:
    with pytest.raises(TextNotFound, match=r"Hunk 2 of a\.py only fits line 1, which stands before"):
        put("a\nb\n", "@@", "-b", "+x", "@@", "-a", "+y")


def test_a_head_is_found_first() -> None:
    content = "def f():\n    return 1\n\ndef g():\n    return 1\n"
    assert put(content, "@@ def g():", "-    return 1", "+    return 2").endswith("def g():\n    return 2\n")


def test_a_head_that_stands_above_several_places_is_told() -> None:
    content = "class A:\n  def f():\n    x\n    x\nclass B:\n  def f():\n    x\n"
    result = patched(content, "@@   def f():", "-    x", "+    y")
    assert result.text == content.replace("x", "y", 1)
    assert "it would also fit line 7." in result.notes[0]
    assert patched(content, "@@ class A:", "@@   def f():", "-    x", "+    y").notes == ()
    with pytest.raises(TextAmbiguous):
        put(content, "@@ def f():", "-x", "+y")


def test_several_heads_are_found_one_behind_the_other() -> None:
    content = "class A:\n  def f():\n    x\nclass B:\n  def f():\n    x\n"
    changed = put(content, "@@ class B:", "@@   def f():", "-    x", "+    y")
    assert changed == "class A:\n  def f():\n    x\nclass B:\n  def f():\n    y\n"


def test_a_head_may_be_repeated_below_it() -> None:
    assert put("a\ndef f():\n  x\n", "@@ def f():", " def f():", "-  x", "+  y") == "a\ndef f():\n  y\n"


def test_a_head_that_is_not_there_is_said() -> None:
    with pytest.raises(TextNotFound, match=r"Hunk 1 of a\.py: the line `@@ def h\(\):` was not found"):
        put("def f():\n  x\n", "@@ def h():", "-  x")


@pytest.mark.parametrize(
    ("line", "given"),
    [("x = 1  ", "x = 1"), ("\tx = 1", "    x = 1"), ("print(“a” – …)", 'print("a" - ...)'), ("a\u00a0b", "a b")],
)
def test_lines_are_found_that_differ_in_blanks_or_typography(line: str, given: str) -> None:
    assert put(f"before\n{line}\nafter\n", "@@", f"-{given}", "+new") == "before\nnew\nafter\n"


def test_a_line_that_stays_keeps_every_byte_of_its_own() -> None:
    assert put("  a \nb\n", "@@", " a", "-b", "+c") == "  a \nc\n"


def test_the_best_fit_wins_over_an_earlier_one() -> None:
    assert put("  x\nx\n", "@@", "-x", "+y") == "  x\ny\n"


def test_several_places_that_nearly_fit_are_refused() -> None:
    with pytest.raises(TextAmbiguous, match=r"fits no place exactly and several nearly \(lines 1, 2\)"):
        put("  x\n    x\n", "@@", "-x", "+y")


def test_the_first_of_several_exact_places_is_taken_and_told() -> None:
    result = patched("x\na\nx\nb\nx\n", "@@", "-x", "+y", "@@", " a", "-x", "+z")
    assert result.text == "y\na\nz\nb\nx\n"
    assert result.notes == (
        "Hunk 1 of a.py was put at line 1; it would also fit lines 3, 5. Check that it is where you meant.",
    )


def test_lines_at_the_end_of_the_file_are_found_only_there() -> None:
    assert put("x\na\nx\n", "@@", "-x", "+y", "*** End of File") == "x\na\ny\n"
    with pytest.raises(TextNotFound, match="not found at the end of the file"):
        put("x\na\n", "@@", "-x", "+y", "*** End of File")


def test_new_lines_alone_go_behind_their_head_or_to_the_end() -> None:
    assert put("a\nb\n", "@@ a", "+x") == "a\nx\nb\n"
    assert put("a\nb\n", "@@", "+x") == "a\nb\nx\n"
    assert put("a\nb\n", "@@ a", "+x", "*** End of File") == "a\nb\nx\n"
    assert put("", "@@", "+x") == "x\n"


def test_new_lines_that_say_nowhere_where_they_belong_are_told() -> None:
    note = "Hunk 1 of a.py names no line that it follows: it was put at the end of the file."
    assert patched("a\n", "@@", "+x") == Patched("a\nx\n", (note,))
    assert patched("a\n", "@@", "+x", "*** End of File").notes == ()
    assert patched("", "@@", "+x").notes == ()


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_end_of_the_file_stays_as_it_is(end: str) -> None:
    line_break = end or "\n"
    content = f"a{line_break}b{end}"
    assert put(content, "@@", "-b", "+c") == f"a{line_break}c{end}"
    assert put(content, "@@", " b", "+c") == f"a{line_break}b{line_break}c{end}"
    assert put(content, "@@", "-a", " b") == f"b{end}"
    assert put(content, "@@", " a", "-b") == f"a{end}"


def test_new_lines_get_the_break_of_their_neighbour() -> None:
    assert put("a\r\nb\r\n", "@@", " a", "+x", "-b", "+y") == "a\r\nx\r\ny\r\n"
    assert put("a\r\nb\nc\n", "@@", "-a", "+x", " b", "+y") == "x\r\nb\ny\nc\n"


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert put("\ufeffa\nb\n", "@@", "-a", "+x") == "\ufeffx\nb\n"
    assert put("\ufeffa\n", "@@", "-a") == "\ufeff"


def test_bytes_that_are_no_text_survive() -> None:
    assert put("a\udcfc\nb\n", "@@", "-b", "+c") == "a\udcfc\nc\n"


def test_the_closest_place_is_named_when_nothing_fits() -> None:
    with pytest.raises(TextNotFound, match=r"(?s)Hunk 1 of a\.py: its old lines were not found\..*2:     return 1"):
        put("def f():\n    return 1\n", "@@", "-    return 10", "+    return 2")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(["@@", *["-a"] * 4000, "-b"], id="a long hunk of the same line"),
        pytest.param(["@@ a"] * 4000 + ["-b"], id="many heads that stand everywhere"),
    ],
)
def test_a_patch_made_to_take_minutes_ends_soon(lines: list[str]) -> None:
    with pytest.raises((TooMuchWork, TextNotFound)):
        put("a\n" * 200_000, *lines)
