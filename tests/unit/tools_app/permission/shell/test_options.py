"""Splitting words into options, values and operands."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched
from tools_app.permission.shell.options import parse_arguments
from tools_app.permission.shell.specs import spec
from tools_app.permission.shell.specs_of_image import of_image
from tools_app.permission.shell.words import Field

OD = of_image(spec("cv", "-w? --width? -j: --skip-bytes:", "r"), "od")


def parsed(*words: str) -> tuple[list[tuple[str, str | None]], list[str], list[str]]:
    found = parse_arguments("od", [Field(word) for word in words], OD)
    options = [(name, value.text if value else None) for name, value in found.options]
    return options, [each.text for each in found.operands], found.doubts


@pytest.mark.parametrize(
    ("words", "options", "operands"),
    [
        (["-w", "f"], [("-w", None)], ["f"]),
        (["-w8", "f"], [("-w", "8")], ["f"]),
        (["-cw8", "f"], [("-c", None), ("-w", "8")], ["f"]),
        (["--width", "f"], [("--width", None)], ["f"]),
        (["--width=8", "f"], [("--width", "8")], ["f"]),
        (["-j", "8", "f"], [("-j", "8")], ["f"]),
        (["-j8", "f"], [("-j", "8")], ["f"]),
        (["--skip", "8", "f"], [("--skip-bytes", "8")], ["f"]),
        (["--", "-w"], [], ["-w"]),
    ],
)
def test_only_a_required_value_may_be_a_word_of_its_own(
    words: list[str], options: list[tuple[str, str | None]], operands: list[str]
) -> None:
    assert parsed(*words) == (options, operands, [])


def test_an_option_of_the_program_that_nobody_judged_is_not_known() -> None:
    _, _, doubts = parsed("--endian=big", "f")
    assert doubts == ["the option --endian of `od` is not known"]


def test_an_ambiguous_abbreviation_is_not_known() -> None:
    _, _, doubts = parsed("--s", "f")  # --skip-bytes or --strings
    assert doubts == ["the option --s of `od` is not known"]


@pytest.mark.parametrize(
    "command",
    [
        'rg --pr"$x" foo',
        'sort --out"$x" f',
        'git diff --out"$x"',
        'git log -"$x"',
        'sort "$x"',
        'git reflog show "$x"',
        'git add "$x"',
        'git checkout -"$x"',
        'find . -exec echo "$x" {} +',
    ],
)
def test_a_word_that_may_be_an_option_makes_the_analysis_incomplete(command: str) -> None:
    assert not analyzed(f"x=$(cat f); {command}").complete


@pytest.mark.parametrize(
    "command", ['head -n "$x" f', 'git log -n "$x"', 'git commit -m "$x"', 'rg -e "$x" src', 'git log --author="$x"']
)
def test_the_value_of_an_option_is_no_option(command: str) -> None:
    assert analyzed(f"x=$(cat f); {command}").complete


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("sed -i.bak s/a/b/ src/f", {"src/f", "src/f.bak"}),
        ("sed --in-place='.git/*' s/a/b/ config", {"config", ".git/config"}),
        ("sed -i'old_*' s/a/b/ src/f", {"src/f", "src/old_f"}),
        ("install -d a b", {"a", "b"}),
        ("install -D c a/../b", {"a", "a/../b", "a/../b/c"}),
        ("chmod -x f", {"f"}),
        ("cp -b a b", {"b", "b/a", "b~", "b/a~"}),
        ("git mv a b", {"a", "b"}),
        ("git restore a", {"a"}),
        ("git rm --cached a", set()),
        ("git checkout -b new", set()),
        ("git checkout main", {"."}),
        ("git apply p", {"."}),
        ("git apply --stat p", set()),
        ("git stash", {"."}),
        ("git stash list", set()),
        ("patch -p1 -i p", {"."}),
        ("patch --dry-run -i p", set()),
        ("tar xf a", {"."}),
        ("tar xOf a", set()),
        ("unzip a -d b", {"b"}),
    ],
)
def test_what_a_command_writes_is_found(command: str, written: set[str]) -> None:
    assert touched(command, "write") == {f"/workspace/{path}" for path in written}


@pytest.mark.parametrize(
    ("tests", "names"),
    [
        ("-name '*.py' -not -path './x/*'", ("*.py",)),
        ("-not -path './x/*' -name '*.py'", ("*.py",)),
        ("-not -name '*.py'", ()),
        ("-name '*.py' -o -true", ()),
        (r"\( -name '*.py' -o -name x \)", ("*.py", "x")),
        (r"! \( -name '*.py' -o -name x \)", ()),
        (r"-name x \( -type f -o -name '*.py' \)", ("x",)),
        ("-name x -prune -o -name '*.py'", ("*.py",)),
        ("-name '*.py' , -true", ()),
        (r"\( -name '*.py' -o -true \)", ()),
        ("-printf -name", ()),
    ],
)
def test_only_a_test_that_every_result_passes_limits_the_names(tests: str, names: tuple[str, ...]) -> None:
    uses = [use for use in analyzed(f"find . {tests} -exec wc {{}} +").paths if use.contents]
    assert {name for use in uses for name in use.only} == set(names)
    assert all(len(use.only) == 1 for use in uses) or not names


@pytest.mark.parametrize("tests", ["! -type f", "-type f -o -true", "-type f , -true", "-type l", "-type f,l"])
def test_links_count_unless_every_result_is_none(tests: str) -> None:
    assert next(use for use in analyzed(f"find . {tests} -exec wc {{}} +").paths if use.contents).follow


def test_git_takes_the_value_of_a_setting_from_the_next_word() -> None:
    assert "git push origin" in analyzed("git -c a.b=c push origin").patterns


@pytest.mark.parametrize("command", ["watch rm -rf x", "script -c 'rm -rf x' log", "su agent -c 'rm -rf x'"])
def test_a_rule_finds_the_command_in_one_that_is_not_analysed(command: str) -> None:
    analysis = analyzed(command)
    assert "rm -rf x" in {*analysis.patterns, *analysis.spellings}


@pytest.mark.parametrize("command", ["git diff --skip- --output a", "git log --min-parents --output a"])
def test_git_may_read_an_option_where_another_one_wants_its_value(command: str) -> None:
    assert not analyzed(command).complete
    assert touched(command, "write") == {"/workspace/a"}


def test_options_of_git_with_a_value_are_known_as_they_are_written() -> None:
    assert analyzed("git log --skip 5 --since yesterday --oneline").complete


@pytest.mark.parametrize(
    ("command", "reads_all"), [("grep -r a*", True), ("rgrep *'m'", True), ("grep -r a* src", False), ("ls a*", False)]
)
def test_a_glob_may_be_no_more_than_the_pattern_to_search_for(command: str, *, reads_all: bool) -> None:
    assert ("/workspace/." in touched(command, "read")) == reads_all


@pytest.mark.parametrize(
    "command",
    [
        "cpp @o",
        "cpp a.c -o @o",
        "gcc -c a.c -o @o",
        "javac -d @o A.java",
        "nm @o",
        "objdump --start-address @o a",
        "strings -n @o a",
    ],
)
def test_a_word_that_begins_with_at_is_a_file_with_more_arguments_wherever_it_stands(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert "/workspace/o" in {use.path for use in found.paths}
