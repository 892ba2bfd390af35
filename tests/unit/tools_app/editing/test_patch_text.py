import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.editing.errors import PatchUnreadable
from tools_app.editing.patch_text import AddFile, DeleteFile, Hunk, HunkLine, Section, UpdateFile, read_patch


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def hunk_of(*lines: str) -> Hunk:
    (section,) = read_patch(patch("*** Update File: a", *lines))
    assert isinstance(section, UpdateFile)
    (hunk,) = section.hunks
    return hunk


def texts(hunk: Hunk) -> list[str]:
    return [line.mark + line.text for line in hunk.lines]


def test_sections_come_in_their_order() -> None:
    text = patch(
        "*** Add File: a b.py",
        "+one",
        "+",
        "*** Delete File: gone",
        "",
        "*** Update File: old",
        "*** Move to: new",
        "@@ def f():",
        " same",
        "-old",
        "+new",
        "*** End of File",
    )
    assert read_patch(text) == (
        AddFile("a b.py", "one\n\n"),
        DeleteFile("gone"),
        UpdateFile(
            "old",
            "new",
            (Hunk(("def f():",), (HunkLine(" ", "same"), HunkLine("-", "old"), HunkLine("+", "new")), at_end=True),),
        ),
    )


@pytest.mark.parametrize(
    "wrapped",
    [
        "cat <<'EOF' | apply_patch\n{}EOF\n",
        "Here it is:\n\n```\n{}```\nThat is all.",
        "  {}",
        "\n\n{}\n\n",
    ],
)
def test_text_around_a_patch_is_passed_over(wrapped: str) -> None:
    assert read_patch(wrapped.format(patch("*** Delete File: a"))) == (DeleteFile("a"),)


def test_a_patch_sent_in_two_pieces_is_one() -> None:
    assert read_patch(patch("*** Delete File: a") + patch("*** Delete File: b")) == (DeleteFile("a"), DeleteFile("b"))


def test_a_patch_sent_with_crlf_means_the_same() -> None:
    text = patch("*** Add File: a", "+x", "*** Update File: b", "@@ f", " x", "-y", "", "-z", "+w")
    assert read_patch(text.replace("\n", "\r\n")) == read_patch(text)


def test_an_added_file_may_be_empty_and_may_hold_anything() -> None:
    assert read_patch(patch("*** Add File: a")) == (AddFile("a", ""),)
    assert read_patch(patch("*** Add File: a", "+*** End Patch", "+@@", "++x", "", "+-y", "")) == (
        AddFile("a", "*** End Patch\n@@\n+x\n\n-y\n"),
    )


def test_lines_of_a_hunk_may_look_like_marks() -> None:
    assert texts(hunk_of("@@", " *** End Patch", "-*** Add File: x", "+@@ y")) == [
        " *** End Patch",
        "-*** Add File: x",
        "+@@ y",
    ]


def test_the_first_hunk_needs_no_head() -> None:
    assert hunk_of("-a", "+b") == hunk_of("@@", "-a", "+b")


def test_several_heads_narrow_one_hunk_down() -> None:
    assert hunk_of("@@ class A:", "@@     def f(self):", "-a").contexts == ("class A:", "    def f(self):")


@pytest.mark.parametrize("head", ["@@ -1,3 +1,4 @@", "@@ -1 +1 @@ def f():", "@@ @@", "@@  "])
def test_line_numbers_after_a_head_are_no_context(head: str) -> None:
    assert hunk_of(head, "-a").contexts == ()


def test_a_head_may_be_closed() -> None:
    assert hunk_of("@@ def f(): @@", "-a").contexts == ("def f():",)


def test_an_empty_line_is_a_line_that_stays_but_not_behind_the_last() -> None:
    assert texts(hunk_of("@@", " a", "", "-b", "", "")) == [" a", " ", "-b"]
    assert texts(hunk_of("@@", "-b", "", "*** End of File")) == ["-b", " "]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no line `\\*\\*\\* Begin Patch`"),
        ("*** Begin Patch\n*** Delete File: a\n", "may have been cut off"),
        ("*** Begin Patch\n*** Update File: a\n@@\n-a\n+", "may have been cut off"),
        (patch(), "no section"),
        (patch("*** Delete File:  "), "A path is missing"),
        (patch("*** Update File: a", "*** Move to:", "@@", "-a"), "A path is missing"),
        (patch("delete a"), "Line 2 of the patch cannot be read: 'delete a'. A section begins"),
        (patch("*** Rename File: a"), "A section begins"),
        (patch("*** Add File: a", "x"), "Line 3 .* begins with `\\+`"),
        (patch("*** Update File: a"), "The update of a changes nothing"),
        (patch("*** Update File: a", "@@ f"), "No line of the update follows"),
        (patch("*** Update File: a", "@@", "*** End of File"), "No line of the update follows"),
        (patch("*** Update File: a", "@@", "x"), "Line 4 .* begins with a space"),
        (patch("*** Update File: a", "@@", "-a", "\\ No newline at end of file"), "Line 5"),
    ],
)
def test_what_is_no_patch_is_refused_with_the_line(text: str, why: str) -> None:
    with pytest.raises(PatchUnreadable, match=why):
        read_patch(text)


HEADS = ["*** Begin Patch", "*** End Patch", "*** Add File: a", "*** Update File: b", "*** Delete File: c", "***"]
MARKS = [
    "*** Move to: d",
    "*** End of File",
    "@@",
    "@@ x",
    "@@ -1 +1 @@",
    " x",
    "-x",
    "+x",
    "",
    "x",
    "\r",
    " \r",
    "+\r",
]


@given(st.lists(st.sampled_from([*HEADS, *MARKS]), max_size=14).map("\n".join) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        sections: tuple[Section, ...] = read_patch(text)
    except PatchUnreadable:
        return
    assert sections
