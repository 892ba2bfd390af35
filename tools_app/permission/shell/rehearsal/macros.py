"""MACROS: the output of programs that replace names in their input (`cpp`, `m4`), and of `jq`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.shell.rehearsal.jq import jq_output

_DEFINED: Final = re.compile(r"^\s*#\s*define\s+(\w+)[ \t]+([^\n]*)$", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^\s*#[^\n]*\n?", re.MULTILINE)
_DEFINED_BY_M4: Final = re.compile(r"\bdefine\(\s*`?([A-Za-z_]\w*)'?\s*,\s*`?([^()`']*)'?\s*\)\s*(?:dnl[^\n]*\n)?")
_TRANSLITERATED: Final = re.compile(r"\btranslit\(`?([^,()`']*)'?,\s*`?([^,()`']*)'?,\s*`?([^,()`']*)'?\)")
_RANGE: Final = re.compile(r"(\w)-(\w)")
_MAX_ROUNDS: Final = 4  # in which replaced names are replaced again
_MAX_CHARS: Final = 5_000


def _cpp(args: Sequence[str], text: str) -> str:
    values = dict(_given(args)) | dict(_DEFINED.findall(text[:_MAX_CHARS]))
    return _replaced(_DIRECTIVE.sub("", text[:_MAX_CHARS]), values)


def _compiler(args: Sequence[str], text: str) -> str:
    return _cpp(args, text) if "-E" in args else ""


def _m4(args: Sequence[str], text: str) -> str:
    values = dict(_given(args)) | dict(_DEFINED_BY_M4.findall(text[:_MAX_CHARS]))
    text = _TRANSLITERATED.sub(lambda found: _transliterated(*found.groups()), text[:_MAX_CHARS])
    plain = _DEFINED_BY_M4.sub("", text).replace("`", "").replace("'", "")
    return _replaced(plain, values)


def _transliterated(text: str, old: str, new: str) -> str:
    old, new = (
        _RANGE.sub(lambda each: "".join(map(chr, range(ord(each[1]), ord(each[2]) + 1))), it) for it in (old, new)
    )
    return text.translate(dict(zip(map(ord, old), new, strict=False)))


def _given(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that options define, with their values: `-DX=a` and `-D X=a`."""
    joined = re.findall(r"(?:^|\0)-D\0?([A-Za-z_]\w*)=?([^\0]*)", "\0".join(args))
    yield from joined


def _replaced(text: str, values: Mapping[str, str]) -> str:
    named = re.compile(rf"\b({'|'.join(map(re.escape, values))})\b") if values else None
    for _ in range(_MAX_ROUNDS if named else 0):
        if named and len(text) <= _MAX_CHARS:
            text = named.sub(lambda found: values[found[1]], text)
    return text


MACROS: Final[Mapping[str, Callable[[Sequence[str], str], str]]] = {
    "cpp": _cpp, "m4": _m4, "jq": jq_output, **dict.fromkeys(("gcc", "cc", "clang"), _compiler),
}  # fmt: skip
