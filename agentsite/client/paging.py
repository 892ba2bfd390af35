"""Iterate over the items of all pages of a list."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Page(Protocol[Item]):
    items: list[Item]
    next_cursor: str | None


def pages(load: Callable[[str | None], Page[Item]]) -> Iterator[Item]:
    """Yield the items of all pages. `load` returns the page that follows a cursor; None stands for the first page."""
    cursor: str | None = None
    while True:
        page = load(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return
