"""Rules for formats with literals and numbers: `"%s%c" % ("a", 46)`, `"{:.>4}".format("env")`, `sprintf("%c", 46)`."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tools_app.permission.shell.constant_patterns import MAX_PARTS, MAX_TEXT, Rule, character, number, rule
from tools_app.permission.shell.literal_code import SIGN, Literals

Given = str | int
_PLACE: Final = re.compile(
    r"%(?:(?P<at>\d{1,2})\$)?(?:\((?P<key>\w{1,40})\)|<(?P<angle>\w{1,40})>)?(?P<flags>(?:[-+ #0]|'.){0,5})"
    r"(?P<size>\*|\d{0,3})(?:\.(?P<cut>\*|\d{1,3}))?(?P<kind>[sdiuqcxXob])"
    r"|%?\{(?P<name>\w{0,40})(?:![rsa])?(?::(?P<spec>[^{}]{0,20}))?\}",
    re.DOTALL,
)
_FILL: Final = re.compile("'(.)", re.DOTALL)
"""The character that PHP fills a text up with."""
_SPECIFICATION: Final = re.compile(
    r"(?P<fill>.(?=[<>^=]))?(?P<align>[<>^=]?)(?P<zero>0?)(?P<size>\d{0,3})(?:\.(?P<cut>\d{1,3}))?(?P<kind>[sdcxXob]?)"
)
_GIVEN: Final = re.compile(rf"(?:(\w{{1,40}}|{SIGN})\s*(?:=>|[:=])\s*)?({SIGN}|\w+)")


def _filled(literals: Literals, found: re.Match[str]) -> str:
    named = _GIVEN.findall(found[2])
    values: list[Given] = [literals.of(each) if re.fullmatch(SIGN, each) else number(each) for _, each in named]
    names = [literals.of(name) if re.fullmatch(SIGN, name) else name for name, _ in named]
    by_name = {name: value for name, value in zip(names, values, strict=True) if name}
    rest = iter(values)

    def value(place: re.Match[str]) -> str:
        name, at = place["name"] or place["key"] or place["angle"] or "", int(place["at"] or 0)
        size, cut = (_size(each, rest) for each in (place["size"], place["cut"]))
        index = int(name) if name.isdecimal() else at - 1
        if index >= 0:
            given: Given = values[index] if index < len(values) else ""
        else:
            given = by_name[name] if name in by_name else next(rest, "")
        return _printed(place, given, size, cut) if place["kind"] else _formatted(place["spec"] or "", given)

    return literals.add(_PLACE.sub(value, literals.of(found[1]))[:MAX_TEXT])


def _size(written: str | None, rest: Iterator[Given]) -> int | None:
    """Return the size in a conversion specification; for `*`, it is the next value."""
    if written != "*":
        return int(written) if written else None
    given = next(rest, 0)
    return given if isinstance(given, int) else 0


def _printed(place: re.Match[str], given: Given, size: int | None, cut: int | None) -> str:
    """Return a value as `printf` prints it for a conversion specification such as `%-5.2s`."""
    flags = _FILL.sub("", place["flags"])
    filling = _FILL.findall(place["flags"])
    fill = filling[-1] if filling else "0" if "0" in flags and isinstance(given, int) else ""
    return _laid_out(_converted(given, place["kind"])[:cut], size, fill, "<" if "-" in flags else ">")


def _formatted(specification: str, given: Given) -> str:
    """Return a value formatted by a format specification of Python, such as `.>4`."""
    place = _SPECIFICATION.fullmatch(specification)
    if not place:
        return str(given)
    is_number = isinstance(given, int)
    fill = place["fill"] or (place["zero"] if is_number else "")
    text = _converted(given, place["kind"])[: int(place["cut"]) if place["cut"] else None]
    return _laid_out(text, int(place["size"] or 0), fill, place["align"] or (">" if is_number else "<"))


def _converted(given: Given, kind: str) -> str:
    if isinstance(given, str):
        return given[:1] if kind == "c" else given
    if kind == "c":
        return character(given)
    return format(given, kind) if kind and kind in "xXob" else str(given)


def _laid_out(text: str, size: int | None, fill: str, align: str) -> str:
    size = min(size or 0, MAX_PARTS)
    if align == "^":
        return text.center(size, fill or " ")
    return text.ljust(size, fill or " ") if align == "<" else text.rjust(size, fill or " ")


def _format_of_one(literals: Literals, found: re.Match[str]) -> str:
    """Replace a call of Python's `format` with constant arguments, such as `format("env", ".>4")`, by its value."""
    given, specification = found[1], literals.of(found[2])
    value: Given = literals.of(given) if re.fullmatch(SIGN, given) else number(given)
    if not _SPECIFICATION.fullmatch(specification) or "%" in str(value):
        return found[0]
    return literals.add(_formatted(specification, value))


FORMATS: Final[Sequence[Rule]] = (
    rule("%", r"(§)~%~[\[({]?~<given>~,?~[\])}]?", _filled),
    rule("format", r"(§)\.format(?:_map)?\(~(?:\*{1,2})?[\[({]?~<given>~,?~[\])}]?~\)", _filled),
    rule("printf", r"\bv?s?printf~\(?~(§)~,~[\[(]?~<given>~[\])]?~\)?", _filled),
    rule("format", r"\bformat~\(~(§|<number>)~,~(§)~\)", _format_of_one),
    rule("format", r"\bformat~\(?~(§)~,~<given>~\)?", _filled),
)
