"""Comparison of the analysis with real bash, for randomly generated commands.

`make test` runs 300 commands and `make test-all` 20,000; SHELL_FUZZ_SEED (default 1) selects them.
"""

import os
from dataclasses import replace
from typing import Final

import pytest

from tests.contract.shell.container import Tracing
from tests.contract.shell.fuzz import rules
from tests.contract.shell.fuzz.calls import every_option
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.hunt import Failure, Hunt, hunt
from tests.contract.shell.fuzz.vocabulary import Vocabulary, of_image
from tests.contract.shell.proof import Analyze, analyze
from tools_app.permission.shell import ShellAnalysis

pytestmark = pytest.mark.docker

SEED: Final = int(os.environ.get("SHELL_FUZZ_SEED", "1"))
FEWEST_RUN: Final = 0.15
"""Least share of the composed commands with a complete analysis, because only these are run and compared."""
HIDDEN: Final = 'ls -l src; echo "$(cat words.txt)" a b c; true'


@pytest.fixture(scope="module")
def vocabulary(traced: Tracing) -> Vocabulary:
    return of_image(traced)


def failures(texts: list[str], traced: Tracing, analyze: Analyze = analyze) -> list[Failure]:
    return [failure for found in hunt(enumerate(texts), traced, analyze) for failure in found.failures]


def without_cat(command: str) -> ShellAnalysis:
    found = analyze(command)
    return replace(found, commands=tuple(each for each in found.commands if each.words[0] != "cat"))


def test_the_image_tells_its_builtins_and_programs_with_their_options(vocabulary: Vocabulary) -> None:
    assert {"-P", "-L"} <= set(vocabulary.builtins["cd"])
    assert {"trap", "read", "declare", "[", "mapfile"} <= vocabulary.builtins.keys()
    assert {"--output", "--files0-from", "-o"} <= set(vocabulary.programs["sort"])
    assert {"-exec", "-fprint"} <= set(vocabulary.programs["find"])
    assert {"--porcelain"} <= set(vocabulary.programs["git status"])
    assert {"--replace", "-I"} <= set(vocabulary.wrappers["xargs"])


def test_every_builtin_and_program_of_the_image_is_generated(vocabulary: Vocabulary) -> None:
    generator = Generator(1, vocabulary)
    words = {word for number in range(20_000) for word in generator.text(number).split()}
    names = {name.split()[0] for name in (*vocabulary.builtins, *vocabulary.programs, *vocabulary.wrappers)}
    assert names - words == set()


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=pytest.mark.full)])
def test_composed_commands_do_nothing_but_what_was_said(traced: Tracing, vocabulary: Vocabulary, count: int) -> None:
    generator = Generator(SEED, vocabulary)
    total = Hunt()
    for found in hunt(((number, generator.text(number)) for number in range(count)), traced):
        total.add(found)
    assert total.failures == [], "\n".join(map(str, total.failures))
    assert total.ran >= FEWEST_RUN * count


@pytest.mark.parametrize("stride", [150, pytest.param(1, marks=pytest.mark.full)])
def test_no_option_does_anything_but_what_was_said(traced: Tracing, vocabulary: Vocabulary, stride: int) -> None:
    texts = list(every_option(vocabulary))[::stride]
    found = failures(texts, traced)
    assert found == [], "\n".join(map(str, found))


def test_what_an_analysis_overlooks_is_found_and_reduced(traced: Tracing) -> None:
    (found,) = failures([HIDDEN, "ls -l src"], traced, analyze=without_cat)
    assert (found.number, found.text, found.kind) == (0, HIDDEN, "bash started")
    assert found.reduced == 'echo "$(cat)"'
    assert failures([HIDDEN], traced) == []


READING: Final = ("cat deep/note.txt", "grep -rn '' .", "head */*", "cd deep && wc -l < note.txt")
CHANGING: Final = (
    "touch src/new.py",
    "find . -type f -exec sed -i s/a/b/ {} +",
    "cp README.md src/app.py",
    "cp -r src copy",
)


def test_a_rule_that_is_not_held_for_what_a_command_really_touches_is_found(
    traced: Tracing, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces = traced.run({text: text for text in (*READING, *CHANGING, "ls -R", "cat README.md", "touch src/new")})
    assert rules.broken(traces) == {}
    monkeypatch.setattr(rules, "needs_of", lambda texts: {text: [] for text in texts})
    assert rules.broken(traces).keys() == {*READING, *CHANGING}
