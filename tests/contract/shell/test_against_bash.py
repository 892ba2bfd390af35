"""The analysis is compared with real bash: unless it is incomplete, it contains all programs that run and all files
that are opened.

SHELL_PROOF_EXAMPLES is the number of generated command lines (1000; 100 in `make test`), SHELL_PROOF_SEED selects them
(1). `make test` tries every twentieth command of the corpora, `make test-all` all of them.
"""

import os
from dataclasses import replace
from typing import Final

import pytest

from tests.contract.shell.container import Tracing
from tests.contract.shell.proof import analyze, prove
from tests.corpora.shell.corpus import everyday, ways_around
from tests.corpora.shell.grammar import generate
from tests.support.lanes import EVERYTHING
from tools_app.permission.shell import ShellAnalysis

pytestmark = pytest.mark.docker

EXAMPLES: Final = int(os.environ.get("SHELL_PROOF_EXAMPLES", "1000" if EVERYTHING else "100"))
SEED: Final = int(os.environ.get("SHELL_PROOF_SEED", "1"))
STRIDE: Final = 1 if EVERYTHING else 20
FEWEST_COMPLETE: Final = 0.2
"""Least share of the generated commands with a complete analysis, because only these are run and compared."""

HIDDEN: Final = (
    'echo "$(cat words.txt)"',
    "ls; cat words.txt",
    "env cat words.txt",
    "cat words.txt | sort",
    "(cat words.txt)",
)
WRITING: Final = ("echo x > new.txt", "sort -o new.txt words.txt", "cp words.txt new.txt", "cd src && echo x > new.txt")


def without_cat(command: str) -> ShellAnalysis:
    found = analyze(command)
    kept = tuple(each for each in found.commands if each.words[0] != "cat")
    return replace(found, commands=kept)


def without_paths(command: str) -> ShellAnalysis:
    return replace(analyze(command), paths=())


def test_everyday_commands_do_what_was_said(traced: Tracing) -> None:
    commands = [one.command for one in everyday()][::STRIDE]
    proof = prove(commands, traced)
    print(proof)
    assert proof.complete >= len(commands) // 2
    assert proof.kept_back == {}, str(proof)


def test_ways_around_that_are_called_complete_do_what_was_said(traced: Tracing) -> None:
    proof = prove([way.command for way in ways_around()][::STRIDE], traced)
    print(proof)
    assert proof.kept_back == {}, str(proof)


def test_generated_commands_do_what_was_said(traced: Tracing) -> None:
    proof = prove(generate(EXAMPLES, SEED), traced)
    print(f"SHELL_PROOF_SEED={SEED}:", proof)
    assert proof.complete >= FEWEST_COMPLETE * proof.commands
    assert proof.kept_back == {}, f"SHELL_PROOF_SEED={SEED}: {proof}"


def test_an_analysis_that_overlooks_commands_is_found_out(traced: Tracing) -> None:
    assert set(prove(HIDDEN, traced, without_cat).kept_back) == set(HIDDEN)


def test_an_analysis_that_overlooks_paths_is_found_out(traced: Tracing) -> None:
    outside = ("cat hosts", "cat out/passwd", "cd .. && ls", "cat .env", "cat < /etc/passwd")
    assert set(prove((*WRITING, *outside), traced, without_paths).kept_back) == {*WRITING, *outside}


def test_the_real_analysis_passes_where_the_broken_ones_are_found_out(traced: Tracing) -> None:
    proof = prove((*HIDDEN, *WRITING), traced)
    assert (proof.complete, proof.kept_back) == (len(HIDDEN) + len(WRITING), {})
