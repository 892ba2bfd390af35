"""Rules for expressions with a constant text value, as they are written in Python, JavaScript, Perl, Ruby, PHP and
awk."""

import base64
import codecs
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from tools_app.permission.shell.literal_code import SIGN, Literals

_MAX_TEXT: Final = 1_000  # characters
_MAX_PARTS: Final = 100  # into which a text is split
_LAST_CODE_POINT: Final = 0x10FFFF

_NUMBER: Final = r"(?:0x[0-9a-fA-F]{1,5}|0o[0-7]{1,7}|0b[01]{1,21}|\d{1,7})"
_NOTATION: Final = (
    ("<list>", r"[\[(]~(§+)~,?~[\])]"),
    ("<numbers>", rf"({_NUMBER}(?:~,~{_NUMBER}){{0,99}})"),
    ("<pairs>", r"\{~(§~(?::|=>)~§(?:~,~§~(?::|=>)~§)*)~,?~\}"),
    ("§+", "§(?:~,~§)*"),
    ("§", SIGN),
    ("~", r"\s*"),
)
"""Abbreviations in the patterns below: `§` stands for a literal, `§+` for several, `~` for any blanks."""
_PLACE: Final = re.compile(r"%-?\d*[sdqc]|\{\w*\}")
SIGN_ONLY: Final = re.compile(SIGN)
_SUBSCRIPT: Final = re.compile(r"\[(\d{1,3})\]")
Calculated = Callable[[Literals, re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern of expressions, and the function that returns their value. `hint` is a text that each such expression
    contains."""

    hint: str
    pattern: re.Pattern[str]
    calculated: Calculated

    def applied(self, code: str, literals: Literals) -> str:
        """Return the code with expressions of this kind replaced by their values."""
        if self.hint not in code:
            return code
        return self.pattern.sub(lambda found: self.calculated(literals, found), code)


@lru_cache(maxsize=2)
def rules(origin: int) -> Sequence[Rule]:
    """Return all rules. `origin` is the number of the first character for functions such as `substr`."""

    def part(literals: Literals, found: re.Match[str]) -> str:
        start = int(found[2]) - (origin if int(found[2]) > 0 else 0)
        return literals.add(literals.of(found[1])[start:][: int(found[3]) if found[3] else None])

    return (*_RULES, _rule("sub", r"\b(?:substr|string\.sub)~\(~(§)~,~(-?\d{1,4})~(?:,~(\d{1,4})~)?\)", part))


def _of_texts(change: Callable[..., str]) -> Calculated:
    """Convert a function that takes the texts of all groups to the function of a rule."""

    def calculated(literals: Literals, found: re.Match[str]) -> str:
        return literals.add(change(*(literals.of(each) for each in found.groups() if each))[:_MAX_TEXT])

    return calculated


def _listed(change: Callable[..., Sequence[str]]) -> Calculated:
    def calculated(literals: Literals, found: re.Match[str]) -> str:
        texts = change(*(literals.of(each) for each in found.groups() if each))
        return f"[{','.join(literals.add(each) for each in texts[:_MAX_PARTS])}]"

    return calculated


def _codes(numbers: str) -> list[str]:
    values = [int(each, 0 if each[1:2] in {"x", "o", "b"} else 10) for each in map(str.strip, numbers.split(","))]
    return [chr(each) for each in values if each <= _LAST_CODE_POINT]


def _characters(literals: Literals, found: re.Match[str]) -> str:
    return literals.add("".join(_codes(found[1])))


def _list_of_characters(literals: Literals, found: re.Match[str]) -> str:
    return f"[{','.join(map(literals.add, _codes(next(filter(None, found.groups())))))}]"


def _reversed(_: Literals, found: re.Match[str]) -> str:
    return f"[{','.join(reversed(re.findall(SIGN, next(filter(None, found.groups())))))}]"


def _joined(literals: Literals, found: re.Match[str]) -> str:
    by = literals.of(found["by"]) if found["by"] else ""
    return literals.add(by.join(literals.in_(found["parts"]))[:_MAX_TEXT])


def _joined_behind(literals: Literals, found: re.Match[str]) -> str:
    joined = literals.of(found[2]).join(literals.in_(found[3]))
    return literals.add(f"{literals.of(found[1])}{joined}"[:_MAX_TEXT])


def _sliced(literals: Literals, found: re.Match[str]) -> str:
    start, end, step = (int(each) if each else None for each in found.groups()[1:])
    return literals.add(literals.of(found[1])[start : end : step or 1])


def _cut(literals: Literals, found: re.Match[str]) -> str:
    start, end = int(found[3]), int(found[4]) if found[4] else None
    if found[2] == "substr" and end is not None:
        end += start
    return literals.add(literals.of(found[1])[start:end])


def _element(_: Literals, found: re.Match[str]) -> str:
    parts = re.findall(SIGN, found[1])
    index = int(found[2])
    return parts[index] if -len(parts) <= index < len(parts) else found[0]


def _character(literals: Literals, found: re.Match[str]) -> str:
    text, index = literals.of(found[1]), int(found[2])
    return literals.add(text[index]) if -len(text) <= index < len(text) else found[0]


def _looked_up(literals: Literals, found: re.Match[str]) -> str:
    parts = re.findall(SIGN, found[1])
    values = {literals.of(key): value for key, value in zip(parts[::2], parts[1::2], strict=False)}
    return values.get(literals.of(found[2])) or str(found[0])


def _filled(literals: Literals, found: re.Match[str]) -> str:
    given = literals.in_(found[2])
    rest = chain(given)

    def value(place: re.Match[str]) -> str:
        number = place[0][1:-1]
        if number.isdigit():
            return given[int(number)] if int(number) < len(given) else ""
        return next(rest, "")

    return literals.add(_PLACE.sub(value, literals.of(found[1]))[:_MAX_TEXT])


def _repeated(literals: Literals, found: re.Match[str]) -> str:
    return literals.add((literals.of(found[1]) * min(int(found[2]), _MAX_PARTS))[:_MAX_TEXT])


def _changed(literals: Literals, found: re.Match[str]) -> str:
    name = re.split(r"[.\s]", found["name"])[-1].lower()
    return literals.add(_CHANGES[name](literals.of(found["text"])))


def _decoded(literals: Literals, found: re.Match[str]) -> str:
    text, coding = literals.of(found[1]), literals.of(found[2]).replace("_", "").replace("-", "").lower()
    return literals.add(_rotated(text)) if coding.startswith("rot13") else found[0]


def _replaced(text: str, old: str, new: str) -> str:
    return text.replace(old, new)


def _characters_of(text: str, by: str = "") -> Sequence[str]:
    return text.split(by) if by else list(text)


def _rotated(text: str) -> str:
    rotated: str = codecs.encode(text, "rot13")
    return rotated


def _without(literals: Literals, found: re.Match[str]) -> str:
    text, name, part = literals.of(found[1]), found[2], literals.of(found[3])
    return literals.add(text.removeprefix(part) if "prefix" in name.lower() else text.removesuffix(part))


def _backwards_behind(literals: Literals, found: re.Match[str]) -> str:
    return f"{found[1]}{literals.add(literals.of(found[2])[::-1])}"


def _set_anew(literals: Literals, found: re.Match[str]) -> str:
    """Write `$x =~ tr/a/b/`, `$x =~ s/a/b/` and awk's `sub("a", "b", x)` as an assignment.

    The result is `$x = $x.replace("a", "b")`.
    """
    name, old, new = found["name"], found["old"], found["new"]
    old, new = (literals.of(each) if SIGN_ONLY.fullmatch(each) else each for each in (old, new))
    pairs = zip(old, new, strict=False) if (found.groupdict().get("how") or "s") != "s" else [(old, new)]
    changes = "".join(f".replace({literals.add(one)},{literals.add(other)})" for one, other in pairs)
    return f"{name} = {name}{changes}"


def _split_into(literals: Literals, found: re.Match[str]) -> str:
    """Write awk's `split("a b", x)` as an assignment. The first element is the one with the number 1."""
    parts = _characters_of(literals.of(found[1]), literals.of(found[3])) if found[3] else literals.of(found[1]).split()
    return f"{found[2]} = [{','.join(map(literals.add, ['', *parts[:_MAX_PARTS]]))}]"


def _element_in_text(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of `"$x[1] ..."`, in which the subscript stands in the text."""
    parts, rest = re.findall(SIGN, found[1]), literals.of(found[2])
    number = _SUBSCRIPT.match(rest)
    if not number or int(number[1]) >= len(parts):
        return found[0]
    return f"{parts[int(number[1])]} + {literals.add(rest[number.end() :])}"


def _printed_characters(literals: Literals, found: re.Match[str]) -> str:
    given = iter(_codes(found[2]))
    return literals.add(re.sub("%c", lambda _: next(given, ""), literals.of(found[1])))


def _replaced_by_pattern(literals: Literals, found: re.Match[str]) -> str:
    return literals.add(literals.of(found[1]).replace(found[2], literals.of(found[3])))


def _by_table(text: str, old: str, new: str) -> str:
    return text.translate(dict(zip(map(ord, old), new, strict=False)))


def _trimmed(literals: Literals, found: re.Match[str]) -> str:
    text, chars = literals.of(found[1]), literals.of(found[3])
    return literals.add(getattr(text, found[2])(chars))


def _padded(literals: Literals, found: re.Match[str]) -> str:
    text, size, fill = literals.of(found[1]), min(int(found[3]), _MAX_PARTS), literals.of(found[4]) or " "
    missing = (fill * size)[: max(size - len(text), 0)]
    return literals.add(missing + text if found[2] == "Start" else text + missing)


def _from_base(literals: Literals, found: re.Match[str]) -> str:
    try:
        return literals.add(_BASES[found[1]](literals.of(found[2])).decode("ascii"))
    except ValueError:
        return found[0]


def _of_number(literals: Literals, found: re.Match[str]) -> str:
    size, number = min(int(found[2]), _MAX_PARTS), int(found[1], 0)
    return literals.add((number % 256**size).to_bytes(size, "big").decode("latin-1"))


def _last_part(path: str, suffix: str = "") -> str:
    return posixpath.basename(path).removesuffix(suffix)


def _with_part(literals: Literals, found: re.Match[str]) -> str:
    path, part = PurePosixPath(literals.of(found[1])), literals.of(found[3])
    try:
        return literals.add(str(getattr(path, f"with_{found[2]}")(part)))
    except ValueError:
        return found[0]


_BASES: Final[Mapping[str, Callable[[str], bytes]]] = {
    "b32": base64.b32decode, "b16": base64.b16decode, "b85": base64.b85decode, "a85": base64.a85decode,
}  # fmt: skip


def _backwards(text: str) -> str:
    return text[::-1]


_CHANGES: Final[Mapping[str, Callable[[str], str]]] = {
    **dict.fromkeys(("lower", "casefold", "tolowercase", "downcase", "lc", "strtolower", "tolower"), str.lower),
    **dict.fromkeys(("upper", "touppercase", "upcase", "uc", "strtoupper", "toupper"), str.upper),
    **dict.fromkeys(("strip", "trim", "chomp"), str.strip),
    **dict.fromkeys(("reverse", "strrev"), _backwards),
    "lcfirst": lambda text: text[:1].lower() + text[1:],
    **dict.fromkeys(("ucfirst", "capitalize"), lambda text: text[:1].upper() + text[1:]),
    "swapcase": str.swapcase,
    "str_rot13": _rotated,
    **dict.fromkeys(("str", "tostring", "to_s", "encode", "decode"), str),
    **dict.fromkeys(("decodeuricomponent", "decodeuri", "unescape", "unquote", "urldecode"), unquote),
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
}  # fmt: skip
_METHODS: Final = (
    "lower|casefold|toLowerCase|downcase|upper|toUpperCase|upcase|strip|trim|chomp|reverse|capitalize|swapcase"
    "|toString|to_s|encode|decode|lstrip|rstrip"
)
_FUNCTIONS: Final = (
    "decodeURIComponent|decodeURI|unescape|unquote|urldecode|lc|uc|lcfirst|ucfirst|strtolower|strtoupper|tolower|toupper|trim|str|strrev|str_rot13"
    r"|string\.(?:lower|upper|reverse)|(?:scalar\s+)?reverse"
)


def _rule(hint: str, pattern: str, calculated: Calculated) -> Rule:
    for short, its in _NOTATION:
        pattern = pattern.replace(short, its)
    return Rule(hint, re.compile(pattern, re.DOTALL), calculated)


_RULES: Final[Sequence[Rule]] = (
    _rule("(", r"(?<![\w.)\]])\(~(§)~\)", lambda _, found: found[1]),
    _rule("", r"(§)~(?:\+|\.{1,2}|&|<>|\|\|)?~(§)(?!~[.\[])", _of_texts(lambda one, other: one + other)),
    _rule(
        "=~",
        r"(?P<name>\$\w{1,40})~=\x7e~(?P<how>tr|y|s)(?P<by>[/|,!#])"
        r"(?P<old>[\w. -]{1,40})(?P=by)(?P<new>[\w. -]{0,40})(?P=by)\w{0,3}",
        _set_anew,
    ),
    _rule("sub(", r"(?<![.\w])g?sub\(~(?P<old>§)~,~(?P<new>§)~,~(?P<name>[A-Za-z_]\w{0,40})~\)", _set_anew),
    _rule("split(", r"(?<![.\w])split\(~(§)~,~([A-Za-z_]\w{0,40})~(?:,~(§)~)?\)", _split_into),
    _rule("sub(", r"\bre\.sub\(~(§)~,~(§)~,~(§)~\)", _of_texts(lambda old, new, text: text.replace(old, new))),
    _rule(
        "sub(",
        r"(?<![.\w])g?sub\(~/(?P<old>\w{1,40})/~,~(?P<new>§)~,~(?P<name>[A-Za-z_]\w{0,40})~\)",
        _set_anew,
    ),
    _rule("replace", r"(§)\.(?:replace|replaceAll)\(~/(\w{1,40})/[gi]{0,2}~,~(§)~\)", _replaced_by_pattern),
    _rule("maketrans", r"(§)\.translate\(~(?:str\.)?maketrans\(~(§)~,~(§)~\)~\)", _of_texts(_by_table)),
    _rule("%", r"(§)~%~\(~<numbers>~,?~\)", _printed_characters),
    _rule(".at(", r"<list>\.at\(~(-?\d{1,4})~\)", _element),
    _rule("+", r"\(~<list>~\)~\+~(§)", _element_in_text),
    _rule("printf", r"\bs?printf~\(~(§)~,~<numbers>~\)", _printed_characters),
    _rule("splitext", r"\bsplitext~\(~(§)~\)", _listed(posixpath.splitext)),
    # Numbers of characters
    _rule("chr", r"\bmap~\(~chr~,~[\[(]~<numbers>~[\])]~\)", _list_of_characters),
    _rule("chr", r"\bchr~\(?~\w+~\)?\s+for\s+\w+\s+in\s+[\[(]~<numbers>~[\])]", _list_of_characters),
    _rule("chr", r"\bmap~\{?~\(?chr\b[^,}(]{0,10}\)?~[},]~\(?~<numbers>~\)?", _list_of_characters),
    _rule("chr", r"\bchr~\(?~<numbers>~\)?", _characters),
    _rule("from", r"\bString\.from(?:CharCode|CodePoint)~\(~(?:\.\.\.)?~\[?~<numbers>~\]?~\)", _characters),
    _rule("bytes", r"\bbytes~\(~[\[(]~<numbers>~[\])]~\)", _characters),
    _rule("bytearray", r"\bbytearray~\(~[\[(]~<numbers>~[\])]~\)", _characters),
    _rule("Buffer", r"\bBuffer\.from~\(~\[~<numbers>~\]~\)", _characters),
    _rule("pack", r"\bpack~\(?~§~,~\(?~<numbers>~\)?", _characters),
    _rule("pack", r"\[~<numbers>~\]\.pack~\(?~§~\)?", _characters),
    # Lists
    _rule("list", r"\blist~\(~(§)~\)", _listed(_characters_of)),
    _rule("...", r"\[~\.\.\.~(§)~\]", _listed(_characters_of)),
    _rule("Array", r"\bArray\.from~\(~(§)~\)", _listed(_characters_of)),
    _rule("chars", r"(§)\.(?:chars|each_char)\b(?:\.to_a)?", _listed(_characters_of)),
    _rule("split", r"(§)\.split~\(~(§)~\)", _listed(_characters_of)),
    _rule("split", r"\bsplit~\(?~(?://|§)~,~(§)~\)?", _listed(_characters_of)),
    _rule("split", r"(§)\.split~\(~\)", _listed(str.split)),
    _rule("revers", r"<list>\.reverse(?:\(\))?", _reversed),
    _rule("reversed", r"\breversed~\(~(§)~\)", _listed(lambda text: list(text[::-1]))),
    _rule("revers", r"\breversed?(?:~\(~<list>~\)|\s+<list>)", _reversed),
    _rule("[", r"<list>~\[~(-?\d{1,4})~\]", _element),
    _rule("{", r"<pairs>~(?:\[|\.get\()~(§)~[\])]", _looked_up),
    _rule("join", r"(?P<by>§)\.join~\(~[\[(]?~(?P<parts>§+)~,?~[\])]?~\)", _joined),
    _rule("join", r"\[~(?P<parts>§+)~,?~\]\.join~(?:\(~(?P<by>§)?~\))?", _joined),
    _rule("join", r"(?<![.\w])join~\(?~(?P<by>§)~,~[\[(]?~(?P<parts>§+)~[\])]?~\)?", _joined),
    _rule("join", r"(§)\.join~(§)~,~\(?~(§+)~\)?", _joined_behind),
    _rule("implode", r"\bimplode~\(~(?P<by>§)~,~[\[(]~(?P<parts>§+)~[\])]~\)", _joined),
    _rule("concat", r"(§)\.concat~\(~(§)~\)", _of_texts(lambda one, other: one + other)),
    # Parts
    _rule(":", r"(§)~\[~(-?\d{0,4})~:~(-?\d{0,4})~(?::~(-?\d{0,4}))?~\]", _sliced),
    _rule("[", r"(§)~\[~(-?\d{1,4})~\]", _character),
    _rule(".", r"(§)\.(slice|substring|substr)\(~(-?\d{1,4})~(?:,~(-?\d{1,4})~)?\)", _cut),
    _rule("charAt", r"(§)\.charAt\(~(\d{1,4})~\)", _character),
    _rule("remove", r"(§)\.(removeprefix|removesuffix)\(~(§)~\)", _without),
    _rule("strip", r"(§)\.(l?r?strip)\(~(§)~\)", _trimmed),
    _rule("pad", r"(§)\.pad(Start|End)\(~(\d{1,4})~,~(§)~\)", _padded),
    _rule("decode(", r"\b(b32|b16|b85|a85)decode~\(~(§)~\)", _from_base),
    _rule("to_bytes", rf"\(?~({_NUMBER})~\)?\.to_bytes~\(~(\d{{1,3}})~(?:,~§~)?\)", _of_number),
    _rule("delete_", r"(§)\.(delete_prefix|delete_suffix)\(~(§)~\)", _without),
    _rule("stem", r"\bPath~\(~(§)~\)\.stem\b", _of_texts(lambda path: PurePosixPath(path).stem)),
    _rule("with_", r"\bPath~\(~(§)~\)\.with_(suffix|name|stem)\(~(§)~\)", _with_part),
    _rule("basename", r"\bbasename~\(?~(§)~(?:,~(§)~)?\)?", _of_texts(_last_part)),
    _rule("parse", r"\bparse~\(~(§)~\)\.name\b", _of_texts(lambda path: posixpath.splitext(_last_part(path))[0])),
    # Changes
    _rule("replace", r"(§)\.(?:replace|replaceAll)\(~(§)~,~(§)~(?:,~\d+~)?\)", _of_texts(_replaced)),
    _rule("sub", r"(§)\.g?sub\(~(§)~,~(§)~\)", _of_texts(_replaced)),
    _rule(
        "str_replace", r"\bstr_replace\(~(§)~,~(§)~,~(§)~\)", _of_texts(lambda old, new, text: text.replace(old, new))
    ),
    _rule("codecs", r"\bcodecs\.(?:de|en)code\(~(§)~,~(§)~\)", _decoded),
    _rule(".", rf"(?P<text>§)\.(?P<name>{_METHODS})\b(?:\([^()]{{0,20}}\))?!?", _changed),
    _rule("", rf"\b(?P<name>{_FUNCTIONS})\b~\(?~(?P<text>§)~\)?", _changed),
    _rule("$_", r"(\$_~=~(§)[^}]{0,200}?)\breverse\b(?=~(?:[;)}]|$))", _backwards_behind),
    _rule("*", r"(§)~\*~(\d{1,3})\b", _repeated),
    # Formats
    _rule("%", r"(§)~%~[\[(]?~(§+)~,?~[\])]?", _filled),
    _rule("format", r"(§)\.format\(~((?:\w+~=~)?§(?:~,~(?:\w+~=~)?§)*)~\)", _filled),
    _rule("printf", r"\bs?printf~\(?~(§)~,~(§+)~\)?", _filled),
    _rule("format", r"\bformat~\(?~(§)~,~(§+)~\)?", _filled),
)
