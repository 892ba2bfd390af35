"""MACROS: the output of programs that replace names in their input (`cpp`, `m4`), and of `jq` programs that only join
literals."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

_DEFINED: Final = re.compile(r"^\s*#\s*define\s+(\w+)[ \t]+([^\n]*)$", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^\s*#[^\n]*\n?", re.MULTILINE)
_DEFINED_BY_M4: Final = re.compile(r"\bdefine\(\s*`?([A-Za-z_]\w*)'?\s*,\s*`?([^()`']*)'?\s*\)\s*(?:dnl[^\n]*\n)?")
_MAX_ROUNDS: Final = 4  # in which replaced names are replaced again
_MAX_CHARS: Final = 5_000
_MAX_PROGRAM: Final = 500  # characters of a program of `jq`
_STAGE: Final = re.compile(r"(?:\"(?:[^\"\\]|\\.)*\"|[^|\"])+")
_JQ_ITEM: Final = re.compile(r"\s*(?:\"((?:[^\"\\]|\\.)*)\"|(\.[\w\".\[\]]*)|\$(\w+)|join\(\s*\"([^\"]*)\"\s*\))\s*")
_JQ_PLACE: Final = re.compile(r"\\\(([^()]*)\)")


def _cpp(args: Sequence[str], text: str) -> str:
    values = dict(_given(args)) | dict(_DEFINED.findall(text[:_MAX_CHARS]))
    return _replaced(_DIRECTIVE.sub("", text[:_MAX_CHARS]), values)


def _compiler(args: Sequence[str], text: str) -> str:
    return _cpp(args, text) if "-E" in args else ""


def _m4(args: Sequence[str], text: str) -> str:
    values = dict(_given(args)) | dict(_DEFINED_BY_M4.findall(text[:_MAX_CHARS]))
    plain = _DEFINED_BY_M4.sub("", text[:_MAX_CHARS]).replace("`", "").replace("'", "")
    return _replaced(plain, values)


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


def _jq(args: Sequence[str], text: str) -> str:
    """Return the output of a `jq` program that is a sum of literals, names and keys, perhaps with `join` behind a
    pipe."""
    names = {args[at + 1]: args[at + 2] for at in range(len(args) - 2) if args[at] in {"--arg", "--argjson"}}
    taken = {"--arg", "--argjson", *names, *names.values()}
    program = next((each for each in args if each[:1] != "-" and each not in taken), ".")
    try:
        value = json.loads(text[:_MAX_CHARS]) if text.strip() else None
        for stage in _STAGE.findall(program[:_MAX_PROGRAM]):
            value = _sum(stage, value, names)
        return _shown(value)
    except (ValueError, RecursionError):
        return ""


def _sum(stage: str, value: Any, names: Mapping[str, str]) -> Any:
    found: list[Any] = []
    at = 0
    while item := _JQ_ITEM.match(stage, at):
        found.append(_item(item, value, names))
        at = item.end()
        if stage[at : at + 1] not in {"+", ","}:
            break
        at += 1
    return "".join(map(_shown, found)) if len(found) > 1 else found[0] if found else value


def _item(item: re.Match[str], value: Any, names: Mapping[str, str]) -> Any:
    literal, path, name, by = item.groups()
    if literal is not None:
        return _JQ_PLACE.sub(lambda each: _shown(_sum(each[1], value, names)), literal)
    if name is not None:
        return names.get(name, "")
    if by is not None:
        return by.join(map(_shown, value)) if isinstance(value, list) else ""
    for key in re.findall(r"\w+", path or ""):
        if isinstance(value, list) and key.isdigit() and int(key[:4]) < len(value):
            value = value[int(key[:4])]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(_shown, value))
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


MACROS: Final[Mapping[str, Callable[[Sequence[str], str], str]]] = {
    "cpp": _cpp, "m4": _m4, "jq": _jq, **dict.fromkeys(("gcc", "cc", "clang"), _compiler),
}  # fmt: skip
