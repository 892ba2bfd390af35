"""Folders of sessions: the accepted notation of their paths, and the rules and files that apply in a folder."""

import pytest

from sessions_app.configuration.folders import BadFolder, in_force, moved_below, read_folder, with_parents


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("", ""),
        (".", ""),
        ("./", ""),
        ("a", "a"),
        (" packages/api/ ", "packages/api"),
        ("a/./b/../c", "a/c"),
        ("ä", "ä"),
    ],
)
def test_a_folder_is_written_in_one_way(text: str, folder: str) -> None:
    assert read_folder(text) == folder


@pytest.mark.parametrize(
    "text",
    [
        "/",
        "/etc",
        "..",
        "a/../..",
        "../x",
        "~/x",
        "a*",
        "a[b]",
        "a{b}",
        "a\\b",
        "a\nb",
        ".git",
        "a/.git",
        "x" * 256,
        "a/" * 9,
    ],
)
def test_other_texts_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(BadFolder, match=r"\.$"):
        read_folder(text)


def test_a_folder_has_the_folders_above_it() -> None:
    assert with_parents("") == ("",)
    assert with_parents("a/b/c") == ("", "a", "a/b", "a/b/c")


def test_items_of_the_folder_and_above_apply_from_the_root_down() -> None:
    items = [{"in_folder": "a/b"}, {"in_folder": "ab"}, {"in_folder": "a"}, {"path": "x"}, {"in_folder": "a/b/c"}]
    assert in_force(items, "a/b") == [{"path": "x"}, {"in_folder": "a"}, {"in_folder": "a/b"}]
    assert in_force(items, "") == [{"path": "x"}]


def test_paths_move_below_the_folder_they_were_found_in() -> None:
    assert moved_below({"path": "x", "text": "x"}, "", "path") == {"path": "x", "text": "x"}
    assert moved_below({"path": "x", "text": "x"}, "a/b", "path") == {"path": "a/b/x", "text": "x", "in_folder": "a/b"}
