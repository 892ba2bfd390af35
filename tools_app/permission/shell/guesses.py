"""guessed(): the probable expansion of a word whose value the analysis does not calculate, such as `${x#a}`.

A guess never makes a text complete. It only finds commands and files that rules ask about or deny.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import translate
from itertools import chain
from typing import Final

from tools_app.permission.shell.character_classes import CLASSES
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.words import UNKNOWN, Environment

MAX_CHARS: Final = 500  # of a word whose value is guessed, and of a guess
_CASES: Final[Mapping[str, Callable[[str], str]]] = {"~": str.swapcase, "^": str.upper, ",": str.lower}
_NOTHING: Final[Mapping[str, str]] = {}
_MAX_GUESSES: Final = 4  # for one word

_PARAMETER: Final = re.compile(
    r"\$(?:(\w+|[@*])|\{(!?)(\w+|[@*])(?:\[([\w@*]+)\])?((?:[#%/^,~:+=-])[^{}$`]*)?\})", re.ASCII
)
_PRINTED: Final = re.compile(
    r"(?:\$\(|`)\s*(?:(echo|printf|which|command -v|type -[pP]|readlink|realpath|basename|cat)\s|<)([^()$`]*)(?:\)|`)"
)
_WORD: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"|((?:[^\s'\"\\]|\\.)+)|(\s+)")
_CLASS: Final = re.compile(r"\[:(\w+):\]")
_DIRECTIVE: Final = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?[sbqdic])")


def guessed(
    source: str, environment: Environment, guesses: Mapping[str, str], files: Mapping[str, str] = _NOTHING
) -> Sequence[str]:
    """Return the possible expansions of a word's source, without quotes.

    `guesses` are possible values of variables by name, `files` the known contents of files by name.
    """
    if len(source) > MAX_CHARS or not ("$" in source or "`" in source):
        return ()
    plain = _PRINTED.sub(lambda found: printed(found[1], found[2], files), source)

    def values(name: str) -> list[str]:
        known = [each.text for each in environment.lookup(name) if UNKNOWN not in each.text and each.pattern is None]
        return known or [guesses.get(name, "")]

    found = []
    for number in range(_MAX_GUESSES):
        text = _PARAMETER.sub(lambda each: _value(each, values, number)[:MAX_CHARS], plain)  # noqa: B023
        found.append(re.sub(r"['\"\\]", "", text)[:MAX_CHARS])
    return [each for each in dict.fromkeys(found) if each.strip() and each != source]


def printed(name: str | None, words: str, files: Mapping[str, str] = _NOTHING) -> str:
    """Return the output of a command such as `echo`, `printf` or `cat`, from its words and the contents of files.

    In `$(<file)`, the command has no name and works like `cat`.
    """
    parts = ["".join(filter(None, each.groups())) for each in _WORD.finditer(words[:MAX_CHARS])]
    plain = [each for each in parts if each.strip() and not re.fullmatch(r"-[neE]+|--", each)]
    if name in {None, "cat"}:
        return " ".join(files.get(each, "") for each in plain).strip()
    if name == "basename":
        return plain[0].rpartition("/")[2] if plain else ""
    if name not in {"echo", "printf"}:
        return plain[-1] if plain else ""
    return formatted(plain) if name == "printf" else unescaped(" ".join(plain))


def formatted(words: Sequence[str]) -> str:
    """Return the output of `printf`, as if each directive of the format only inserted the next word."""
    if not words or "%" not in words[0]:
        return unescaped(" ".join(words))
    rest = chain(words[1:])
    one = _DIRECTIVE.sub(lambda each: "%" if each[0] == "%%" else next(rest, ""), words[0])
    return "\n".join([unescaped(one), *rest])


def _value(found: re.Match[str], values: Callable[[str], list[str]], number: int) -> str:
    plain, indirect, name, key, operation = found.groups()
    its = values(plain or (name if key in {None, "@", "*"} else f"{name}[{key}]"))
    text = its[min(number, len(its) - 1)]
    if indirect and re.fullmatch(r"\w+", text):
        text = values(text)[0]
    return changed(text, re.sub(r"['\"\\]", "", operation)) if operation else text


def changed(text: str, operation: str) -> str:
    """Return the value of `${name<operation>}`, without quotes; `text` is the value of the variable."""
    sign, rest = operation[0], operation[1:]
    if sign in "#%":
        return _without(text, rest.lstrip(sign), at_end=sign == "%", longest=rest.startswith(sign))
    if sign in _CASES:
        return _in_other_case(text, _CASES[sign], rest.removeprefix(sign), every=rest.startswith(sign))
    if sign == "/":
        every = rest.startswith("/")
        old, _, new = rest.lstrip("/").partition("/")
        new = new.replace("&", old)  # as newer versions of bash do
        if old[:1] in {"#", "%"} and not every:
            cut = _cut(text, old[1:], at_end=old[0] == "%", longest=True)
            return text if cut is None else f"{new}{text[cut:]}" if old[0] == "#" else f"{text[:cut]}{new}"
        return re.sub(_pattern(old), lambda _: new, text, count=0 if every else 1) if old else text
    if part := re.fullmatch(r"\s*(-?\d+|)(?::(-?\d+))?", rest):
        start = int(part[1] or 0)
        end = None if part[2] is None else int(part[2]) if part[2].startswith("-") else start + int(part[2])
        return text[start:end]
    return rest.lstrip("-=+?") if not text or sign == "+" or rest.startswith("+") else text


def _in_other_case(text: str, change: Callable[[str], str], glob: str, *, every: bool) -> str:
    """Change the case of a text, or of its first letter only. Letters that do not match `glob` stay unchanged."""
    chosen = re.compile(_pattern(glob or "?"))
    first = text if every else text[:1]
    return "".join(change(each) if chosen.fullmatch(each) else each for each in first) + text[len(first) :]


def _without(text: str, glob: str, *, at_end: bool, longest: bool) -> str:
    cut = _cut(text, glob, at_end=at_end, longest=longest)
    return text if cut is None else text[:cut] if at_end else text[cut:]


def _cut(text: str, glob: str, *, at_end: bool, longest: bool) -> int | None:
    """Return where the part of a text that matches `glob` begins at the end of the text, or ends at its beginning."""
    whole = re.compile(_pattern(glob))
    cuts = range(len(text) + 1)
    for cut in cuts if longest == at_end else reversed(cuts):
        if whole.fullmatch(text[cut:] if at_end else text[:cut]):
            return cut
    return None


def _pattern(glob: str) -> str:
    glob = _CLASS.sub(lambda found: CLASSES.get(found[1], ""), glob)
    return translate(glob.replace("[^", "[!")).removesuffix("\\Z")
