"""The ways to find `old` in `content`, from strict to forgiving. Each yields every place it accepts."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from textwrap import dedent
from typing import Final

from tools_app.editing.lines import Line, Span, ends_with_break, lines_of, span_of, windows
from tools_app.editing.search_budget import Work
from tools_app.editing.similarity import similarity

Strategy = Callable[[str, str], Iterable[Span]]

SIZE_TOLERANCE: Final = 0.25
MIDDLE_SIMILARITY: Final = 0.65
MIDDLE_EQUAL: Final = 0.5
LONGEST_COMPARED_LINE: Final = 2000
MOST_ANCHORED_BLOCKS: Final = 500
"""Lines that stand in so many places anchor nothing, and comparing them all would take seconds."""
LINES_COMPARED_AT_ONCE: Final = 20
CHARACTERS_COMPARED_AT_ONCE: Final = 200
WORK_OF_A_PLACE: Final = 4

_BLANKS: Final = re.compile(r"[ \t]+")
_ESCAPE: Final = re.compile(r"\\(n|t|r|'|\"|`|\\|\$|\n)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}


def exact(content: str, old: str) -> Iterator[Span]:
    work = Work()
    start = content.find(old)
    while start >= 0:
        work.spend(WORK_OF_A_PLACE + len(old) // CHARACTERS_COMPARED_AT_ONCE)
        yield Span(start, start + len(old))
        start = content.find(old, start + 1)


def line_trimmed(content: str, old: str) -> Iterator[Span]:
    return _same_lines(content, old, str.strip)


def block_anchor(content: str, old: str) -> Iterator[Span]:
    """First and last line fixed, the middle alike enough; of several places those that are most alike."""
    wanted = [line.text.strip() for line in lines_of(old)]
    if not _is_anchored(wanted):
        return
    work = Work()
    blocks = list(islice(_anchored_blocks(lines_of(content), wanted, work), MOST_ANCHORED_BLOCKS + 1))
    if len(blocks) > MOST_ANCHORED_BLOCKS:
        return
    rated = [(_middle_similarity(wanted, block, work), block) for block in blocks]
    best = max((rating for rating, _ in rated), default=0.0)
    if best < MIDDLE_SIMILARITY:
        return
    for rating, block in rated:
        if rating == best:
            yield span_of(block, with_break=ends_with_break(old))


def whitespace_normalised(content: str, old: str) -> Iterator[Span]:
    """Runs of blanks count as one: whole lines first, then within a line."""
    found = list(_same_lines(content, old, _one_blank))
    yield from found
    words = old.split()
    if not found and "\n" not in old and len(words) > 1:
        Work().spend(content.count(words[0]) * len(words))
        pattern = re.compile(r"[ \t]+".join(map(re.escape, words)))
        yield from _on_word_edges(content, (Span(*match.span()) for match in pattern.finditer(content)))


def indentation_flexible(content: str, old: str) -> Iterator[Span]:
    """The same lines with the same indentation relative to each other."""
    work = Work()
    wanted = _without_indentation([line.text for line in lines_of(old)])
    for block in windows(lines_of(content), len(wanted), first=wanted[0].strip()):
        work.spend(len(block))
        if _without_indentation([line.text for line in block]) == wanted:
            yield span_of(block, with_break=ends_with_break(old))


def escape_normalised(content: str, old: str) -> Iterator[Span]:
    r"""`old` was escaped once too often: `\n` stands for a line break, `\"` for a quote."""
    plain = _unescape(old)
    if plain != old:
        yield from exact(content, plain)


def trimmed_boundary(content: str, old: str) -> Iterator[Span]:
    trimmed = old.strip()
    if trimmed != old:
        yield from _on_word_edges(content, exact(content, trimmed))


def context_aware(content: str, old: str) -> Iterator[Span]:
    """As many lines, first and last the same, and at least half of those between."""
    wanted = [line.text.strip() for line in lines_of(old)]
    if not _is_anchored(wanted):
        return
    work = Work()
    for block in windows(lines_of(content), len(wanted), first=wanted[0]):
        work.spend(len(block))
        if block[-1].text.strip() == wanted[-1] and _share_of_equal_middle(block, wanted) >= MIDDLE_EQUAL:
            yield span_of(block, with_break=ends_with_break(old))


def all_exact(content: str, old: str) -> Iterator[Span]:
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
    """Runs of whole lines that are equal to those of `old` once both are made `normal`."""
    work = Work()
    wanted = [normal(line.text) for line in lines_of(old)]
    lines = lines_of(content)
    given = [normal(line.text) for line in lines]
    for first in range(len(lines) - len(wanted) + 1):
        if given[first] != wanted[0]:
            continue
        work.spend(1 + len(wanted) // LINES_COMPARED_AT_ONCE)
        if given[first : first + len(wanted)] == wanted:
            yield span_of(lines[first : first + len(wanted)], with_break=ends_with_break(old))


def _on_word_edges(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Only those that do not begin or end in the middle of a word."""
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
    """There is something between two lines that say where it is; an empty line stands anywhere."""
    return len(wanted) >= 3 and bool(wanted[0]) and bool(wanted[-1])


def _anchored_blocks(lines: Sequence[Line], wanted: Sequence[str], work: Work) -> Iterator[Sequence[Line]]:
    slack = max(1, int(len(wanted) * SIZE_TOLERANCE))
    trimmed = [line.text.strip() for line in lines]
    for first, text in enumerate(trimmed):
        if text != wanted[0]:
            continue
        work.spend(1 + 2 * slack)
        for size in range(max(2, len(wanted) - slack), len(wanted) + slack + 1):
            if first + size <= len(lines) and trimmed[first + size - 1] == wanted[-1]:
                yield lines[first : first + size]


def _middle_similarity(wanted: Sequence[str], block: Sequence[Line], work: Work) -> float:
    """Mean over the middle lines of the longer side, so that a line without a partner counts against the place."""
    middle = wanted[1:-1]
    found = [line.text.strip() for line in block[1:-1]]
    work.spend(sum(map(len, found)))
    total = sum(_line_similarity(one, other) for one, other in zip(middle, found, strict=False))
    return total / max(len(middle), len(found))


def _line_similarity(one: str, other: str) -> float:
    if max(len(one), len(other)) > LONGEST_COMPARED_LINE:
        return float(one == other)
    return similarity(one, other)


def _share_of_equal_middle(block: Sequence[Line], wanted: Sequence[str]) -> float:
    pairs = [(line.text.strip(), text) for line, text in zip(block[1:-1], wanted[1:-1], strict=True)]
    telling = [(one, other) for one, other in pairs if one or other]
    return sum(one == other for one, other in telling) / len(telling) if telling else 1.0
