"""given_options(): the options and operands of programs whose output is simulated."""

import getopt
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tools_app.permission.names import names

_ENCODED: Final = ("diw:D", "decode=d ignore-garbage=i wrap=w")
_NAMES_OF_GREP: Final = (
    "extended-regexp=E fixed-strings=F basic-regexp=G perl-regexp=P ignore-case=i invert-match=v only-matching=o"
    " no-filename=h no-messages=s text=a regexp=e line-regexp=x"
)
_NAMES_OF_CUT: Final = "bytes=b characters=c delimiter=d fields=f only-delimited=s output-delimiter=O complement=C"
_EDITS: Final = ("nEre:suzP", "quiet=n silent=n regexp-extended=E expression=e separate=s unbuffered=u")
_OPTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "cut": ("b:c:d:f:snO:C", _NAMES_OF_CUT),
    "paste": ("d:s", "delimiters=d serial=s"),
    "head": ("c:n:qv", "bytes=c lines=n quiet=q silent=q verbose=v"),
    "tail": ("c:n:q", "bytes=c lines=n quiet=q silent=q"),
    "tr": ("cCdst", "complement=c delete=d squeeze-repeats=s truncate-set1=t"),
    "fold": ("w:b", "width=w bytes=b"), "sort": ("ru", "reverse=r unique=u"), "shuf": ("e", "echo=e"),
    "basename": ("as:z", "multiple=a suffix=s zero=z"), "dirname": ("z", "zero=z"),
    "cat": ("u", ""), "sponge": ("a", ""), "tee": ("aip", "append=a ignore-interrupts=i"), "fmt": ("w:", "width=w"),
    "strings": ("an:", "all=a bytes=n"), "expand": ("t:i", "tabs=t initial=i"), "unexpand": ("at:", "all=a tabs=t"),
    "numfmt": ("F:S:", "format=F suffix=S"), "column": ("t", "table=t"), "xxd": ("rp", ""),
    "iconv": ("f:t:c", "from-code=f to-code=t"), "openssl": ("daA", ""),
    **dict.fromkeys(("rev", "tac", "uniq", "pv", "less", "more"), ("", "")),
    **dict.fromkeys(("base64", "base32"), _ENCODED),
    **dict.fromkeys(("grep", "egrep", "fgrep"), ("EFGPivohsae:x", _NAMES_OF_GREP)),
    **dict.fromkeys(("sed", "gsed"), _EDITS),
    **dict.fromkeys(("awk", "gawk", "mawk"), ("F:v:", "")),
}  # fmt: skip
"""The options that are simulated, as `getopt` takes them, and their long names."""
_NOT_SIMULATED: Final = names("nl")
"""Programs whose output always differs from their input."""
WITH_OPTIONS: Final = frozenset({*_OPTIONS, *_NOT_SIMULATED})
"""Programs of which not all options are simulated."""
_COUNT: Final = re.compile(r"-(\d{1,6})")
_COUNTING: Final = names("head tail fold")


@dataclass(frozen=True, slots=True)
class Given:
    """The arguments of a program: its short options with their last values, and its operands."""

    options: Mapping[str, str]
    operands: Sequence[str]
    pairs: Sequence[tuple[str, str]]

    def words(self) -> list[str]:
        """Return the arguments in their usual form: each option and each value is a word of its own."""
        return [*(word for letter, value in self.pairs for word in (f"-{letter}", value) if word), *self.operands]


def given_options(name: str, args: Sequence[str]) -> Given | None:
    """Return the options of a program by their short names; None if one is not simulated."""
    if name not in _OPTIONS:
        return None
    short, named = _OPTIONS[name]
    long = dict(each.split("=") for each in named.split())
    plain = [_with_letter(name, each) for each in args]
    try:
        found, operands = getopt.gnu_getopt(plain, short, [_long(each, short, letter) for each, letter in long.items()])
    except getopt.GetoptError:
        return None
    pairs = [(long[each[2:]] if each[:2] == "--" else each[1:], value) for each, value in found]
    return Given(dict(pairs), operands, pairs)


def _with_letter(name: str, arg: str) -> str:
    """Return `-n5` for the old form `-5`, and the short form of options of `xxd`."""
    if name == "xxd":
        return {"-ps": "-p", "-plain": "-p", "-postscript": "-p", "-revert": "-r"}.get(arg, arg)
    if name == "openssl":
        return {"-base64": "-a"}.get(arg, arg)
    letter = "w" if name == "fold" else "n"
    return _COUNT.sub(rf"-{letter}\1", arg) if name in _COUNTING and _COUNT.fullmatch(arg) else arg


def _long(name: str, short: str, letter: str) -> str:
    return f"{name}=" if f"{letter}:" in short else name
