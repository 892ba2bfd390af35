"""Apply the hunks of a patch to the text of one file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.editing.closest import closest_lines_message
from tools_app.editing.errors import TextAmbiguous, TextNotFound
from tools_app.editing.line_search import LINES_READ_PER_UNIT, LineIndex, LineMatch
from tools_app.editing.patch_text import Hunk
from tools_app.editing.search_budget import SearchBudget

_BOM: Final = "\ufeff"
_MAX_CHARACTERS_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Patched:
    """The text of a file after a patch's hunks were applied."""

    text: str
    notes: tuple[str, ...]
    """Messages to the model about hunks that also match at other lines, or that name no line at all."""


@dataclass(frozen=True, slots=True)
class _PlacedHunk:
    """A hunk and the position at which it is applied. Line indexes count from 0."""

    hunk: Hunk
    at: int
    """Index of the line at which the hunk's old lines begin."""
    others: tuple[int, ...] = ()
    """Indexes of further lines at which the hunk matches."""
    is_unanchored: bool = False
    """True if the hunk has neither old lines nor a `@@` line that determine its position."""


def apply_hunks(content: str, hunks: Sequence[Hunk], *, path: str, budget: SearchBudget) -> Patched:
    """Apply the hunks to `content`, searching for each hunk after the previous hunk.

    Unchanged lines keep every byte. New lines get the line break of the line before them. The byte order mark and the
    final line break are kept. Raises EditError, whose message names the hunk.
    """
    mark, body = ("", content) if not content.startswith(_BOM) else (_BOM, content[1:])
    lines = _Lines(body)
    budget.spend(len(lines.raw) // LINES_READ_PER_UNIT)
    placed = _HunkPlacer(lines, path, budget).place(hunks)
    return Patched(mark + lines.joined(list(_changed(lines.raw, placed))), tuple(_notes(placed, path)))


class _Lines:
    """The lines of a text, split at LF, so that a CR stays at the end of its line.

    If the text uses CRLF and has no final line break, a CR is added to the last line, so that all lines are alike.
    `joined` removes it again.
    """

    def __init__(self, body: str) -> None:
        self.body = body
        self.raw = body.split("\n")
        self._has_end = self.raw[-1] == ""
        self._closing = ""
        if self._has_end:
            self.raw.pop()
        elif "\r\n" in body:
            self._closing = "\r"
            self.raw[-1] += self._closing

    def joined(self, raw: list[str]) -> str:
        if raw and not self._has_end:
            raw[-1] = raw[-1].removesuffix(self._closing)
        return "\n".join(raw) + ("\n" if raw and self._has_end else "")


class _HunkPlacer:
    """The search for the positions of hunks in a file. Each hunk is searched after the hunk before it."""

    def __init__(self, lines: _Lines, path: str, budget: SearchBudget) -> None:
        self._index = LineIndex([line.removesuffix("\r") for line in lines.raw], budget)
        self._count = len(lines.raw)
        self._path = path
        self._body = lines.body

    def place(self, hunks: Sequence[Hunk]) -> list[_PlacedHunk]:
        placed: list[_PlacedHunk] = []
        position = 0
        for number, hunk in enumerate(hunks, 1):
            placed.append(self._place_hunk(hunk, position, number))
            position = placed[-1].at + len(hunk.old)
        return placed

    def _place_hunk(self, hunk: Hunk, position: int, number: int) -> _PlacedHunk:
        head = self._find_contexts(hunk.contexts, position, number)
        start = position if head is None else head.places[0] + 1
        if not hunk.old:
            is_unanchored = head is None and not hunk.at_end and self._count > 0
            return _PlacedHunk(hunk, self._count if head is None or hunk.at_end else start, is_unanchored=is_unanchored)
        found = self._index.find(hunk.old, start, at_end=hunk.at_end)
        if found is None and head is not None:  # some models repeat the `@@` line as the first line of the hunk
            found = self._index.find(hunk.old, head.places[0], at_end=hunk.at_end)
        if found is None:
            raise TextNotFound(self._not_found(hunk, start, number))
        others = _others(found, head, narrowed=len(hunk.contexts) > 1)
        if others and not found.is_exact:
            raise TextAmbiguous(self._ambiguous(found, number))
        return _PlacedHunk(hunk, found.places[0], others)

    def _find_contexts(self, contexts: Iterable[str], position: int, number: int) -> LineMatch | None:
        """Find the context lines (`@@`) in order and return the match of the last one; None if there are none."""
        found = None
        for context in contexts:
            sought = self._index.find((context,), position if found is None else found.places[0] + 1)
            if sought is None:
                where = f" after line {position}" if position else ""
                raise TextNotFound(
                    f"Hunk {number} of {self._path}: the line `@@ {context[:_MAX_CHARACTERS_SHOWN]}` was not "
                    f"found{where}. {closest_lines_message(self._body, context)}\n"
                    "After `@@`, give a whole line of the file or nothing."
                )
            found = sought
        return found

    def _not_found(self, hunk: Hunk, start: int, number: int) -> str:
        earlier = None if hunk.at_end else self._index.find(hunk.old, 0)
        if earlier is not None:
            return (
                f"Hunk {number} of {self._path} only fits line {earlier.places[0] + 1}, which stands before its `@@` "
                "line or before the previous hunk. Put the hunks in the order of the file."
            )
        where = " at the end of the file" if hunk.at_end else f" after line {start}" if start else ""
        place = closest_lines_message(self._body, "\n".join(hunk.old)) or "The file has no similar lines."
        return (
            f"Hunk {number} of {self._path}: its old lines were not found{where}. {place}\n"
            "Read the file again and give its lines exactly."
        )

    def _ambiguous(self, found: LineMatch, number: int) -> str:
        return (
            f"Hunk {number} of {self._path} fits no place exactly and several nearly "
            f"(lines {_numbers(found.places)}). Give the lines exactly as they are in the file, or add a `@@` line "
            "with a line of the file that is above the right place."
        )


def _others(found: LineMatch, head: LineMatch | None, *, narrowed: bool) -> tuple[int, ...]:
    """Return the further positions at which the hunk could be applied, after the first one.

    `head` is the match of the hunk's last `@@` line, or None if the hunk has no such line. The line may occur several
    times in the file: a further position is returned only if another occurrence lies between it and the first position.
    With several `@@` lines (`narrowed`), the hunk belongs at the first position, and nothing is returned.
    """
    first, *others = found.places
    if head is None:
        return tuple(others)
    return () if narrowed else tuple(at for at in others if any(first < again <= at for again in head.places[1:]))


def _changed(raw: Sequence[str], placed: Iterable[_PlacedHunk]) -> Iterable[str]:
    """Yield the lines of the file after its hunks were applied. An added line gets the line break of the line before
    it, even if that line is removed."""
    done = 0
    for each in placed:
        yield from raw[done : each.at]
        done = each.at
        for line in each.hunk.lines:
            if line.mark == "+":
                yield line.text + _end_beside(raw, done)
                continue
            if line.mark == " ":
                yield raw[done]
            done += 1
    yield from raw[done:]


def _end_beside(raw: Sequence[str], at: int) -> str:
    return "\r" if raw and raw[at - 1 if at else 0].endswith("\r") else ""


def _notes(placed: Sequence[_PlacedHunk], path: str) -> Iterable[str]:
    taken = {each.at for each in placed}
    for number, each in enumerate(placed, 1):
        if each.is_unanchored:
            yield f"Hunk {number} of {path} names no line that it follows: it was put at the end of the file."
        others = [at for at in each.others if at not in taken]
        if others:
            yield (
                f"Hunk {number} of {path} was put at line {each.at + 1}; it would also fit "
                f"{'line' if len(others) == 1 else 'lines'} {_numbers(others)}. Check that it is where you meant."
            )


def _numbers(places: Iterable[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
