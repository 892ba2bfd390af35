"""The test commands, from the corpora and from a generator, detect each copy of the analysis that lacks one check."""

from pathlib import Path
from typing import Final

import pytest

from tests.contract.shell.container import Tracing
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.vocabulary import of_image
from tests.contract.shell.mutants.kill import careful, corpora, verdicts
from tests.contract.shell.mutants.sites import load
from tests.contract.shell.proof import analyze

NOTICED: Final = Path(__file__).with_name("noticed.txt").read_text().splitlines()
"""Mutants that must be detected. `python -m tests.contract.shell.mutants` lists the detected and the surviving ones."""
FEWEST: Final = 30
COMPOSED: Final = 3_000


def test_the_copy_without_a_change_says_what_the_analysis_says() -> None:
    mutants = load()
    for command in corpora()[::20]:
        assert repr(careful(mutants, command)) == repr(analyze(command))


def test_a_site_that_is_left_out_is_left_out() -> None:
    mutants = load()
    site = next(site for site in mutants.sites if site.startswith("analysis._give_up"))
    assert not careful(mutants, "echo 'a").complete
    assert site in mutants.reached
    mutants.left_out = site
    assert careful(mutants, "echo 'a").complete


@pytest.mark.docker
@pytest.mark.full
def test_checks_that_are_left_out_are_noticed(traced: Tracing) -> None:
    mutants = load()
    sites = [site for site in NOTICED if site in mutants.sites]
    assert len(sites) >= FEWEST, "the sites of noticed.txt have other names now"
    generator = Generator(1, of_image(traced))
    found = verdicts(mutants, sites, [*corpora(), *map(generator.text, range(COMPOSED))], traced)
    survivors = [verdict.site for verdict in found if not verdict.is_killed]
    assert survivors == []
