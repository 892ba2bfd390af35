"""PRINTERS: the output of programs for which the command line gives a format, such as `date +FORMAT` and `git log
--format`."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.guess import Guess

_OF_DATE: Final = re.compile(r"%([%nt])")
_OF_GIT: Final = re.compile(r"%(?:x([0-9a-fA-F]{2})|([0-9a-fA-F]{2})|([n%]))")
_FORMAT: Final = re.compile(r"--(?:format|pretty)=(?:t?format:)?(.*)", re.DOTALL)
_PERCENT: Final = re.compile(r"%'?[-\d.]*f")
_FOLDERS_OF_GIT: Final = {
    **dict.fromkeys(("--git-dir", "--git-common-dir"), ".git"), "--absolute-git-dir": "/workspace/.git",
    "--show-toplevel": "/workspace",
}  # fmt: skip
_OPTIONS_OF_DD: Final = names("if of bs ibs obs count skip seek conv status oflag")
_CONVERSIONS_OF_DD: Final = names("lcase ucase swab notrunc noerror sync fsync fdatasync nocreat excl")
_PRINTED: Final = {"n": "\n", "t": "\t", "%": "%"}


def _date(args: Sequence[str], _text: str) -> str:
    form = next((each[1:] for each in args if each[:1] == "+"), "")
    return _OF_DATE.sub(lambda found: _PRINTED[found[1]], form)


def _git(args: Sequence[str], _text: str) -> str:
    """Return the folders that `git rev-parse` prints in the root of the workspace, or the `--format` of another git
    command with its escapes replaced."""
    if args[:1] == ["rev-parse"]:
        path = _after(args, "--git-path")
        folders = [_FOLDERS_OF_GIT[each] for each in args if each in _FOLDERS_OF_GIT]
        return "\n".join([*folders, *[f".git/{path}"] * bool(path)])
    form = next((found[1] for each in args if (found := _FORMAT.fullmatch(each))), "") or _after(args, "--format")
    return _OF_GIT.sub(_of_git, form)


def _of_git(found: re.Match[str]) -> str:
    return _PRINTED[found[3]] if found[3] else chr(int(found[1] or found[2], 16))


def _after(args: Sequence[str], option: str) -> str:
    return next((after for before, after in pairwise(args) if before == option), "")


def _numfmt(args: Sequence[str], text: str) -> str:
    options = dict(each[2:].split("=", 1) for each in args if each[:2] == "--" and "=" in each)
    numbers = [each for each in args if each[:1] != "-"] or text.split()
    form = options.get("format", "")
    return "".join(
        f"{_PERCENT.sub(each, form) if form else each}{options.get('suffix', '')}\n" for each in numbers[:100]
    )


def _find(args: Sequence[str], _text: str) -> str:
    return unescaped(_after(args, "-printf") or _after(args, "-fprintf"))


def _stat(args: Sequence[str], _text: str) -> str:
    form = next((each.partition("=")[2] for each in args if re.match("--(?:format|printf)=", each)), "")
    return unescaped(form or _after(args, "-c") or _after(args, "--printf") or _after(args, "--format"))


def _dd(args: Sequence[str], text: str) -> str:
    given = dict(each.split("=", 1) for each in args if "=" in each)
    size = _number(given.get("bs") or given.get("ibs") or "512")
    start = _number(given.get("skip", "0")) * size
    text = text[start:] if "count" not in given else text[start : start + _number(given["count"]) * size]
    conversions = list(filter(None, given.get("conv", "").split(",")))
    for change in conversions:
        text = _CONVERSIONS.get(change, str)(text)
    known = _OPTIONS_OF_DD.issuperset(given) and _CONVERSIONS_OF_DD.issuperset(conversions)
    return text if known and (not given.get("ibs") or not given.get("bs")) else Guess(text)


def _swapped(text: str) -> str:
    return re.sub(r"(.)(.)", r"\2\1", text, flags=re.DOTALL)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else 10


def _basename(args: Sequence[str], _text: str) -> str:
    suffix = _after(args, "-s")
    plain = [each for each in args if each[:1] != "-" and each != suffix]
    names = [each.rstrip("/").rpartition("/")[2] for each in plain]
    if not suffix and len(plain) > 1 and "-a" not in args:
        return names[0].removesuffix(plain[1])
    return "\n".join(each.removesuffix(suffix) for each in names)


def _dirname(args: Sequence[str], _text: str) -> str:
    return "\n".join(each.rstrip("/").rpartition("/")[0] or "." for each in args if each[:1] != "-")


def _shuf(args: Sequence[str], text: str) -> str:
    lines = [each for each in args if each[:1] != "-"] if "-e" in args else text.splitlines()
    printed = "\n".join(lines)
    return printed if len(lines) < 2 else Guess(printed)


_CONVERSIONS: Final[Mapping[str, Callable[[str], str]]] = {"lcase": str.lower, "ucase": str.upper, "swab": _swapped}
PRINTERS: Final[Mapping[str, Callable[[Sequence[str], str], str]]] = {
    "date": _date, "git": _git, "numfmt": _numfmt, "find": _find, "stat": _stat, "dd": _dd, "basename": _basename,
    "dirname": _dirname, "shuf": _shuf,
}  # fmt: skip
