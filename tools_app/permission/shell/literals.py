"""Find texts that code puts together: from adjacent literals, from parts of paths, and from names with literal values.

The code may be in any language, so this is only a plausible reading, not an analysis; the results are guesses.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

_LITERAL: Final = re.compile(r"(['\"`])((?:\\.|(?!\1)[^\\\n])*)\1")
_ADDED: Final = re.compile(r"\s*(?:\+|\.{1,2}|&)?\s*[rbuf]?")
"""Between literals of one text: `'a' + 'b'`, `'a' . 'b'`, `'a' 'b'`."""
_BELOW: Final = re.compile(r"\s*[\s)]*[,/]\s*[rbuf]?")
"""Between the parts of a path: `join('a', 'b')`, `Path('a') / 'b'`."""
_MAX_LITERALS: Final = 200  # of one code
_MAX_NAMES: Final = 20
_MAX_LINES: Final = 50
_MAX_CHARS: Final = 300  # of a literal, and of a line in which names are replaced

_ASSIGNED: Final = re.compile(
    r"(?<![\w.%-])\$?([A-Za-z_]\w{0,40})\s*:?=(?![=~>])\s*"
    r"(?:'([^'\n]{1,100})'|\"([^\"\n$`]{1,100})\"|([\w./-]{1,100})(?=[\s'\";)]|$))"
)
_SET: Final = re.compile(r"\bset\s+(?:-\w+\s+)*([A-Za-z_]\w{0,40})\s+['\"]?([\w./-]{1,100})")
"""An assignment of fish and Tcl."""
_DEFAULT: Final = re.compile(r"\$\{:-([^{}$]{1,100})\}")
"""A value without a variable, which only zsh reads: `${:-push}`."""
_EXTENDED_GLOB: Final = re.compile(r"[?*+@]\(([^()|]*)(?:\|[^()]*)?\)")
_ANY_EXTENDED_GLOB: Final = re.compile(r"[?*+@!]\([^()]*\)")
_PLACE: Final = re.compile(r"%[sd]|\{\d?\}")
_JOIN: Final = re.compile(r"(['\"])([^'\"\n]{0,5})\1\.join\(\s*[\[(]([^\])\n]{1,200})[\])]")
_CONCATENATED: Final = re.compile(r"\bconcat!?\(([^()\n]{1,200})\)")
_FILLED: Final = re.compile(r"(['\"])([^'\"\n]*)\1\s*(?:%|\.format)\s*\(?\s*(['\"])([^'\"\n]*)\3")


def joined(code: str) -> Iterator[str]:
    """Yield adjacent literals of code joined as one text, and as one path."""
    found = list(_LITERAL.finditer(code))[:_MAX_LITERALS]
    for between, sign in ((_ADDED, ""), (_BELOW, "/")):
        text, end, count = "", -1, 0
        for each in found:
            follows = end >= 0 and between.fullmatch(code, end, each.start()) is not None
            if not follows and count > 1:
                yield text
            text, count = (f"{text}{sign}{each[2]}"[:_MAX_CHARS], count + 1) if follows else (each[2], 1)
            end = each.end()
        if count > 1:
            yield text
    yield from (filled(each[0]) for each in _FILLED.finditer(code))
    for each in _CONCATENATED.finditer(code):
        yield "".join(found[2] for found in _LITERAL.finditer(each[0]))
    for each in _JOIN.finditer(code):
        yield each[2].join(found[2] for found in _LITERAL.finditer(each[3]))


def filled(code: str) -> str:
    """Replace formatted literals in code by their results: `'a%s' % 'b'` and `'a{}'.format('b')` become `'ab'`."""
    return _FILLED.sub(lambda found: f"'{_PLACE.sub(lambda _: found[4], found[2])}'", code)


def with_options(code: str) -> Iterator[str]:
    """Yield the possible meanings of a text that sets a shell option for globs: `extglob` or `nocaseglob`."""
    if "extglob" in code:
        yield _EXTENDED_GLOB.sub(lambda found: found[1], code)
        yield _ANY_EXTENDED_GLOB.sub("*", code)
    if "nocaseglob" in code:
        yield code.lower()
    if "${:-" in code:
        yield _DEFAULT.sub(lambda found: found[1], code)


def with_values(code: str) -> Iterator[str]:
    """Yield the lines of code that contain names with literal values, with the values in place of the names."""
    values = dict(list(_values(code))[:_MAX_NAMES])
    if not values:
        return
    named = re.compile(rf"[$#]?\{{\s*({'|'.join(values)})\s*\}}|\$?\b({'|'.join(values)})\b(?!\s*:?=[^=]|\s*\()")
    for line in [each for each in re.split(r"[\n;]", code) if named.search(each)][:_MAX_LINES]:
        for text in _replaced(line[:_MAX_CHARS], named, values):
            yield filled(text)


def _values(code: str) -> Iterator[tuple[str, str]]:
    for found in _ASSIGNED.finditer(code):
        yield found[1], found[2] or found[3] or found[4]
    for found in _SET.finditer(code):
        yield found[1], found[2]


def _replaced(line: str, named: re.Pattern[str], values: Mapping[str, str]) -> Iterator[str]:
    """Yield a line twice, with names replaced by their values: without quotes, and as quoted texts."""
    yield named.sub(lambda found: values[found[1] or found[2]], line)
    yield named.sub(lambda found: values[found[1]] if found[1] else f"'{values[found[2]]}'", line)
