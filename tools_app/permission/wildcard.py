"""The one pattern language of permission rules: `*` any run of characters, `?` exactly one, the whole string.

Line breaks and `/` are characters like any other, and case counts. A trailing ` *` is optional, so that
`git status *` matches `git status` too. Nothing else is special and nothing can be escaped.
"""


def match(text: str, pattern: str) -> bool:
    return _match(text, pattern) or (pattern.endswith(" *") and _match(text, pattern[:-2]))


def is_literal(pattern: str) -> bool:
    """True when the pattern matches nothing but itself."""
    return "*" not in pattern and "?" not in pattern


def _match(text: str, pattern: str) -> bool:
    """Both ends are fixed; what stands between the stars is taken at its first place, left to right.

    The first place is never a worse choice than a later one, so nothing is tried twice: the time grows with the
    length of the text, whatever the pattern.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return len(text) == len(first) and _stands_at(text, 0, first)
    *middle, last = rest
    end = len(text) - len(last)
    if end < len(first) or not _stands_at(text, 0, first) or not _stands_at(text, end, last):
        return False
    position = len(first)
    for piece in filter(None, middle):  # stars side by side are one
        position = _after(text, piece, position, end)
        if position < 0:
            return False
    return True


def _stands_at(text: str, start: int, piece: str) -> bool:
    if "?" not in piece:
        return text.startswith(piece, start)
    return all(wanted in ("?", found) for wanted, found in zip(piece, text[start : start + len(piece)], strict=True))


def _after(text: str, piece: str, start: int, end: int) -> int:
    """Where the first `piece` within `text[start:end]` ends, or -1."""
    if "?" not in piece:
        found = text.find(piece, start, end)
        return -1 if found < 0 else found + len(piece)
    return _after_holes(text, piece, start, end)


def _after_holes(text: str, piece: str, start: int, end: int) -> int:
    """The same for a piece with `?`: bit i of `alive` says that the last i+1 characters fit the first i+1 of piece."""
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
