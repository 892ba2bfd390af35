"""Edits and patches of real files with the usual inaccuracies of models change the right place only, or are refused.

The random seed is fixed, so that a failure can be repeated (`FUZZ_SEED`); `make soak` tries fifty times as many
edits.
"""

import os
import random
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

import pytest

from tests.unit.tools_app.editing.corpus import misremembered, real_texts, shaped
from tools_app.builtin.apply_patch import apply_patch
from tools_app.editing.errors import EditError
from tools_app.editing.patch_text import read_patch
from tools_app.editing.patching import plan_patch
from tools_app.editing.replace import replace
from tools_app.editing.replace_many import Replacement, replace_several

ROUNDS: Final = 20_000 if "SOAK" in os.environ else 400
SEED: Final = os.environ.get("FUZZ_SEED", "1")
MARK: Final = "<<a text that stands nowhere else>>"


def rounds(name: str, share: float = 1.0) -> Iterator[random.Random]:
    for number in range(int(ROUNDS * share)):
        yield random.Random(f"{SEED} {name} {number}")


def words(text: str) -> str:
    return "".join(text.removeprefix("\ufeff").split())


def some_lines(text: str, dice: random.Random) -> str:
    lines = text.removeprefix("\ufeff").splitlines(keepends=True) or [""]
    start = dice.randrange(len(lines))
    return "".join(lines[start : start + dice.choice((1, 1, 2, 3, 5, 12))])


def test_an_edit_replaces_what_was_meant_or_is_refused() -> None:
    made = 0
    for dice in rounds("edit"):
        content = shaped(dice.choice(real_texts()), dice)
        old = misremembered(some_lines(content, dice).rstrip("\r\n" if dice.random() < 0.5 else ""), dice)
        new = dice.choice((MARK, f"{MARK}\n", f"\n{MARK}\n\n", rf"{MARK} $& \1 \g<0> {{}}"))
        try:
            changed = replace(content, old, new)
        except EditError:
            continue
        made += 1
        before, after = around(changed)
        assert content.startswith(before)
        assert content.endswith(after)
        replaced = content[len(before) : len(content) - len(after)]
        assert words(replaced) == words(old)
        assert changed.endswith("\n") == content.endswith("\n") or not after
    assert made > ROUNDS / 4


def around(changed: str) -> tuple[str, str]:
    """Return the texts before and after the only occurrence of `MARK`, without adjacent line breaks."""
    before, found, after = changed.partition(MARK)
    assert found
    assert MARK not in after
    tail = r" $& \1 \g<0> {}"
    return before.rstrip("\r\n"), after.removeprefix(tail).lstrip("\r\n")


def test_several_edits_are_all_made_or_none() -> None:
    for dice in rounds("multiedit", 0.25):
        content = shaped(dice.choice(real_texts()), dice)
        edits = [
            Replacement(misremembered(some_lines(content, dice), dice), f"{MARK}{number}", dice.random() < 0.2)
            for number in range(dice.randint(1, 4))
        ]
        expected: str | None = content
        for edit in edits:
            try:
                expected = replace(expected or "", edit.old, edit.new, replace_all=edit.replace_all)
            except EditError:
                expected = None
                break
        try:
            assert replace_several(content, edits) == expected
        except EditError:
            assert expected is None


def test_a_patch_makes_what_its_author_made_or_says_that_it_may_not_have() -> None:
    certain = 0
    for dice in rounds("patch"):
        before = shaped(dice.choice(real_texts()), dice)
        after = changed_lines(before, dice)
        if after == before:
            continue
        text = patch_between(before, after, dice, context=dice.choice((0, 1, 3, 3)))
        try:
            plan = plan_patch({"a": before}, read_patch(text))
        except EditError:
            continue
        result = plan.texts()["a"]
        assert result is not None
        assert result.endswith("\n") == before.endswith("\n") or ends_with_an_empty_line(after)
        assert result.startswith("\ufeff") == before.startswith("\ufeff")
        if not plan.notes:
            certain += 1
            assert without_end(result) == without_end(after)
    assert certain > ROUNDS / 3


def changed_lines(text: str, dice: random.Random) -> str:
    """Return the text with lines added, removed and changed. Line breaks are kept, or copied from a neighbour."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(lines) + 1)
        end = "\r\n" if lines and lines[at - 1 if at else 0].endswith("\r\n") else "\n"
        match dice.choice(("come", "go", "change")):
            case "come":
                lines[at:at] = [f"new {dice.randrange(10**6)}{end}"]
            case "go":
                del lines[at : at + dice.randint(1, 3)]
            case "change":
                lines[at : at + 1] = [f"changed {dice.randrange(10**6)}{end}"]
    return mark + "".join(lines)


def patch_between(before: str, after: str, dice: random.Random, *, context: int) -> str:
    old, new = (text.removeprefix("\ufeff").splitlines() for text in (before, after))
    lines = ["*** Begin Patch", "*** Update File: a"]
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines.append("@@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                lines += [f" {remembered_line(line, dice, old)}" for line in old[start:end]]
                continue
            lines += [f"-{remembered_line(line, dice, old)}" for line in old[start:end]]
            lines += [f"+{line}" for line in new[new_start:new_end]]
        if group[-1][2] == len(old) and dice.random() < 0.5:
            lines.append("*** End of File")
    return "\n".join([*lines, "*** End Patch"])


def remembered_line(line: str, dice: random.Random, lines: Sequence[str]) -> str:
    """Return a line as a model may remember it: sometimes with changed blanks at its end, but never equal to another
    line of the file, which would be ambiguous."""
    if dice.random() < 0.05:
        return line if line.rstrip() in lines else line.rstrip()
    return f"{line} " if dice.random() < 0.02 else line


def ends_with_an_empty_line(text: str) -> bool:
    """Return whether the last line is empty, so that a missing final line break cannot be recognised."""
    return without_end(text.removeprefix("\ufeff"))[-1] == "" or text.replace("\r\n", "\n").endswith("\n\n")


def without_end(text: str) -> list[str]:
    """Return the lines of a text with LF or CRLF, leaving out empty lines at its end."""
    return text.replace("\r\n", "\n").rstrip("\n").split("\n")


FRAGMENTS: Final = (
    "*** End Patch",
    "*** Update File: b",
    "*** Move to: c",
    "*** Delete File: a",
    "@@",
    "-",
    "+",
    " ",
    "",
)


@pytest.mark.parametrize("context", [0, 3])
def test_a_damaged_patch_is_refused_or_done_and_touches_no_other_file(context: int) -> None:
    done = 0
    for dice in rounds(f"damage {context}", 0.5):
        before = shaped(dice.choice(real_texts()), dice)
        lines = patch_between(before, changed_lines(before, dice), dice, context=context).split("\n")
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(lines))
            match dice.choice(("drop", "double", "swap", "put", "cut")):
                case "drop":
                    del lines[at]
                case "double":
                    lines.insert(at, lines[at])
                case "swap":
                    lines[at - 1], lines[at] = lines[at], lines[at - 1]
                case "put":
                    lines.insert(at, dice.choice(FRAGMENTS))
                case "cut":
                    lines[at] = lines[at][: dice.randrange(len(lines[at]) + 1)]
            lines = lines or [""]
        files = {"a": before, "b": "b\n", "d": "d\n"}
        try:
            result = apply_patch(files, "\n".join(lines))
        except EditError:
            result = {}
        done += bool(result)
        assert set(result) <= {"a", "b", "c"}
        assert files == {"a": before, "b": "b\n", "d": "d\n"}
    assert done


def test_patches_over_many_files_do_what_their_sections_say_one_by_one() -> None:
    """A patch of many files has the same result as its sections one by one. The expected result is a dictionary to
    which each section is applied separately."""
    for dice in rounds("files", 0.5):
        model: dict[str, str] = {name: f"{name} 1\n{name} 2\n" for name in dice.sample("abcdef", 3)}
        files, sections = dict(model), list[str]()
        for number in range(dice.randint(1, 6)):
            sections += model_section(model, dice, number)
        try:
            result = apply_patch(files, "\n".join(["*** Begin Patch", *sections, "*** End Patch"]))
        except EditError:
            assert model == files
            continue
        outcome = {**files, **result}
        assert {path: text for path, text in outcome.items() if text is not None} == model


def model_section(model: dict[str, str], dice: random.Random, number: int) -> list[str]:
    free, taken = sorted(set("abcdefgh") - set(model)), sorted(model)
    kind = dice.choice(("delete", "update", "move", *(["add"] if free else []))) if taken else "add"
    path = dice.choice(free if kind == "add" else taken)
    if kind == "add":
        model[path] = f"{path} new {number}\n"
        return [f"*** Add File: {path}", f"+{path} new {number}"]
    text = model.pop(path)
    if kind == "delete":
        return [f"*** Delete File: {path}"]
    first = text.split("\n")[0]
    changed = text.replace(first, f"changed {number}", 1)
    hunk = ["@@", f"-{first}", f"+changed {number}"]
    if kind == "update":
        model[path] = changed
        return [f"*** Update File: {path}", *hunk]
    target = dice.choice([*free, path])
    keeps = dice.random() < 0.5
    model[target] = text if keeps and target != path else changed
    return [f"*** Update File: {path}", f"*** Move to: {target}", *([] if keeps and target != path else hunk)]
