"""Command lines that are composed from the productions of `productions.toml`.

`@{name}` in a form is filled by a construct, a slot, a word or a text of that name, or by a function of `given`. Below
`MAX_DEPTH` only forms without further constructs are chosen, so that every text ends.
"""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final

MAX_DEPTH: Final = 7
Maker = Callable[[Random], str]

_TABLES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = tomllib.loads(
    Path(__file__).with_name("productions.toml").read_text()
)
NODES: Final[Mapping[str, Sequence[str]]] = {
    name.removesuffix("_node"): forms for name, forms in _TABLES["nodes"].items()
}
"""Forms of each named node of the grammar."""
_INLINE: Final = {**_TABLES["nodes"], **_TABLES["slots"], **_TABLES["words"], **_TABLES["texts"]}
_HOLE: Final = re.compile(r"@\{(\w+)\}")


def compose(random: Random, given: Mapping[str, Maker], start: str = "text") -> str:
    """Compose a random text for the slot `start`. `given` maps slots to makers, for words that depend on the image."""
    return _fill(f"@{{{start}}}", random, given, 0)


def compose_node(node: str, form: str, random: Random, given: Mapping[str, Maker]) -> str:
    return _fill(form, random, given, 1)


def _fill(form: str, random: Random, given: Mapping[str, Maker], depth: int) -> str:
    return _HOLE.sub(lambda hole: _one(hole[1], random, given, depth), form)


def _one(name: str, random: Random, given: Mapping[str, Maker], depth: int) -> str:
    if name in given:
        return given[name](random)
    if depth > MAX_DEPTH:
        name = _ending(name)
    chosen = random.choice(_INLINE[name])
    if name in _TABLES["slots"] and chosen in _INLINE:
        return _one(chosen, random, given, depth + 1)
    return _fill(chosen, random, given, depth + 1)


def _ending(name: str) -> str:
    """Return the grammar slot that replaces the slot `name` once the maximum depth is reached, so that the text
    ends."""
    if name in _TABLES["texts"]:
        return name
    is_word = name in _TABLES["words"] or (name not in _TABLES["nodes"] and name not in _STATEMENTS)
    return "plain" if is_word else "ran"


_STATEMENTS: Final = frozenset({"text", "statements", "prepared", "statement", "compound", "builtin", "wrapped"})


def holes() -> frozenset[str]:
    """Return the placeholder names that forms in `productions.toml` use but do not define. The caller must give
    functions for these names."""
    used = {
        hole for table in _TABLES.values() for forms in table.values() for form in forms for hole in _HOLE.findall(form)
    }
    return frozenset(used - _INLINE.keys())
