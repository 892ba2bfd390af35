"""Long lists of names, written as text."""


def names(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def in_order(text: str) -> tuple[str, ...]:
    return tuple(text.split())
