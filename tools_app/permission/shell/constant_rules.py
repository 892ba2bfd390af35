"""Rules for expressions with a constant text value, as they are written in Python, JavaScript, Perl, Ruby, PHP and
awk."""

import codecs
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from tools_app.permission.shell.braces import expand_braces
from tools_app.permission.shell.constant_additions import ADDITIONS
from tools_app.permission.shell.constant_edits import EDITS
from tools_app.permission.shell.constant_encodings import ENCODINGS
from tools_app.permission.shell.constant_formats import FORMATS
from tools_app.permission.shell.constant_patterns import (
    MAX_PARTS,
    MAX_TEXT,
    SIGN_ONLY,
    Rule,
    listed,
    of_texts,
    rule,
)
from tools_app.permission.shell.constant_replacements import replaced, replacements
from tools_app.permission.shell.literal_code import SIGN, Literals

_QUOTE: Final = re.compile(r"['\"`]")
_SUBSCRIPT: Final = re.compile(r"\[(\d{1,3})\]")


@lru_cache(maxsize=4)
def rules(origin: int, *, first_only: bool = False) -> Sequence[Rule]:
    """Return all rules.

    `origin` is the number of the first character for functions such as `substr`; `first_only` says whether `replace`
    replaces only the first occurrence.
    """

    def part(literals: Literals, found: re.Match[str]) -> str:
        start = int(found[2]) - (origin if int(found[2]) > 0 else 0)
        return literals.add(literals.of(found[1])[start:][: int(found[3]) if found[3] else None])

    return (
        *replacements(first_only=first_only),
        *_RULES,
        rule("sub", r"\b(?:substr|string\.sub)~\(~(§)~,~(-?\d{1,4})~(?:,~(\d{1,4})~)?\)", part),
    )


def _reversed(_: Literals, found: re.Match[str]) -> str:
    return f"[{','.join(reversed(re.findall(SIGN, next(filter(None, found.groups())))))}]"


def _joined(literals: Literals, found: re.Match[str]) -> str:
    by = literals.of(found["by"]) if found["by"] else ""
    return literals.add(by.join(literals.in_(found["parts"]))[:MAX_TEXT])


def _joined_behind(literals: Literals, found: re.Match[str]) -> str:
    joined = literals.of(found[2]).join(literals.in_(found[3]))
    return literals.add(f"{literals.of(found[1])}{joined}"[:MAX_TEXT])


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


def _repeated(literals: Literals, found: re.Match[str]) -> str:
    return literals.add((literals.of(found[1]) * min(int(found[2]), MAX_PARTS))[:MAX_TEXT])


def _changed(literals: Literals, found: re.Match[str]) -> str:
    name = re.split(r"[.\s]", found["name"])[-1].lower()
    return literals.add(_CHANGES[name](literals.of(found["text"])))


def _decoded(literals: Literals, found: re.Match[str]) -> str:
    text, coding = literals.of(found[1]), literals.of(found[2]).replace("_", "").replace("-", "").lower()
    return literals.add(_rotated(text)) if coding.startswith("rot13") else found[0]


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


def _split_into(literals: Literals, found: re.Match[str]) -> str:
    """Convert awk's `split("a b", x)` to an assignment of an array whose first element has the index 1."""
    parts = _characters_of(literals.of(found[1]), literals.of(found[3])) if found[3] else literals.of(found[1]).split()
    return f"{found[2]} = [{','.join(map(literals.add, ['', *parts[:MAX_PARTS]]))}]"


def _element_in_text(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of `"$x[1] ..."`, a text that contains a subscript."""
    parts, rest = re.findall(SIGN, found[1]), literals.of(found[2])
    index = _SUBSCRIPT.match(rest)
    if not index or int(index[1]) >= len(parts):
        return found[0]
    return f"{parts[int(index[1])]} + {literals.add(rest[index.end() :])}"


def _expanded(literals: Literals, found: re.Match[str]) -> str:
    """Expand braces in the argument of `glob`, or in a text between `<` and `>` in Perl, to a list of texts."""
    text = literals.of(found[1]) if SIGN_ONLY.fullmatch(found[1]) else found[1]
    words = expand_braces([(each, True) for each in text]) or []
    texts = ["".join(each[0] for each in word if isinstance(each, tuple)) for word in words]
    return f"[{','.join(map(literals.add, texts))}]" if len(texts) > 1 else found[0]


def _constant(literals: Literals, found: re.Match[str]) -> str:
    """Rewrite a PHP constant `define("A", "b")` as an assignment, so that its value is known."""
    name = literals.of(found[1])
    return f"{name} = {found[2]}" if name.isidentifier() else found[0]


def _run(literals: Literals, found: re.Match[str]) -> str:
    """Replace an expression that executes a string literal, such as `eval("...")`, by the code in the literal, if this
    code contains string literals itself."""
    code = literals.of(found[1])
    return f"\n{literals.read(code)}\n" if _QUOTE.search(code) else found[0]


def _trimmed(literals: Literals, found: re.Match[str]) -> str:
    text, chars = literals.of(found[1]), literals.of(found[3])
    return literals.add(getattr(text, found[2])(chars))


def _last_part(path: str, suffix: str = "") -> str:
    return posixpath.basename(path).removesuffix(suffix)


def _with_part(literals: Literals, found: re.Match[str]) -> str:
    path, part = PurePosixPath(literals.of(found[1])), literals.of(found[3])
    try:
        return literals.add(str(getattr(path, f"with_{found[2]}")(part)))
    except ValueError:
        return found[0]


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
    "chop": lambda text: text[:-1],
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
}  # fmt: skip
_METHODS: Final = (
    "lower|casefold|toLowerCase|downcase|upper|toUpperCase|upcase|strip|trim|chomp|reverse|capitalize|swapcase"
    "|toString|to_s|encode|decode|lstrip|rstrip|chop"
)
_FUNCTIONS: Final = (
    "decodeURIComponent|decodeURI|unescape|unquote|urldecode|lc|uc|lcfirst|ucfirst|strtolower|strtoupper|tolower|toupper|trim|str|strrev|str_rot13"
    r"|(?:str\.)?(?:lower|upper)|string\.(?:lower|upper|reverse)|(?:scalar\s+)?reverse"
)


_RULES: Final[Sequence[Rule]] = (
    rule("(", r"(?<![\w.)\]])\(~(§)~\)", lambda _, found: found[1]),
    rule("", r"(§)~(?:(?:\+|\.{1,2}|&|<>|\|\|)~)?(§)(?!~[.\[])", of_texts(lambda one, other: one + other)),
    *EDITS,
    rule("split(", r"(?<![.\w])split\(~(§)~,~([A-Za-z_]\w{0,40})~(?:,~(§)~)?\)", _split_into),
    rule("define", r"\bdefine~\(~(§)~,~(§)~\)", _constant),
    rule("constant", r"\buse\s+constant\s+(\w{1,40})~=>~(§)", lambda _, found: f"{found[1]} = {found[2]}"),
    rule("glob", r"\bglob~\(?~(§)~\)?", _expanded),
    rule("Dir", r"\bDir~\[~(§)~\]", _expanded),
    rule("<", r"<([\w./*?~-]{0,60}\{[\w./*?,~-]{1,60}\}[\w./*?~-]{0,60})>".replace("~", "\x7e"), _expanded),
    rule("e", r"\b(?:exec|eval)~\(?~(§)~\)?", _run),
    rule(".at(", r"<list>\.at\(~(-?\d{1,4})~\)", _element),
    rule("+", r"\(~<list>~\)~\+~(§)", _element_in_text),
    rule("splitext", r"\bsplitext~\(~(§)~\)", listed(posixpath.splitext)),
    *ENCODINGS,
    # Lists
    rule("list", r"\blist~\(~(§)~\)", listed(_characters_of)),
    rule("...", r"\[~\.\.\.~(§)~\]", listed(_characters_of)),
    rule("Array", r"\bArray\.from~\(~(§)~\)", listed(_characters_of)),
    rule("chars", r"(§)\.(?:chars|each_char)\b(?:\.to_a)?", listed(_characters_of)),
    rule("split", r"(§)\.split~\(~(§)~\)", listed(_characters_of)),
    rule("split", r"\bsplit~\(?~(?://|§)~,~(§)~\)?", listed(_characters_of)),
    rule("split", r"(§)\.split~\(~\)", listed(str.split)),
    rule("revers", r"<list>\.reverse(?:\(\))?", _reversed),
    rule("reversed", r"\breversed~\(~(§)~\)", listed(lambda text: list(text[::-1]))),
    rule("revers", r"\breversed?(?:~\(~<list>~\)|\s+<list>)", _reversed),
    rule("[", r"<list>~\[~(-?\d{1,4})~\]", _element),
    rule("{", r"<pairs>~(?:\[|\.get\()~(§)~[\])]", _looked_up),
    rule("join", r"(?P<by>§)\.join~\(~[\[(]?~(?P<parts>§+)~,?~[\])]?~\)", _joined),
    rule("join", r"\[~(?P<parts>§+)~,?~\]\.join(?:~\(~(?P<by>§)?~\))?(?!~§)", _joined),
    rule("join", r"(?<![.\w])join~\(?~(?P<by>§)~,~[\[(]?~(?P<parts>§+)~[\])]?~\)?", _joined),
    rule("join", r"(§)\.join~(§)~,~\(?~(§+)~\)?", _joined_behind),
    rule("implode", r"\bimplode~\(~(?P<by>§)~,~[\[(]~(?P<parts>§+)~[\])]~\)", _joined),
    # Parts
    rule(":", r"(§)~\[~(-?\d{0,4})~:~(-?\d{0,4})~(?::~(-?\d{0,4}))?~\]", _sliced),
    rule("[", r"(§)~\[~(-?\d{1,4})~\]", _character),
    rule(".", r"(§)\.(slice|substring|substr)\(~(-?\d{1,4})~(?:,~(-?\d{1,4})~)?\)", _cut),
    rule("charAt", r"(§)\.charAt\(~(\d{1,4})~\)", _character),
    rule("remove", r"(§)\.(removeprefix|removesuffix)\(~(§)~\)", _without),
    rule("strip", r"(§)\.(l?r?strip)\(~(§)~\)", _trimmed),
    rule("delete_", r"(§)\.(delete_prefix|delete_suffix)\(~(§)~\)", _without),
    rule("stem", r"\bPath~\(~(§)~\)\.stem\b", of_texts(lambda path: PurePosixPath(path).stem)),
    rule("with_", r"\bPath~\(~(§)~\)\.with_(suffix|name|stem)\(~(§)~\)", _with_part),
    rule("basename", r"\bbasename~\(?~(§)~(?:,~(§)~)?\)?", of_texts(_last_part)),
    rule("parse", r"\bparse~\(~(§)~\)\.name\b", of_texts(lambda path: posixpath.splitext(_last_part(path))[0])),
    # Changes
    rule("replace(", r"(?<![.\w])replace\(~(§)~,~(§)~,~(§)~\)", of_texts(replaced)),
    rule(
        "str_replace", r"\bstr_replace\(~(§)~,~(§)~,~(§)~\)", of_texts(lambda old, new, text: replaced(text, old, new))
    ),
    rule("codecs", r"\bcodecs\.(?:de|en)code\(~(§)~,~(§)~\)", _decoded),
    rule(".", rf"(?P<text>§)\.(?P<name>{_METHODS})\b(?:\([^()]{{0,20}}\))?!?", _changed),
    rule("", rf"\b(?P<name>{_FUNCTIONS})\b~\(?~(?P<text>§)~\)?", _changed),
    rule("$_", r"(\$_~=~(§)[^}]{0,200}?)\breverse\b(?=~(?:[;)}]|$))", _backwards_behind),
    rule("", r"(§)~[*x]~(\d{1,3})\b", _repeated),
    rule("repeat", r"(§)\.repeat~\(~(\d{1,3})~\)", _repeated),
    rule("repeat", r"\bstr_repeat~\(~(§)~,~(\d{1,3})~\)", _repeated),
    *ADDITIONS,
    *FORMATS,
)
