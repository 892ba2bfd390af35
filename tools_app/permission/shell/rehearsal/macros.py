"""Simulate programs that expand macros in their input, such as `cpp` and `m4`. MACROS also contains `jq`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final

from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.jq import jq_output

Functions = Mapping[str, Callable[[Sequence[str]], str]]

_DEFINED: Final = re.compile(r"^\s*#\s*define\s+(\w+)[ \t]+([^\n]*)$", re.MULTILINE)
_DEFINED_FUNCTION: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([\w\s,.]*)\)([^\n]*)$", re.MULTILINE)
_STRINGIZED: Final = re.compile(r"(?<!#)#[ \t]*(\w+)")
_WORD: Final = re.compile(r"\w+")
_NOT_SIMULATED_OF_M4: Final = re.compile(
    r"\b(?:substr|translit|format|eval|incr|decr|len|index|patsubst|regexp|e?syscmd|maketemp|mkstemp|ifelse|ifdef|shift|defn"
    r"|s?include|push(?:def)|pop(?:def)|indir|builtin|undefine|define|un?divert|change(?:quote|com|word)|m4wrap)\b|\bdnl\b"
)
"""Macros of `m4` that are not replaced."""
_NOT_SIMULATED_OF_CPP: Final = re.compile(r"^[ \t]*#[ \t]*(?!define\b|pragma\b|line\b)[a-z]", re.MULTILINE)
_OF_M4: Final = re.compile(r"\$([1-9*@])")
_DIRECTIVE: Final = re.compile(r"^\s*#[^\n]*\n?", re.MULTILINE)
_DEFINED_BY_M4: Final = re.compile(
    r"\b(?:m4_)?(?:push)?def(?:ine)?\(\s*`?([A-Za-z_]\w*)'?\s*,\s*`?([^()`']*)'?\s*\)\s*(?:dnl[^\n]*\n)?"
)
_TRANSLITERATED: Final = re.compile(r"\btranslit\(`?([^,()`']*)'?,\s*`?([^,()`']*)'?,\s*`?([^,()`']*)'?\)")
_RANGE: Final = re.compile(r"(\w)-(\w)")
_CALLED_BY_M4: Final = re.compile(
    r"\b(?:(?:builtin|indir)\(\s*)?(?:m4_)?e?(syscmd|s?include|undivert)\s*[(,]((?:[^()]|\([^()]{0,200}\)){0,300})\)"
)
_RENAMED_BY_M4: Final = re.compile(r"\bdefn\(\s*(\w+)\s*\)")
_QUOTES_OF_M4: Final = re.compile(r"\bchangequote\(([^,()\s]{1,8}),\s*([^,()\s]{1,8})\)")
_INCLUDED: Final = re.compile(r"^[ \t]*#[ \t]*(?:include|include_next|import|embed)\b([^\n]{1,300})", re.MULTILINE)
_FILE: Final = re.compile(r"(?:\"|<|L\")([^\">\n]{1,200})[\">]")
_MAX_RUN: Final = 20  # commands and files of one text
_MAX_ROUNDS: Final = 4  # in which replaced names are replaced again
_MAX_CHARS: Final = 5_000


def _cpp(args: Sequence[str], text: str) -> str:
    text, values, functions = _defined(args, text)
    printed = _replaced(_DIRECTIVE.sub("", text), values, functions)
    return Guess(printed) if _NOT_SIMULATED_OF_CPP.search(text) else printed


def _defined(args: Sequence[str], text: str) -> tuple[str, Mapping[str, str], Functions]:
    """Return a text of C with what options define in front of it, and its macros without and with arguments."""
    given = [
        f"#define {name}{value.replace('=', ' ', 1) if value[:1] == '(' else f' {value}'}"
        for name, value in _given(args)
    ]
    text = "\n".join([*given, text[:_MAX_CHARS]])
    values = {name: _pasted(body) for name, body in _DEFINED.findall(text)}
    functions = {name: partial(_filled, params, body) for name, params, body in _DEFINED_FUNCTION.findall(text)}
    return text, values, functions


def included_files(args: Sequence[str], text: str) -> Sequence[str]:
    """Return the names of files that a text of C includes, also if macros make the names."""
    text, values, functions = _defined(args, text)
    names = (_replaced(each, values, functions).strip() for each in _INCLUDED.findall(text)[:_MAX_RUN])
    return [found[1].strip() for each in names if (found := _FILE.match(each))]


def _filled(params: str, body: str, args: Sequence[str]) -> str:
    """Return the body of a macro with its arguments inserted. `#` turns an argument into a string, `##` joins two
    words."""
    names = [each.strip().replace("...", "__VA_ARGS__") for each in params.split(",")]
    given = [*args[: len(names) - 1], ",".join(args[len(names) - 1 :])]
    values = dict(zip(names, given, strict=False))
    quoted = _STRINGIZED.sub(lambda found: f'"{values[found[1]]}"' if found[1] in values else found[0], body)
    return _pasted(_WORD.sub(lambda found: values.get(found[0], found[0]), quoted).strip())


def _pasted(body: str) -> str:
    return "".join(each.strip() for each in body.split("##")) if "##" in body else body


def _compiler(args: Sequence[str], text: str) -> str:
    return _cpp(args, text) if "-E" in args else ""


def _m4(args: Sequence[str], text: str) -> str:
    for opening, closing in _QUOTES_OF_M4.findall(text[:_MAX_CHARS])[:_MAX_ROUNDS]:
        text = text.replace(opening, "`").replace(closing, "'")
    values = dict(_given(args)) | dict(_DEFINED_BY_M4.findall(text[:_MAX_CHARS]))
    functions = {name: partial(_filled_by_m4, body) for name, body in values.items() if "$" in body}
    values = {name: body for name, body in values.items() if name not in functions}
    text = _TRANSLITERATED.sub(lambda found: _transliterated(*found.groups()), text[:_MAX_CHARS])
    plain = _DEFINED_BY_M4.sub("", text).replace("`", "").replace("'", "")
    printed = _replaced(plain, values, functions)
    return Guess(printed) if _NOT_SIMULATED_OF_M4.search(printed) else printed


def run_by_m4(args: Sequence[str], text: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the shell texts that m4 runs, and the names of files that it reads."""
    expanded = _RENAMED_BY_M4.sub(r"\1", _m4(args, text))
    calls = [(each[1], each[2].strip()) for each in islice(_CALLED_BY_M4.finditer(expanded), _MAX_RUN)]
    return [text for name, text in calls if name == "syscmd"], [text for name, text in calls if name != "syscmd"]


def _filled_by_m4(body: str, args: Sequence[str]) -> str:
    return _OF_M4.sub(
        lambda found: ",".join(args) if found[1] in "*@" else "".join(args[int(found[1]) - 1 :][:1]), body
    )


def _transliterated(text: str, old: str, new: str) -> str:
    old, new = (
        _RANGE.sub(lambda each: "".join(map(chr, range(ord(each[1]), ord(each[2]) + 1))), it) for it in (old, new)
    )
    return text.translate(dict(zip(map(ord, old), new, strict=False)))


def _given(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the names that options define, with their values: `-DX=a`, `-D X=a` and `--define=X=a`."""
    joined = re.findall(r"(?:^|\0)(?:-D\0?|--define[=\0])([A-Za-z_]\w*)=?([^\0]*)", "\0".join(args))
    yield from joined


def _replaced(text: str, values: Mapping[str, str], functions: Functions) -> str:
    """Return a text with its names replaced by their values, and calls of functions by their results."""
    named, called = (
        re.compile(rf"\b({'|'.join(map(re.escape, each))})\b{end}") if each else None
        for each, end in ((values, ""), (functions, r"[ \t]*\(([^()]*)\)"))
    )
    for _ in range(_MAX_ROUNDS):
        if named and len(text) <= _MAX_CHARS:
            text = named.sub(lambda found: values[found[1]], text)
        if called and len(text) <= _MAX_CHARS:
            text = called.sub(lambda found: functions[found[1]]([it.strip() for it in found[2].split(",")]), text)
    return text


MACROS: Final[Mapping[str, Callable[[Sequence[str], str], str]]] = {
    "cpp": _cpp, "m4": _m4, "jq": jq_output, **dict.fromkeys(("gcc", "cc", "clang"), _compiler),
}  # fmt: skip
