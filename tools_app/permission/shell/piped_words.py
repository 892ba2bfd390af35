"""commands_in_pipes(): the commands in words that a program opens as pipes: `-o %pipe%make`, `|make`, `make|`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.path_like import with_text
from tools_app.permission.shell.words import Field

_DEVICE: Final = re.compile(r"\(%pipe%([^()]+)\)|%pipe%(.+)", re.DOTALL | re.IGNORECASE)
"""The name that PostScript gives to a pipe, in a text of that language or as the value of an option."""
_AT_BEGIN: Final = re.compile(r"(?:--?[\w-]+[=#]|-\w|\w+:)?\|(.+)", re.DOTALL)
_AT_END: Final = re.compile(r"(.*[^|])\|\s*", re.DOTALL)
_OPENING: Final = names(
    "gs gsc ghostscript ps2pdf ps2pdf12 ps2pdf13 ps2pdf14 ps2pdfwr ps2ps ps2ps2 pdf2ps eps2eps ps2ascii ps2epsi"
    " epstopdf convert magick identify mogrify montage composite compare conjure stream display animate import gm"
    " sox soxi play rec enscript a2ps dvips psselect psnup pstops exiftool rrdtool gmt hledger ledger swaks"
)
"""Programs that run what stands behind `|` instead of opening a file. Sources: their manuals."""
_OPENING_BOTH: Final = names("perl ruby tclsh wish exiftool gap gp")
"""Programs whose scripts open their words so, also with the sign behind the command."""


def commands_in_pipes(name: str, args: Sequence[Field]) -> list[Field]:
    """Return the commands that a program runs because words of it name pipes instead of files."""
    known = (each for each in args if each.known and each.pattern is None)
    return [with_text(arg, command) for arg in known for command in _commands(name, arg.text) if command.strip()]


def _commands(name: str, text: str) -> Iterator[str]:
    yield from (found[1] or found[2] for found in _DEVICE.finditer(text))
    if (name in _OPENING or name in _OPENING_BOTH) and (begun := _AT_BEGIN.fullmatch(text)):
        yield begun[1]
    if name in _OPENING_BOTH and (ended := _AT_END.fullmatch(text)):
        yield ended[1]
