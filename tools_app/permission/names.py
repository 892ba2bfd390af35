"""Helpers for long lists of names that are written as one text."""


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


def ordered_names(text: str) -> tuple[str, ...]:
    """Return the words of a text in their order."""
    return tuple(text.split())
