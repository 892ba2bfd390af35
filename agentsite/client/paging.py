"""Lists come in pages; this reads them one after the other."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Page(Protocol[Item]):
    items: list[Item]
    next_cursor: str | None


def pages(load: Callable[[str | None], Page[Item]]) -> Iterator[Item]:
    """Every item of all pages; `load` gets the page after a cursor, the first one after None."""
    cursor: str | None = None
    while True:
        page = load(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return
