"""named_files(): files that code in an incomplete text may name: scripts of sed, here-documents, texts in quotes.

Only names in the text can be found. Names that a program puts together are found if they consist of adjacent literals
or are written with escapes.
"""

import base64
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final
from urllib.parse import unquote

from tools_app.permission.names import names
from tools_app.permission.shell import literals, paths
from tools_app.permission.shell.code_places import (
    MAX_BELOW_HOME,
    names_home,
    place_of_module,
    places_in_code,
    unnamed_files,
)
from tools_app.permission.shell.constants import folded
from tools_app.permission.shell.env_files import ENV_FILES, loads_env_files
from tools_app.permission.shell.escapes import unescaped, without_escapes
from tools_app.permission.shell.other_names import usual_name
from tools_app.permission.shell.path_like import OPTION_ENDS
from tools_app.permission.shell.sed_commands import sed_files
from tools_app.permission.shell.suffixes import LOCKS_BY_NAME
from tools_app.permission.shell.words import Field

MAX_PIECES: Final = 5_000
"""If there are more, the texts count as if they named the whole workspace."""
MAX_CHARS: Final = 300  # of one
MAX_SCRIPT: Final = 5_000  # characters of a script in which replacements are looked for

_ENDS: Final = re.compile(r"[\s'\"`\\;|&(){}\[\]=<>!,:@#^$%+]+")
_JOINED: Final = re.compile(r"(['\"])\s*+(?:\+|\.{1,2}|&)?\s*+(['\"])")
_ENCODED: Final = re.compile(
    r"(?<![\w/+=])(?:[A-Za-z0-9+/]{4}){0,200}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w/+=])"
)
_ESCAPED: Final = re.compile(r"%[2-7][0-9A-Fa-f]")
"""A character in an address."""
_WORKING_DIRECTORY: Final = re.compile(r"\bcwd\b|getcwd|\bpwd\b|PWD\b|current_dir|currentDirectory")
_MAX_DECODED: Final = 100  # words
_EDITORS: Final = names("vim nvim vi view ex ed")
_GLUED: Final = re.compile(r"(?<![A-Za-z_.])[a-z]{1,12}!?(?:>>)?(?=([./~_*?\[{][^\s|'\"]{0,300}))")
"""A command of these editors with the name of a file directly behind it: `0r.env`."""
_JOINED_CODE: Final = re.compile(r"-[A-Za-z]\S*[ ({\[<~]")
"""An option whose value is code and joined to it: `-e'f()'`."""
_PATH: Final = re.compile(r"[A-Za-z_][\w-]+/[\w./-]*")
_SED: Final = names("sed gsed")
_SED_FILE: Final = re.compile(r"[rRwW](?=\S)")
_SED_SCRIPT: Final = re.compile(r"-[a-zA-Z]*f|--f")
"""An option of sed that names the file of its script, which may be its input."""
_MAX_SED_FILES: Final = 500
_REPLACED: Final = re.compile(r"s(?P<by>[^\s\\])(?:(?!(?P=by))[^\\\n]|\\.)*(?P=by)((?:(?!(?P=by))[^\\\n]|\\.)*)(?P=by)")
"""The replacement text of sed's command `s`, which the flag `e` runs as a command."""
_ANY_DEPTH: Final = ".rglob("
"""A search below folders. Files more than two folders down are not looked for."""
_OF_PROCESS: Final = re.compile(r"^[dis]?/cwd/")
_MODULE_OPTIONS: Final = {
    **dict.fromkeys(names("lua luajit texlua tarantool"), "-l"), **dict.fromkeys(names("python python3 pypy"), "-m"),
}  # fmt: skip
"""Interpreters, and their option for a module to load."""
_NO_FILE: Final = frozenset({"", ".", "..", "/", "HEAD"})
"""`HEAD` is nearly always a revision. A file of this name does nothing where there is a `.git`."""


def codes_of(name: str, args: Iterable[Field], given: Iterable[str] = ()) -> Iterator[str]:
    """Yield the words of a command that may be code. `given` are texts that it may get as its input."""
    args = list(args)
    if usual_name(name.rpartition("/")[2]) in _EDITORS:  # each `-c` is a line of one script
        args += map(Field, given)
        yield "\n".join(arg.text for arg in args)
        yield "\n".join(
            each[1] for arg in args if not _PATH.fullmatch(arg.text) for each in _GLUED.finditer(arg.text[:MAX_SCRIPT])
        )
    yield from _modules(usual_name(name.rpartition("/")[2]), args)
    is_sed = name.rpartition("/")[2] in _SED
    for script in given if is_sed and any(map(_SED_SCRIPT.match, (each.text for each in args))) else ():
        yield from (f"./{file}" for file, _ in sed_files(script))
    for arg in args:
        yield arg.text
        if _JOINED_CODE.match(arg.text):
            yield from (arg.text[end:] for end in OPTION_ENDS)
        if is_sed:
            ends = [each.end() for each in _SED_FILE.finditer(arg.text)][:_MAX_SED_FILES]
            yield from (each[2] for each in _REPLACED.finditer(arg.text[:MAX_SCRIPT]))
            yield "\n".join(arg.text[end : end + MAX_CHARS].partition("\n")[0] for end in ends)


def _modules(name: str, args: Sequence[Field]) -> Iterator[str]:
    """Yield the paths, without endings, of modules that an option of an interpreter loads: `lua -la.b`."""
    if option := _MODULE_OPTIONS.get(name):
        for before, arg in pairwise([Field(""), *args]):
            yield place_of_module(arg.text if before.text == option else arg.text.removeprefix(option))


def named_files(
    codes: Iterable[str], folders: Sequence[str], home: str, pieces: Collection[str] | None = None
) -> Iterator[str]:
    """Yield the absolute paths that `codes` may name. Relative names are joined to each of the folders.

    `pieces` are the result of `pieces_of(codes)`, if it is known.
    """
    given = list(codes)
    pieces = pieces_of(given) if pieces is None else pieces
    if len(pieces) > MAX_PIECES:
        yield from folders
        return
    for piece in pieces:
        for folder in folders if not piece.startswith("~/") else (home,):
            yield _place(piece.removeprefix("~/"), folder)
    yield from _in_pieces(given, folders, home)


def pieces_of(codes: Iterable[str]) -> dict[str, None]:
    """Return the pieces of `codes` that may be names of files, as they are written, each once."""
    return dict.fromkeys(each for code in codes for each in _pieces(code))


def _in_pieces(codes: Sequence[str], folders: Sequence[str], home: str) -> Iterator[str]:
    """Yield the paths that code names in pieces: the folder and the file, or the home directory and the rest."""
    for code in codes:
        places = list(places_in_code(code))
        for place in places:
            yield from (_place(place, folder) for folder in folders)
        if _WORKING_DIRECTORY.search(code):
            below = dict.fromkeys(each.lstrip("/") for each in _pieces(code) if each[0] == "/")
            yield from (
                paths.normal(paths.join(folder, each)) for each in list(below)[:MAX_BELOW_HOME] for folder in folders
            )
        if names_home(code):
            below = dict.fromkeys(each.strip("/").removeprefix("~/") for each in (*_pieces(code), *places))
            yield from (paths.normal(paths.join(home, each)) for each in list(below)[:MAX_BELOW_HOME] if each)


def _place(name: str, folder: str) -> str:
    """Return the absolute path of a name in a folder, in which the code may run. In front of the name, code may insert
    the number of a process: `f"/proc/{pid}/cwd/a"`."""
    name = _OF_PROCESS.sub("/proc/self/cwd/", name) if "/cwd/" in name else name
    return paths.normal(paths.behind_process(paths.join(folder, name), folder))


def _pieces(code: str) -> Iterator[str]:
    if loads_env_files(code):
        yield from ENV_FILES
    yield from unnamed_files(code)
    calculated = (text for each in folded(code) for text in readings(each))
    for text in dict.fromkeys((*readings(code), *calculated)):
        for piece in _ENDS.split(text):
            if piece not in _NO_FILE and len(piece) <= MAX_CHARS:
                yield piece
                if LOCKS_BY_NAME in code:
                    yield f"{piece.partition('?')[0]}.lock"
                if _ANY_DEPTH in code and "*" in piece:
                    yield from (f"{above}/{piece}" for above in ("*", "*/*"))
                if piece[0] == "-":
                    yield piece.lstrip("-") or "-"
                    yield piece[2:] or "-"


def readings(code: str) -> Iterator[str]:
    """Yield a text unchanged, and in forms that a programming language may give it: adjacent strings joined, escapes
    and quotes removed, base64 and hexadecimal words decoded."""
    yield code
    if "\\\n" in code:  # lines that are joined, as in C
        yield code.replace("\\\n", "")
    if _ESCAPED.search(code):
        yield unquote(code)
    joined = _JOINED.sub("", code)
    if "\\" in joined:
        yield unescaped(joined)
        joined = without_escapes(joined)
    if joined != code:
        yield joined
    yield joined.replace("'", "").replace('"', "")
    yield from literals.joined(code)
    yield from _decoded(code)


def _decoded(code: str) -> Iterator[str]:
    """Yield the decoded form of words in base64 and hexadecimal digits, if it is plain text."""
    for word in dict.fromkeys(_ENCODED.findall(code)[:_MAX_DECODED]):
        for decode in (bytes.fromhex, base64.b64decode):
            try:
                text = decode(word).decode("ascii")
            except ValueError:
                continue
            if text.isprintable() or text.replace("\n", " ").isprintable():
                yield text
