"""files_of_tex(): the files that code of TeX names, whose names need no quotes: `\\openout9a/b.csv`."""

import re
from collections.abc import Iterator
from typing import Final

from tools_app.permission.names import names

TEX: Final = frozenset(
    f"{before}{name}"
    for before in ("", "pdf", "lua", "xe", "e", "u", "up", "p", "luahb", "dvilua")
    for name in names("tex latex")
) | names("context amstex mex etex aleph lamed luajittex luajithbtex tectonic mpost metapost mf platex-dev")
"""Programs whose words may be code of TeX. Source: the manuals of TeX Live."""
SIGN: Final = "\\"
"""What each code of TeX contains."""
_NAMED: Final = re.compile(
    r"\\(?:openout|openin|input|include|@@input)(?![A-Za-z])\s*(?:\\\w+|\d*)\s*=?\s*\{?\"?([^\s\\{}\"'=]{2,200})"
)
_LITERAL: Final = re.compile(r"(['\"])([^'\"\s]{2,200})\1")
"""A text in code of Lua in it: `\\directlua{io.open("x")}`."""


def files_of_tex(code: str) -> Iterator[str]:
    """Yield the names of files that stand behind commands of TeX, as they are written. Names end at a blank, a brace or
    a backslash."""
    yield from (each[1] for each in _NAMED.finditer(code))


def files_of_lua(code: str) -> Iterator[str]:
    """Yield the texts in code of Lua inside of code of TeX, which may be names of files."""
    yield from (each[2] for each in _LITERAL.finditer(code) if "lua" in code)
