"""Mutation test of the shell analysis and its tables: `python -m tests.contract.shell.mutants [WORD ...]`.

Each mutant leaves out one check. The program prints what detects each mutant, and which mutants survive. With words,
it tries only the mutants whose names contain one of them. `harmless.toml` explains mutants without a relevant
effect.
"""

import argparse
import os
import sys
from collections import Counter

from tests.contract.shell.container import tracing
from tests.contract.shell.fuzz.calls import every_option
from tests.contract.shell.fuzz.generate import Generator
from tests.contract.shell.fuzz.vocabulary import of_image
from tests.contract.shell.mutants.kill import corpora, verdicts
from tests.contract.shell.mutants.sites import load
from tests.contract.shell.mutants.tables import watch
from tests.support.engine import running_engine

os.environ.setdefault("SANDBOX_LOCAL_FOR_TESTS", "yes")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.contract.shell.mutants", description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10_000, help="commands that are composed, besides the corpora")
    options = parser.parse_args()
    mutants = load()
    watch(mutants, mutants.modules)
    sites = [site for site in mutants.sites if not options.words or any(word in site for word in options.words)]
    with running_engine() as engine, tracing(engine) as traced:
        vocabulary = of_image(traced)
        generator = Generator(options.seed, vocabulary)
        commands = [*corpora(), *map(generator.text, range(options.count)), *every_option(vocabulary)]
        found = verdicts(mutants, sites, commands, traced)
    print(*sorted(found, key=lambda verdict: (verdict.fate, verdict.site)), sep="\n")
    fates = Counter(verdict.fate for verdict in found)
    print(f"\n{len(found)} mutants:", ", ".join(f"{count} {fate}" for fate, count in fates.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
