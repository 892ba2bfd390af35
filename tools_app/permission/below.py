"""path_below(): find a path below a folder that one wildcard pattern matches and others do not.

The result is exact for the language of `wildcard.match`. All patterns are read at the same time, character by
character. The set of positions in a pattern that a text can lead to is stored as a number, with one bit for each
position. If two texts lead to the same sets, only one of them is continued. The first text that reaches the end is
returned as the example.
"""

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from tools_app.permission.wildcard import match

MAX_STATES: Final = 1_000
"""Combinations of positions that are tried before the search is given up. Realistic patterns need a few hundred."""
MAX_WILDCARDS: Final = 12
"""Wildcards of a name. With more, each rule costs tens of milliseconds until it is given up."""
MAX_UNLESS: Final = 12  # patterns that are excluded exactly

_ORDINARY: Final = "x"
_SPARE: Final = "xyzwvutsrqponmlkjihgfedcbaXYZWVUTSRQPONMLKJIHGFEDCBA0123456789"
_DEAD: Final = -1
_ORDINARY_NAME: Final = 3  # of the last component: neither empty nor `.` nor `..`
_NO_NAMES: Final = frozenset({"", ".", ".."})
_STARS: Final = re.compile(r"\*+")
_WILDCARDS: Final = re.compile(r"[*?]")


class TooComplex(Exception):
    """The patterns have too many combinations to decide."""


def path_below(
    pattern: str, folder: str, *, unless: Sequence[str] = (), name: str = "*", flat: bool = False
) -> str | None:
    """Return a path below `folder` that `pattern` matches and no pattern of `unless` does; None if there is none.

    `folder` is a path as rules see it: relative to the workspace (`.` is its root) or absolute. Paths have no empty,
    `.` or `..` component, and the last component matches `name`, a glob of letters, `*` and `?`. With `flat`, the path
    must be directly in the folder. Raises TooComplex if the search would take too long.
    """
    start = "" if folder == "." else f"{folder.rstrip('/')}/"
    if "*" in unless:
        return None
    for example in _likely(pattern, start, name):
        if flat and "/" in example.removeprefix(start):
            continue
        if match(example, pattern) and not any(match(example, other) for other in unless):
            return example
    if not _end_alike(pattern, name):
        return None
    if len(_WILDCARDS.findall(name)) > MAX_WILDCARDS:
        raise TooComplex
    found = _search(pattern, start, name, tuple(unless[:MAX_UNLESS]), flat=flat)
    if found is not None and any(match(found, other) for other in unless):
        raise TooComplex
    return found


def _likely(pattern: str, start: str, name: str) -> Iterator[str]:
    """Yield paths below `start` that a pattern probably matches: its wildcards are replaced by nothing or by plain
    names."""
    for star in ("", _ORDINARY, f"{_ORDINARY}/{_ORDINARY}"):
        text = pattern.replace("*", star).replace("?", _ORDINARY)
        for path in (text, start + text):
            *folders, last = path.removeprefix(start).split("/")
            if path.startswith(start) and not {*folders, last} & _NO_NAMES and fnmatchcase(last, name):
                yield path


def _end_alike(pattern: str, name: str) -> bool:
    """Return whether the literal ends of both patterns can match the same path. This check avoids most searches."""
    end, end_of_name = _WILDCARDS.split(pattern)[-1], _WILDCARDS.split(name)[-1]
    return end.endswith(end_of_name) or end_of_name.endswith(end)


class _Automaton(NamedTuple):
    """A pattern as an automaton. If bit i of a position set is set, the first i tokens have been matched."""

    tokens: str
    stars: int
    matching: Mapping[str, int]
    """For each character of the pattern, the positions whose next token matches it. `?` is those that match any."""
    accepting: int
    name_from: int
    """The first token that may not match a slash: the pattern is a glob for the last component from there on."""

    @classmethod
    def of(cls, pattern: str) -> "_Automaton":
        optional = pattern.endswith(" *")
        tokens = _STARS.sub("*", pattern)
        accepting = 1 << len(tokens)
        accepting |= accepting >> 2 if optional else 0
        return cls(tokens, _positions(tokens, "*"), _matching(tokens), accepting, len(tokens))

    @classmethod
    def of_name(cls, glob: str) -> "_Automaton":
        """Return the automaton for paths (with a slash in front) whose last component matches the glob."""
        tokens = f"*/{_STARS.sub('*', glob)}"
        return cls(tokens, _positions(tokens, "*"), _matching(tokens), 1 << len(tokens), 2)

    def after(self, text: str) -> int:
        positions = self._closed(1)
        for char in text:
            positions = self.step(positions, char)
        return positions

    def step(self, positions: int, char: str) -> int:
        if char == "/":
            positions &= (1 << self.name_from) - 1
        matched = positions & self.matching.get(char, self.matching["?"])
        return self._closed(positions & self.stars | matched << 1)

    def accepts(self, positions: int) -> bool:
        return bool(positions & self.accepting)

    def awaited(self, positions: int) -> Iterator[str]:
        """Yield the tokens that can be next. All characters that are not among them have the same effect."""
        while positions:
            index = (positions & -positions).bit_length() - 1
            yield from self.tokens[index : index + 1]
            positions &= positions - 1

    def _closed(self, positions: int) -> int:
        return positions | (positions & self.stars) << 1


def _matching(tokens: str) -> Mapping[str, int]:
    any_character = _positions(tokens, "?")
    return {char: any_character | _positions(tokens, char) for char in {"?", *tokens}}


def _positions(tokens: str, wanted: str) -> int:
    return sum(1 << index for index, token in enumerate(tokens) if token == wanted)


@lru_cache(maxsize=4096)
def _search(pattern: str, start: str, name: str, unless: tuple[str, ...], *, flat: bool) -> str | None:
    """Return the shortest path that `pattern` and `name` match and `unless` does not: a breadth-first search over the
    position sets of all patterns.

    Results are cached: presets share most patterns, so four of ten searches are repeated.
    """
    automata = [_Automaton.of(pattern), _Automaton.of_name(name), *map(_Automaton.of, unless)]
    other, *own = (each for each in _alphabet((pattern, name, *unless)) if not (flat and each == "/"))
    positions = (automata[0].after(start), automata[1].after("/"), *(each.after(start) for each in automata[2:]))
    first = (positions, 0)
    seen = {first}
    waiting = deque([(first, start)])
    while waiting:
        (positions, component), text = waiting.popleft()
        awaited = {"/", ".", *chain.from_iterable(map(_Automaton.awaited, automata, positions))}
        for char in (other, *(each for each in own if each in awaited)):
            following = _next_component(component, char)
            moved = tuple(each.step(now, char) for each, now in zip(automata, positions, strict=True))
            state = (moved, following)
            if following == _DEAD or not (moved[0] and moved[1]) or state in seen:
                continue
            ends = [each.accepts(now) for each, now in zip(automata, moved, strict=True)]
            if following == _ORDINARY_NAME and ends[0] and ends[1] and not any(ends[2:]):
                return text + char
            if len(seen) >= MAX_STATES:
                raise TooComplex
            seen.add(state)
            waiting.append((state, text + char))
    return None


def _alphabet(patterns: Sequence[str]) -> list[str]:
    """Return the characters that make a difference for the patterns: their own, and one that none of them contains."""
    own = {char for pattern in patterns for char in pattern} - {"*", "?"} | {"/", "."}
    other = next((char for char in _SPARE if char not in own), "\ufffd")
    return [other, *sorted(own)]


def _next_component(component: int, char: str) -> int:
    """Return the state of the last component after `char`: 0 empty, 1 `.`, 2 `..`, 3 anything else."""
    if char == "/":
        return 0 if component == _ORDINARY_NAME else _DEAD
    return component + 1 if char == "." and component < _ORDINARY_NAME else _ORDINARY_NAME
