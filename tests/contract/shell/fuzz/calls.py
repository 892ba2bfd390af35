"""Generate calls of builtins, programs and wrappers of the image with their options."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from string import ascii_letters
from typing import Final

from tests.contract.shell.fuzz.constructs import Maker, compose
from tests.contract.shell.fuzz.vocabulary import Vocabulary

HOW_MANY_OPTIONS: Final = (0, 0, 1, 1, 1, 2, 3)
MOST_OPERANDS: Final = 3
OPERANDS: Final = ("path", "path", "plain", "word", "payload")
VALUES: Final = ("payload", "path", "plain", "digits", "word")
MARKERS: Final = (".env", "../mk", "./tt")
"""A secret, a path outside and a program. They reveal an option that reads, writes or runs its value."""
OWN_OPERANDS: Final[Mapping[str, Sequence[str]]] = {
    "awk": ("'{print $1}'", "'{print > \"mk\"}'", "'BEGIN {system(\"touch mk\")}'"),
    "mawk": ("'{print $1}'",),
    "sed": ("s/a/b/", "-n p", "'1e touch mk'", "'w mk'", "'s/x/touch mk/e'", "1d"),
    "find": (". -name '*.md'", "src -exec", ". -type f -exec cat {} +", "-execdir touch mk \\;", ". -name config"),
    "jq": (".", "'.a'", "'input_filename'"),
    "grep": ("foo", "-r .", "-e S"),
    "rg": ("foo", "--files"),
    "tr": ("a b",),
    "trap": ("'touch mk' EXIT", "touch\\ mk EXIT"),
    "read": ("x < words.txt", "-r a"),
    "eval": ("'touch mk'",),
    "bash -c": ("'touch mk'", "'echo x'"),
    "sh -c": ("'echo x'",),
    "cd": ("src", "-P out", "-"),
    "git": ("status", "log", "diff", "-C src status", "-c alias.x=!./tt x"),
}
"""Operands without which a call does nothing; other operands may follow."""


def every_option(vocabulary: Vocabulary) -> Iterator[str]:
    """Yield calls with each option of each builtin, program and wrapper, with a marker joined to it or behind it."""
    for table, operand in ((vocabulary.builtins, "x"), (vocabulary.programs, "README.md"), (vocabulary.wrappers, "ls")):
        for name, options in sorted(table.items()):
            usual = OWN_OPERANDS.get(name, ("",))[0]
            for option, marker in product(options, MARKERS):
                joined = f"{option}={marker}" if option.startswith("--") else f"{option}{marker}"
                for given in (joined, f"{option} {marker}"):
                    yield " ".join([name, given, *filter(None, (usual, operand))])


def makers(vocabulary: Vocabulary) -> Mapping[str, Maker]:
    def call_of(table: Mapping[str, Sequence[str]]) -> Maker:
        names = sorted(table)

        def make(random: Random) -> str:
            name = random.choice(names)
            return _call(name, table[name], random, given)

        return make

    options = {option for each in (*vocabulary.builtins.values(), *vocabulary.programs.values()) for option in each}
    everything = sorted(options)
    given: Mapping[str, Maker] = {
        "call": call_of(vocabulary.programs),
        "builtin_call": call_of(vocabulary.builtins),
        "wrapper_call": call_of(vocabulary.wrappers),
        "option": lambda random: random.choice(everything),
    }
    return given


def _call(name: str, options: Sequence[str], random: Random, given: Mapping[str, Maker]) -> str:
    words = [_option(options, random, given) for _ in range(random.choice(HOW_MANY_OPTIONS))]
    own = OWN_OPERANDS.get(name) or OWN_OPERANDS.get(name.partition(" ")[0])
    if own and random.random() < 0.7:
        words.insert(random.randint(0, len(words)), random.choice(own))
    operands = [compose(random, given, random.choice(OPERANDS)) for _ in range(random.randint(0, MOST_OPERANDS - 1))]
    words += operands
    if operands and random.random() < 0.1:
        random.shuffle(words)
    return " ".join([name, *words])


def _option(options: Sequence[str], random: Random, given: Mapping[str, Maker]) -> str:
    option = random.choice(options) if options and random.random() < 0.95 else f"-{random.choice(ascii_letters)}"
    how = random.random()
    if how < 0.45:
        return option
    value = compose(random, given, random.choice(VALUES))
    if how < 0.7:
        return f"{option} {value}"
    return f"{option}={value}" if option.startswith("--") else f"{option}{value}"
