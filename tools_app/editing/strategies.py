"""Strategies for finding the text `old` in `content`, from strict to lenient. Each yields all of its matches."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from textwrap import dedent
from typing import Final

from tools_app.editing.lines import Line, Span, ends_with_break, lines_of, span_of, windows
from tools_app.editing.search_budget import SearchBudget
from tools_app.editing.similarity import similarity

Strategy = Callable[[str, str], Iterable[Span]]

SIZE_TOLERANCE: Final = 0.25  # of block_anchor: a match may have so many more or fewer lines, as a share
MIN_MIDDLE_SIMILARITY: Final = 0.65  # of block_anchor: the lowest mean similarity of the middle lines
MIN_EQUAL_MIDDLE_SHARE: Final = 0.5  # of context_aware: the lowest share of equal middle lines
MAX_COMPARED_LINE_CHARACTERS: Final = 2000  # characters; longer lines are only compared for equality
MAX_ANCHORED_BLOCKS: Final = 500
"""With more candidates, the first and last line identify nothing, and comparing all of them would take seconds."""
# The cost of a search in units of `SearchBudget`: one unit pays for so many lines or characters.
LINES_COMPARED_PER_UNIT: Final = 20
CHARACTERS_COMPARED_PER_UNIT: Final = 200
UNITS_PER_MATCH: Final = 4  # units for each match

_BLANKS: Final = re.compile(r"[ \t]+")
_ESCAPE: Final = re.compile(r"\\(n|t|r|'|\"|`|\\|\$|\n)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}


def exact(content: str, old: str) -> Iterator[Span]:
    """Yield each position at which `content` contains exactly the text `old`."""
    budget = SearchBudget()
    start = content.find(old)
    while start >= 0:
        budget.spend(UNITS_PER_MATCH + len(old) // CHARACTERS_COMPARED_PER_UNIT)
        yield Span(start, start + len(old))
        start = content.find(old, start + 1)


def line_trimmed(content: str, old: str) -> Iterator[Span]:
    """Yield each block of whole lines that equals `old`, ignoring whitespace at both ends of each line."""
    return _same_lines(content, old, str.strip)


def block_anchor(content: str, old: str) -> Iterator[Span]:
    """Match blocks whose first and last line are equal to those of `old` and whose middle lines are similar.

    Yields only the blocks with the highest similarity.
    """
    wanted = [line.text.strip() for line in lines_of(old)]
    if not _is_anchored(wanted):
        return
    budget = SearchBudget()
    blocks = list(islice(_anchored_blocks(lines_of(content), wanted, budget), MAX_ANCHORED_BLOCKS + 1))
    if len(blocks) > MAX_ANCHORED_BLOCKS:
        return
    rated = [(_middle_similarity(wanted, block, budget), block) for block in blocks]
    best = max((rating for rating, _ in rated), default=0.0)
    if best < MIN_MIDDLE_SIMILARITY:
        return
    for rating, block in rated:
        if rating == best:
            yield span_of(block, with_break=ends_with_break(old))


def whitespace_normalised(content: str, old: str) -> Iterator[Span]:
    """Match whole lines, or else a part of a line, with each run of spaces and tabs treated as one space."""
    found = list(_same_lines(content, old, _one_blank))
    yield from found
    words = old.split()
    if not found and "\n" not in old and len(words) > 1:
        SearchBudget().spend(content.count(words[0]) * len(words))
        pattern = re.compile(r"[ \t]+".join(map(re.escape, words)))
        yield from _on_word_edges(content, (Span(*match.span()) for match in pattern.finditer(content)))


def indentation_flexible(content: str, old: str) -> Iterator[Span]:
    """Yield each block of `content` that has the lines of `old` with a different common indentation."""
    budget = SearchBudget()
    wanted = _without_indentation([line.text for line in lines_of(old)])
    for block in windows(lines_of(content), len(wanted), first=wanted[0].strip()):
        budget.spend(len(block))
        if _without_indentation([line.text for line in block]) == wanted:
            yield span_of(block, with_break=ends_with_break(old))


def escape_normalised(content: str, old: str) -> Iterator[Span]:
    r"""Match `old` after unescaping it: `\n` means a line break, `\"` a quote. Some models escape once too often."""
    plain = _unescape(old)
    if plain != old:
        yield from exact(content, plain)


def trimmed_boundary(content: str, old: str) -> Iterator[Span]:
    """Yield the places in `content` of the text `old` without the whitespace at its beginning and end."""
    trimmed = old.strip()
    if trimmed != old:
        yield from _on_word_edges(content, exact(content, trimmed))


def context_aware(content: str, old: str) -> Iterator[Span]:
    """Yield the blocks of `content` that match `old`: as many lines, the same first and last line, and at least half of
    the lines between them equal."""
    wanted = [line.text.strip() for line in lines_of(old)]
    if not _is_anchored(wanted):
        return
    budget = SearchBudget()
    for block in windows(lines_of(content), len(wanted), first=wanted[0]):
        budget.spend(len(block))
        if block[-1].text.strip() == wanted[-1] and _share_of_equal_middle(block, wanted) >= MIN_EQUAL_MIDDLE_SHARE:
            yield span_of(block, with_break=ends_with_break(old))


def all_exact(content: str, old: str) -> Iterator[Span]:
    """Match the text exactly, as the strategy `exact` does, but as the last strategy."""
    return exact(content, old)


STRATEGIES: Final[Sequence[tuple[str, Strategy]]] = (
    ("exact", exact),
    ("line-trimmed", line_trimmed),
    ("block anchor", block_anchor),
    ("whitespace-normalised", whitespace_normalised),
    ("indentation-flexible", indentation_flexible),
    ("escape-normalised", escape_normalised),
    ("trimmed boundary", trimmed_boundary),
    ("context-aware", context_aware),
    ("all exact", all_exact),
)


def _same_lines(content: str, old: str, normal: Callable[[str], str]) -> Iterator[Span]:
    """Yield each run of whole lines in `content` that equals the lines of `old` when both are normalised with
    `normal`."""
    budget = SearchBudget()
    wanted = [normal(line.text) for line in lines_of(old)]
    lines = lines_of(content)
    given = [normal(line.text) for line in lines]
    for first in range(len(lines) - len(wanted) + 1):
        if given[first] != wanted[0]:
            continue
        budget.spend(1 + len(wanted) // LINES_COMPARED_PER_UNIT)
        if given[first : first + len(wanted)] == wanted:
            yield span_of(lines[first : first + len(wanted)], with_break=ends_with_break(old))


def _on_word_edges(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield only the matches that do not begin or end in the middle of a word."""
    for span in spans:
        inside_at_start = span.start > 0 and _is_word(content[span.start - 1 : span.start + 1])
        if not inside_at_start and not _is_word(content[span.end - 1 : span.end + 1]):
            yield span


def _is_word(pair: str) -> bool:
    return len(pair) == 2 and all(char.isalnum() or char == "_" for char in pair)


def _one_blank(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _without_indentation(texts: Sequence[str]) -> list[str]:
    return dedent("\n".join(text.rstrip() for text in texts).expandtabs(8)).split("\n")


def _unescape(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text)


def _is_anchored(wanted: Sequence[str]) -> bool:
    """Return whether there are at least three lines and the first and last are not empty.

    An empty line occurs too often to identify a place.
    """
    return len(wanted) >= 3 and bool(wanted[0]) and bool(wanted[-1])


def _anchored_blocks(lines: Sequence[Line], wanted: Sequence[str], budget: SearchBudget) -> Iterator[Sequence[Line]]:
    slack = max(1, int(len(wanted) * SIZE_TOLERANCE))
    trimmed = [line.text.strip() for line in lines]
    for first, text in enumerate(trimmed):
        if text != wanted[0]:
            continue
        budget.spend(1 + 2 * slack)
        for size in range(max(2, len(wanted) - slack), len(wanted) + slack + 1):
            if first + size <= len(lines) and trimmed[first + size - 1] == wanted[-1]:
                yield lines[first : first + size]


def _middle_similarity(wanted: Sequence[str], block: Sequence[Line], budget: SearchBudget) -> float:
    """Return the mean similarity of the middle lines.

    The sum is divided by the number of middle lines of the longer side, so that missing lines lower the result.
    """
    middle = wanted[1:-1]
    found = [line.text.strip() for line in block[1:-1]]
    budget.spend(sum(map(len, found)))
    total = sum(_line_similarity(one, other) for one, other in zip(middle, found, strict=False))
    return total / max(len(middle), len(found))


def _line_similarity(one: str, other: str) -> float:
    if max(len(one), len(other)) > MAX_COMPARED_LINE_CHARACTERS:
        return float(one == other)
    return similarity(one, other)


def _share_of_equal_middle(block: Sequence[Line], wanted: Sequence[str]) -> float:
    pairs = [(line.text.strip(), text) for line, text in zip(block[1:-1], wanted[1:-1], strict=True)]
    telling = [(one, other) for one, other in pairs if one or other]
    return sum(one == other for one, other in telling) / len(telling) if telling else 1.0
