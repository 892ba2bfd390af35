"""Command lines by number: the same seed and number give the same text.

A text is composed from the grammar, or is a command of the corpora in which a word is replaced by a composed one.
Afterwards its spelling is changed in a few places.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from random import Random
from typing import Final

from tests.contract.shell.fuzz.calls import makers
from tests.contract.shell.fuzz.constructs import NODES, Maker, compose, compose_node
from tests.contract.shell.fuzz.spelling import CHANGES
from tests.contract.shell.fuzz.vocabulary import Vocabulary
from tests.corpora.shell.corpus import everyday, ways_around

MAX_CHARS: Final = 300
HOW_MANY_CHANGES: Final = (0, 0, 1, 1, 1, 2, 3)
_FORMS: Final = tuple((node, form) for node, forms in sorted(NODES.items()) for form in forms)


class Generator:
    def __init__(self, seed: int, vocabulary: Vocabulary) -> None:
        self._seed = seed
        self._given = makers(vocabulary)
        self._known = _known_commands()

    def text(self, number: int) -> str:
        random = Random(f"{self._seed}:{number}")
        text = self._start(random)
        for _ in range(random.choice(HOW_MANY_CHANGES)):
            text = random.choice(CHANGES)(text, random)
        return text.replace("\0", "")[:MAX_CHARS]

    def _start(self, random: Random) -> str:
        how = random.random()
        if how < 0.2:
            return compose_node(*random.choice(_FORMS), random, self._given)
        if how < 0.35:
            return compose(random, self._given)
        if how < 0.55:
            return self._given["call"](random)
        if how < 0.65:
            return self._given["builtin_call"](random)
        if how < 0.75:
            return f"{self._given['wrapper_call'](random)} {self._given['call'](random)}"
        return _with_another_word(random.choice(self._known), random, self._given)


def _with_another_word(text: str, random: Random, given: Mapping[str, Maker]) -> str:
    words = text.split(" ")
    at = random.randint(0, len(words))
    words[at : at + random.randint(0, 1)] = [
        compose(random, given, random.choice(("word", "payload", "redirection", "option")))
    ]
    return " ".join(words)


@cache
def _known_commands() -> Sequence[str]:
    commands = dict.fromkeys((*(one.command for one in everyday()), *(way.command for way in ways_around())))
    return tuple(each for each in commands if len(each) < MAX_CHARS)
