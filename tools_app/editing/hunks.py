"""The hunks of a patch put into one text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.editing.closest import closest_place
from tools_app.editing.errors import TextAmbiguous, TextNotFound
from tools_app.editing.line_search import LINES_READ_AT_ONCE, LineIndex, Sought
from tools_app.editing.patch_text import Hunk
from tools_app.editing.search_budget import Work

_BOM: Final = "\ufeff"
_CHARACTERS_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Patched:
    """`notes` are sentences about places that were taken though others would have done as well."""

    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A hunk whose old lines begin at the line of number `at`; `others` would have fitted as well. One that is
    `adrift` says of no line where it belongs."""

    hunk: Hunk
    at: int
    others: tuple[int, ...] = ()
    adrift: bool = False


def put_hunks(content: str, hunks: Sequence[Hunk], *, path: str, work: Work) -> Patched:
    """Each hunk is looked for behind the one before. Lines that stay keep every byte, new ones get the line break of
    their neighbour; byte order mark and final line break stay as they are. Raises EditError, which names the hunk."""
    mark, body = ("", content) if not content.startswith(_BOM) else (_BOM, content[1:])
    lines = _Lines(body)
    work.spend(len(lines.raw) // LINES_READ_AT_ONCE)
    placed = _Placing(lines, path, work).place(hunks)
    return Patched(mark + lines.joined(list(_changed(lines.raw, placed))), tuple(_notes(placed, path)))


class _Lines:
    """The lines of a text without their LF, and so with the CR of those that have one. The last of a file without a
    final line break gets the CR that it would have, and loses it again at the end."""

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


class _Placing:
    """Finds the place of one hunk after the other, forward only."""

    def __init__(self, lines: _Lines, path: str, work: Work) -> None:
        self._index = LineIndex([line.removesuffix("\r") for line in lines.raw], work)
        self._count = len(lines.raw)
        self._path = path
        self._body = lines.body

    def place(self, hunks: Sequence[Hunk]) -> list[_Placed]:
        placed: list[_Placed] = []
        position = 0
        for number, hunk in enumerate(hunks, 1):
            placed.append(self._one(hunk, position, number))
            position = placed[-1].at + len(hunk.old)
        return placed

    def _one(self, hunk: Hunk, position: int, number: int) -> _Placed:
        head = self._behind(hunk.contexts, position, number)
        start = position if head is None else head.places[0] + 1
        if not hunk.old:
            adrift = head is None and not hunk.at_end and self._count > 0
            return _Placed(hunk, self._count if head is None or hunk.at_end else start, adrift=adrift)
        found = self._index.seek(hunk.old, start, at_end=hunk.at_end)
        if found is None and head is not None:  # some repeat the line of `@@` below it
            found = self._index.seek(hunk.old, head.places[0], at_end=hunk.at_end)
        if found is None:
            raise TextNotFound(self._not_found(hunk, start, number))
        others = _others(found, head, narrowed=len(hunk.contexts) > 1)
        if others and not found.is_exact:
            raise TextAmbiguous(self._ambiguous(found, number))
        return _Placed(hunk, found.places[0], others)

    def _behind(self, contexts: Iterable[str], position: int, number: int) -> Sought | None:
        """Where the last context line stands, each looked for behind the one before."""
        found = None
        for context in contexts:
            sought = self._index.seek((context,), position if found is None else found.places[0] + 1)
            if sought is None:
                where = f" behind line {position}" if position else ""
                raise TextNotFound(
                    f"Hunk {number} of {self._path}: the line `@@ {context[:_CHARACTERS_SHOWN]}` was not "
                    f"found{where}. {closest_place(self._body, context)}\nGive a whole line of the file, or none."
                )
            found = sought
        return found

    def _not_found(self, hunk: Hunk, start: int, number: int) -> str:
        earlier = None if hunk.at_end else self._index.seek(hunk.old, 0)
        if earlier is not None:
            return (
                f"Hunk {number} of {self._path} only fits line {earlier.places[0] + 1}, which stands before the place "
                "of its `@@` line or of the hunk before it. Put the hunks in the order of the file."
            )
        where = " at the end of the file" if hunk.at_end else f" behind line {start}" if start else ""
        place = closest_place(self._body, "\n".join(hunk.old)) or "Nothing in it is like them."
        return (
            f"Hunk {number} of {self._path}: its old lines were not found{where}. {place}\n"
            "Read the file again and give its lines as they stand."
        )

    def _ambiguous(self, found: Sought, number: int) -> str:
        return (
            f"Hunk {number} of {self._path} fits no place exactly and several nearly "
            f"(lines {_numbers(found.places)}). Give the lines as they stand in the file, or a line to find first "
            "after `@@`."
        )


def _others(found: Sought, head: Sought | None, *, narrowed: bool) -> tuple[int, ...]:
    """The places that could have been meant as well. Behind a head they need one of their own, and heads that narrow
    each other down mean the first place."""
    first, *others = found.places
    if head is None:
        return tuple(others)
    return () if narrowed else tuple(at for at in others if any(first < again <= at for again in head.places[1:]))


def _changed(raw: Sequence[str], placed: Iterable[_Placed]) -> Iterable[str]:
    """A new line has the line break of the one before it in the file, which may be the one that goes."""
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


def _notes(placed: Sequence[_Placed], path: str) -> Iterable[str]:
    taken = {each.at for each in placed}
    for number, each in enumerate(placed, 1):
        if each.adrift:
            yield f"Hunk {number} of {path} names no line to stand by: it was put at the end of the file."
        others = [at for at in each.others if at not in taken]
        if others:
            yield (
                f"Hunk {number} of {path} was put at line {each.at + 1}; it would also fit "
                f"{'line' if len(others) == 1 else 'lines'} {_numbers(others)}. Look whether it is where you meant."
            )


def _numbers(places: Iterable[int]) -> str:
    return ", ".join(str(place + 1) for place in places)
