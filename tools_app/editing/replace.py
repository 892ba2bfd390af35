"""Replace a text that occurs exactly once in a file, or raise an error that gives the reason."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from tools_app.editing.closest import closest_lines_message
from tools_app.editing.errors import NothingToChange, ResultTooLarge, SpanTooLarge, TextAmbiguous, TextNotFound
from tools_app.editing.lines import LinedText, Span, break_near, dominant_break, lines_of, with_break
from tools_app.editing.size_limit import MAX_RESULT_CHARACTERS, is_large
from tools_app.editing.strategies import STRATEGIES, Strategy, exact
from tools_app.text import counted

_BOM: Final = "\ufeff"
_MAX_MATCHES_SHOWN: Final = 5


def replace(content: str, old: str, new: str, *, replace_all: bool = False) -> str:
    """Return `content` with `old` replaced by `new`, literally; nothing else is changed.

    The first strategy of `STRATEGIES` that finds a match is used. It must find exactly one match, unless `replace_all`
    is set. Line breaks of `new` are converted to the line breaks of the replaced text. Raises EditError.
    """
    if old.startswith(_BOM) and old not in content:
        old, new = old.removeprefix(_BOM), new.removeprefix(_BOM)
    if old == new:
        raise NothingToChange("oldString and newString are the same: there is nothing to change.")
    if not old:
        return _created(content, new)
    spans = _find(content, old)
    if not spans:
        raise TextNotFound(_not_found_text(content, old))
    if len(spans) > 1 and not replace_all:
        raise TextAmbiguous(_ambiguous_text(content, spans))
    apart = _without_overlaps(spans)
    _refuse_growth(content, apart, new)
    changed = _substituted(content, apart, old, new)
    if changed == content:
        raise NothingToChange("The file already has this text: there is nothing to change.")
    return changed


def _created(content: str, new: str) -> str:
    if content:
        raise TextNotFound("oldString is empty, which is only for creating a new file. Give the text to replace.")
    return new


def _find(content: str, old: str) -> list[Span]:
    """Return the matches of the first strategy that has any.

    Text of whitespace alone, and any text in a large file, is only searched exactly.
    """
    strategies = STRATEGIES if old.strip() and not is_large(content) else (("exact", exact),)
    mark, body = (len(_BOM), content.removeprefix(_BOM)) if content.startswith(_BOM) else (0, content)
    lined = LinedText(body)
    for _, strategy in strategies:
        for wanted in _spellings(content, old):
            found = exact(content, wanted) if strategy is exact else _find_after_bom(strategy, lined, wanted, mark)
            spans = [_with_whole_break(content, span) for span in found if span.end > span.start]
            if spans:
                if strategy is not exact:
                    _refuse_larger(content, spans, old)
                return spans
    return []


def _find_after_bom(strategy: Strategy, body: str, old: str, mark: int) -> Iterator[Span]:
    """Yield the matches of `old` that a strategy finds in the text after the byte order mark, shifted by the mark's
    length."""
    wanted = old.removeprefix(_BOM)
    for span in strategy(body, wanted) if wanted.strip() else ():
        yield Span(span.start + mark, span.end + mark)


def _spellings(content: str, old: str) -> list[str]:
    """Return `old` in three forms without duplicates: with the line breaks of the file, unchanged, and with LF."""
    return list(dict.fromkeys((with_break(old, dominant_break(content)), old, with_break(old, "\n"))))


def _with_whole_break(content: str, span: Span) -> Span:
    """Extend a match that begins between CR and LF, so that it includes the CR."""
    return Span(span.start - 1, span.end) if span.start and content.startswith("\r\n", span.start - 1) else span


def _refuse_larger(content: str, spans: Iterable[Span], old: str) -> None:
    """Raise SpanTooLarge if a match of a lenient strategy has far more text than `old`."""
    lines = len(lines_of(old))
    for span in spans:
        text = content[span.start : span.end]
        too_many = len(lines_of(text)) >= max(lines + 3, 2 * lines)
        too_long = lines > 1 and len(text) > max(len(old) + 500, 4 * len(old))
        if too_many or too_long:
            raise SpanTooLarge("The only match is far larger than oldString. Read the file and give the exact text.")


def _refuse_growth(content: str, spans: Sequence[Span], new: str) -> None:
    growth = len(spans) * len(new) - sum(span.end - span.start for span in spans)
    if growth > 0 and len(content) + growth > MAX_RESULT_CHARACTERS:
        places = counted(len(spans), "place")
        raise ResultTooLarge(
            f"With {places} replaced the file would have more than {MAX_RESULT_CHARACTERS >> 20} MiB. Replace fewer."
        )


def _without_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return the matches in order, leaving out each match that overlaps the previous one."""
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda item: item.start):
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
    return chosen


def _substituted(content: str, spans: Iterable[Span], old: str, new: str) -> str:
    pieces: list[str] = []
    position = 0
    for span in spans:
        fitting = _without_foreign_breaks(content[span.start : span.end], old, new)
        pieces += (content[position : span.start], with_break(fitting, break_near(content, span.start)))
        position = span.end
    return "".join([*pieces, content[position:]])


def _without_foreign_breaks(place: str, old: str, new: str) -> str:
    """Return `new` without a final line break if `old` ends with one and the matched text (`place`) does not.

    Otherwise the edit would add a line break to a file that ends without one. The same applies to a line break at the
    beginning.
    """
    if old.endswith("\n") and not place.endswith("\n"):
        new = new.removesuffix("\n").removesuffix("\r")
    if old.startswith(("\n", "\r\n")) and not place.startswith(("\n", "\r\n")):
        new = new.removeprefix("\r").removeprefix("\n")
    return new


def _not_found_text(content: str, old: str) -> str:
    if is_large(content):
        return (
            "oldString was not found exactly, and the file is too large to look for anything like it. Find the place "
            "with grep, read it with offset and limit, and give the exact text."
        )
    place = (
        closest_lines_message(content, old)
        or f"The file has {counted(len(lines_of(content)), 'line')} and nothing like it."
    )
    return f"oldString was not found in the file. {place}\nRead the file again and give the exact text."


def _ambiguous_text(content: str, spans: list[Span]) -> str:
    numbers = [str(content.count("\n", 0, span.start) + 1) for span in islice(spans, _MAX_MATCHES_SHOWN)]
    more = " and more" if len(spans) > _MAX_MATCHES_SHOWN else ""
    return (
        f"oldString fits {len(spans)} places (lines {', '.join(numbers)}{more}). Add more of the text around the place "
        "you mean, or set replaceAll to change them all."
    )
