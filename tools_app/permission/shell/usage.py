"""What one simple command would do with its arguments."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell.options import Arguments, Form, Kind, may_be_more
from tools_app.permission.shell.words import Field

PLAIN_GLOB: Final = re.compile(r"[\w.@+ *?-]+")
"""Of names: every program reads it in the same way, which does not hold for backslashes, classes and braces."""


@dataclass(slots=True)
class Usage:
    """`places` are touched; `inner` are commands that it runs, `texts` shell texts that it runs; `links` are places
    that it may turn into links. `canonical` are its words without options that change nothing about what it does.
    `deep`: everything below its places. `pure` False: nobody knows what else it does, so rules must name it."""

    places: list[tuple[Field, Kind]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    inner: list[list[Field]] = field(default_factory=list)
    texts: list[Field] = field(default_factory=list)
    links: list[Field] = field(default_factory=list)
    canonical: list[Field] | None = None
    deep: bool = False
    folders: list[Field] = field(default_factory=list)
    """Folders it goes to first, one after the other (`git -C`, `make -C`, `env -C`)."""
    runs: list[Field] = field(default_factory=list)
    """Files whose text it runs."""
    spellings: list[list[Field]] = field(default_factory=list)
    """Other ways to write it, which rules may mean."""
    follow: bool = False
    """Links in its trees are followed."""
    hidden: bool = True
    only: tuple[str, ...] = ()
    """Of the trees it reads: whether hidden files are read, and which names alone."""

    def doubt(self, reason: str) -> "Usage":
        self.doubts.append(reason)
        return self

    def only_names(self, globs: Iterable[str]) -> None:
        """Leave out what no glob matches, if all are of the kind that every program reads in the same way."""
        given = tuple(globs)
        self.only = given if all(map(PLAIN_GLOB.fullmatch, given)) else ()

    def touch(self, fields: Iterable[Field], kind: Kind) -> None:
        self.places.extend((each, kind) for each in fields)


def usage_of(found: Arguments, form: Form) -> Usage:
    """The plain case: options and operands are what the table says."""
    usage = Usage(list(found.places), list(found.doubts), deep=bool(form.deep) and found.has(*form.deep))
    dropped = bool(form.drops) and found.has(*form.drops)
    writes = bool(form.writes) and found.has(*form.writes)
    kinds = form.operands[1:] if dropped and len(form.operands) > 1 else form.operands
    touched = False
    moved = False
    for index, operand in enumerate(found.operands):
        moved = moved or may_be_more(operand)
        for kind in _kinds_at(index, kinds, moved=moved):
            touched = True
            usage.places.append((operand, "write" if writes else kind))
    for value in found.loose:
        usage.places += [(value, "write" if writes else kind) for kind in _kinds_at(0, kinds, moved=True)]
    if not touched and (form.default or usage.deep) and kinds[-1] != "text":
        usage.places.append((Field("."), form.default or "tree"))
    return usage


def _kinds_at(index: int, kinds: Sequence[Kind], *, moved: bool) -> list[Kind]:
    """What an operand may be; when a word before it, or it itself, becomes several, it may be all that follows."""
    first = min(index, len(kinds) - 1)
    found = kinds[first:] if moved else kinds[first : first + 1]
    return [kind for kind in dict.fromkeys(found) if kind != "text"]
