import pytest

from tools_app.builtin.apply_patch import apply_patch
from tools_app.editing.errors import EditError, NothingToChange, PatchMisplaced, PatchUnreadable, TooMuchWork
from tools_app.editing.patch_text import read_patch
from tools_app.editing.patching import PatchedFile, plan_patch
from tools_app.spec import ToolError


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def update(path: str, old: str, new: str) -> tuple[str, ...]:
    return (f"*** Update File: {path}", "@@", f"-{old}", f"+{new}")


def move(path: str, target: str) -> tuple[str, ...]:
    return (f"*** Update File: {path}", f"*** Move to: {target}")


def test_only_what_changes_is_told() -> None:
    files = {"a": "1\n", "b": "2\n", "c": "3\n"}
    text = patch(*update("a", "1", "x"), "*** Delete File: b", "*** Add File: d/e", "+new")
    assert apply_patch(files, text) == {"a": "x\n", "b": None, "d/e": "new\n"}
    assert files == {"a": "1\n", "b": "2\n", "c": "3\n"}


def test_several_sections_about_one_file_add_up() -> None:
    text = patch(*update("a", "two", "2"), *update("a", "one", "1"), *update("./a", "1", "I"))
    assert apply_patch({"a": "one\ntwo\n"}, text) == {"a": "I\n2\n"}


def test_a_file_that_was_added_can_be_updated_and_is_nothing_when_deleted_again() -> None:
    assert apply_patch({}, patch("*** Add File: a", "+x", *update("a", "x", "y"))) == {"a": "y\n"}
    with pytest.raises(NothingToChange):
        apply_patch({}, patch("*** Add File: a", "+x", "*** Delete File: a"))


def test_a_file_moves_with_and_without_changes() -> None:
    assert apply_patch({"a": "1\n"}, patch(*move("a", "b/c"))) == {"a": None, "b/c": "1\n"}
    assert apply_patch({"a": "1\n"}, patch(*move("a", "b"), "@@", "-1", "+2")) == {"a": None, "b": "2\n"}
    assert apply_patch({"a": "1\n"}, patch(*move("a", "b"), *update("b", "1", "2"))) == {"a": None, "b": "2\n"}
    assert apply_patch({"a": "1\n"}, patch(*move("a", "a"), "@@", "-1", "+2")) == {"a": "2\n"}


def test_files_can_change_places() -> None:
    text = patch(*move("a", "c"), *move("b", "a"), *move("c", "b"))
    assert apply_patch({"a": "1\n", "b": "2\n"}, text) == {"a": "2\n", "b": "1\n"}


def test_a_chain_of_moves_is_one() -> None:
    plan = plan_patch({"a": "1\n"}, read_patch(patch(*move("a", "b"), *move("b", "c"))))
    assert plan.files == (PatchedFile("a", "move", "1\n", "1\n", "c"),)


def test_what_is_lost_where_a_file_moves_to_is_told() -> None:
    plan = plan_patch({"a": "1\n", "b": "2\n"}, read_patch(patch("*** Delete File: b", *move("a", "b"))))
    assert plan.files == (PatchedFile("a", "delete", "1\n", None), PatchedFile("b", "update", "2\n", "1\n"))
    assert plan.texts() == {"a": None, "b": "1\n"}


def test_a_new_file_may_stand_where_another_was() -> None:
    assert apply_patch({"a": "1\n"}, patch("*** Delete File: a", "*** Add File: a", "+2")) == {"a": "2\n"}
    text = patch(*move("a", "b"), "*** Add File: a", "+1")
    assert apply_patch({"a": "1\n"}, text) == {"b": "1\n"}


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("*** Add File: a", "+x"), "a exists already. Update it"),
        (("*** Add File: n", "+x", "*** Add File: n", "+y"), "n exists already"),
        (move("a", "b"), "b exists already. Give another path"),
        (update("n", "x", "y"), "n does not exist. To make a new file"),
        (("*** Delete File: n",), "n does not exist"),
        (("*** Delete File: a", *update("a", "1", "2")), "deletes a before it changes it"),
        (("*** Delete File: a", "*** Delete File: a"), "deletes a before"),
        ((*move("a", "n"), *update("a", "1", "2")), "moves a to n before it changes it. Use the new path"),
    ],
)
def test_what_does_not_suit_the_files_is_refused(lines: tuple[str, ...], why: str) -> None:
    with pytest.raises(PatchMisplaced, match=why) as caught:
        apply_patch({"a": "1\n", "b": "2\n"}, patch(*lines))
    assert isinstance(caught.value, ToolError)


def test_a_patch_of_context_alone_changes_nothing() -> None:
    with pytest.raises(NothingToChange):
        apply_patch({"a": "1\n"}, patch("*** Update File: a", "@@", " 1"))
    plan = plan_patch(
        {"a": "1\n", "b": "2\n"}, read_patch(patch("*** Update File: a", "@@", " 1", *update("b", "2", "3")))
    )
    assert plan.notes == ("A section about a changes nothing in it.",)


def test_one_section_that_fails_fails_all() -> None:
    files = {"a": "1\n", "b": "2\n"}
    with pytest.raises(EditError):
        apply_patch(files, patch(*update("a", "1", "x"), *update("b", "none", "y")))
    with pytest.raises(PatchUnreadable):
        apply_patch(files, patch(*update("a", "1", "x"), "nonsense"))
    assert files == {"a": "1\n", "b": "2\n"}


def test_a_huge_file_named_a_thousand_times_is_given_up_with_words() -> None:
    content = "".join(f"{number}\n" for number in range(200_000))
    with pytest.raises(TooMuchWork):
        apply_patch({"a": content}, patch(*(line for number in range(1000) for line in update("a", str(number), "x"))))
