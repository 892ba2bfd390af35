"""The analysis returns a result for any text, and in time."""

import time
import tomllib
from itertools import product
from pathlib import PurePosixPath
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpora.shell.corpus import FOLDER, everyday, ways_around
from tests.corpora.shell.grammar import command_lines
from tests.support.lanes import sampled
from tools_app.permission.shell import ShellAnalysis, analyze

ROOT: Final = PurePosixPath("/workspace")
HOME: Final = PurePosixPath("/home/agent")
LARGE: Final = 100_000
MIDDLE: Final = 20_000
LONGEST: Final = 5.0
"""CPU seconds. The limit is generous, because the test detects quadratic time and worse, not slowness."""
SHORTER: Final = 2.0

ANY_TEXT: Final = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    st.text(alphabet="$(){}[]<>|&;'\"`\\ \n\t\r#!=*?~a1/.-"),
)


NASTY: Final = tomllib.loads((FOLDER / "nasty.toml").read_text())


def look(command: str) -> ShellAnalysis:
    return analyze(command, cwd=ROOT, root=ROOT, home=HOME)


@given(ANY_TEXT)
@example("\0")
@example("\ud800")
@example("")
@example("cat <<\ud800\n\ud800")
def test_any_text_is_analysed(command: str) -> None:
    assert isinstance(look(command).complete, bool)


@given(command_lines())
@settings(max_examples=200)
def test_any_command_line_is_analysed_and_always_in_the_same_way(command: str) -> None:
    assert look(command) == look(command)


@given(command_lines())
@settings(max_examples=200)
def test_what_is_not_understood_says_why(command: str) -> None:
    found = look(command)
    assert found.complete == (not found.reasons)


@given(st.sampled_from([*(way.command for way in ways_around()), *(one.command for one in everyday())]), st.data())
@settings(max_examples=200)
def test_a_text_that_was_cut_anywhere_is_analysed(command: str, data: st.DataObject) -> None:
    look(command[: data.draw(st.integers(0, len(command)))])


def test_each_command_is_analysed_with_its_first_words_only() -> None:
    commands = [*(way.command for way in ways_around()), *(one.command for one in everyday())]
    words = [each.split() for each in commands]
    texts = dict.fromkeys(" ".join(each[:count]) for each in words for count in range(1, min(len(each), 6) + 1))
    for text in sampled(list(texts), every=8):
        look(text)


@pytest.mark.parametrize("part", sampled([*NASTY["openings"], *NASTY["repeated"], "\udc80"], every=6), ids=repr)
def test_twenty_thousand_characters_of_one_thing_are_soon_done(part: str) -> None:
    began = time.process_time()
    look((part * (MIDDLE // len(part) + 1))[:MIDDLE])
    assert time.process_time() - began < SHORTER


@pytest.mark.parametrize("head", ["", "cat ", "frob "])
@pytest.mark.parametrize("part", ["{a,", "{1..", "{", "{$a,"])
def test_thousands_of_braces_that_nothing_closes_are_soon_done(part: str, head: str) -> None:
    began = time.process_time()
    look(head + part * (MIDDLE // len(part)))
    assert time.process_time() - began < SHORTER


@pytest.mark.parametrize(
    ("head", "part"), [("frob ", "/"), ("npm run ", "//"), ("python3 -c '", "\n"), ("git log ", ":")]
)
def test_thousands_of_signs_where_a_pattern_may_begin_are_soon_done(head: str, part: str) -> None:
    began = time.process_time()
    look(head + part * (MIDDLE // len(part)))
    assert time.process_time() - began < SHORTER


@pytest.mark.parametrize(
    ("first", "step", "last"),
    [
        ("find . ", "| frob a", ""), ("find . ", "| xargs -I{} frob {}", ""), ("tar cf a ", "a|b-e [+", ""),
        ("ls | ", "while read x; do frob $x | ", "cat" + "; done" * 40),
        ("a=(*); ", "a+=(${a[@]} ${a[@]}); ", "cat $a"), ("", "frob $(", "find ." + ")" * 40),
        ("", "if a; then x=1$x; else x=2$x; fi; ", "cat $x"),
    ],
)  # fmt: skip
def test_what_forty_steps_pass_on_does_not_double_with_each(first: str, step: str, last: str) -> None:
    began = time.process_time()
    look(first + step * 40 + last)
    assert time.process_time() - began < SHORTER


@pytest.mark.parametrize(
    ("command", "argument"), sampled([*product(NASTY["commands"], NASTY["arguments"])], every=10), ids=repr
)
def test_a_command_with_thousands_of_odd_arguments_is_soon_looked_at(command: str, argument: str) -> None:
    began = time.process_time()
    look((command + argument * (MIDDLE // len(argument)))[:MIDDLE])
    assert time.process_time() - began < SHORTER


@pytest.mark.parametrize("part", sampled(NASTY["worst"], every=3), ids=repr)
def test_a_hundred_thousand_characters_of_one_thing_are_soon_done(part: str) -> None:
    began = time.process_time()
    look((part * (LARGE // len(part) + 1))[:LARGE])
    assert time.process_time() - began < LONGEST


@pytest.mark.parametrize(("opening", "closing"), sampled(NASTY["nested"], every=3), ids=repr)
def test_deep_nesting_that_is_closed_is_soon_done(opening: str, closing: str) -> None:
    depth = LARGE // (len(opening) + len(closing))
    began = time.process_time()
    look(f"{opening * depth}ls{closing * depth}")
    assert time.process_time() - began < LONGEST


@pytest.mark.parametrize("wrapper", sampled(["bash -c", "env", "timeout 1"], every=3))
def test_a_long_row_of_wrappers_is_soon_done(wrapper: str) -> None:
    began = time.process_time()
    look(f"{wrapper} " * (LARGE // len(wrapper)) + "ls")
    assert time.process_time() - began < LONGEST


def test_two_hundred_scripts_that_run_each_other_are_soon_done() -> None:
    scripts = "".join(f"npm pkg set scripts.a{n}='npm run a{n + 1}; npm run a{n + 1}';" for n in range(200))
    began = time.process_time()
    look(f"{scripts}npm run a0")
    assert time.process_time() - began < LONGEST


def test_fifty_thousand_words_are_soon_done() -> None:
    began = time.process_time()
    look("rm " + "a " * 50_000)
    assert time.process_time() - began < LONGEST
