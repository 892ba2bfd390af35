"""Piece: a node of the grammar's syntax tree, as a value. The module `parse` creates pieces."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A node of a syntax tree. `kind` is the grammar's name for the node; `field` is its role in the node around it, or
    ""."""

    kind: str
    source: str
    start: int
    end: int
    field: str = ""
    named: bool = True
    children: tuple["Piece", ...] = ()

    @property
    def text(self) -> str:
        return self.source[self.start : self.end]

    def child(self, field: str) -> "Piece | None":
        return next((each for each in self.children if each.field == field), None)

    def fields(self, field: str) -> Iterator["Piece"]:
        return (each for each in self.children if each.field == field)
