"""Wildcard matching for permission rules: `*` matches any run of characters and `?` exactly one.

A pattern must match the whole text. Line breaks and `/` are ordinary characters, and matching is case-sensitive. A
trailing ` *` is optional, so `git status *` also matches `git status`. Nothing else is special, and there is no escape.
"""


def match(text: str, pattern: str) -> bool:
    """Return whether `pattern` matches all of `text`."""
    return _match(text, pattern) or (pattern.endswith(" *") and _match(text, pattern[:-2]))


def is_literal(pattern: str) -> bool:
    """Return whether the pattern matches only itself."""
    return "*" not in pattern and "?" not in pattern


def _match(text: str, pattern: str) -> bool:
    """Match without the rule for a trailing ` *`: compare both ends, then find the pieces between stars left to right.

    The first occurrence of a piece is never worse than a later one, so there is no backtracking, and the time is linear
    in the length of the text for any pattern.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return len(text) == len(first) and _matches_at(text, 0, first)
    *middle, last = rest
    end = len(text) - len(last)
    if end < len(first) or not _matches_at(text, 0, first) or not _matches_at(text, end, last):
        return False
    position = len(first)
    for piece in filter(None, middle):  # adjacent stars count as one
        position = _after(text, piece, position, end)
        if position < 0:
            return False
    return True


def _matches_at(text: str, start: int, piece: str) -> bool:
    if "?" not in piece:
        return text.startswith(piece, start)
    return all(wanted in ("?", found) for wanted, found in zip(piece, text[start : start + len(piece)], strict=True))


def _after(text: str, piece: str, start: int, end: int) -> int:
    """Return the position after the first `piece` within `text[start:end]`, or -1."""
    if "?" not in piece:
        found = text.find(piece, start, end)
        return -1 if found < 0 else found + len(piece)
    return _after_holes(text, piece, start, end)


def _after_holes(text: str, piece: str, start: int, end: int) -> int:
    """Return the position after the first match of `piece`, which contains `?`, within `text[start:end]`, or -1.

    This is the bitap algorithm: bit i of `alive` is set if the last i + 1 characters match the first i + 1 characters
    of `piece`.
    """
    holes = sum(1 << index for index, char in enumerate(piece) if char == "?")
    fits: dict[str, int] = {}
    for index, char in enumerate(piece):
        if char != "?":
            fits[char] = fits.get(char, holes) | 1 << index
    complete = 1 << (len(piece) - 1)
    alive = 0
    for position in range(start, end):
        alive = (alive << 1 | 1) & fits.get(text[position], holes)
        if alive & complete:
            return position + 1
    return -1
