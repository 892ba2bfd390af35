"""Rules for texts that functions put together or fill up: `".".concat("env")`, `"env".rjust(4, ".")`, and lists with
holes, as JavaScript has them.
"""

import re
from collections.abc import Sequence
from typing import Final

from tools_app.permission.shell.constant_patterns import MAX_PARTS, MAX_TEXT, SIGN_ONLY, Rule, of_texts, rule
from tools_app.permission.shell.literal_code import Literals

_NOTHING: Final = r"(?:§|null|undefined|void~0)"
"""An element of a list that JavaScript joins as a text: nothing, `null` and `undefined` are empty."""
_LEFT: Final = frozenset({"Start", "rjust", "zfill", "STR_PAD_LEFT", "0"})
_BOTH: Final = frozenset({"center", "STR_PAD_BOTH", "2"})


def _joined_with_holes(literals: Literals, found: re.Match[str]) -> str:
    parts = [each.strip() for each in found[1].split(",")]
    parts = parts if parts[-1] else parts[:-1]
    texts = [literals.of(each) if SIGN_ONLY.fullmatch(each) else "" for each in parts]
    return literals.add(literals.of(found[2]).join(texts)[:MAX_TEXT])


def _joined_nothing(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of `Array(3).join("x")`, or of `Array(3).fill("a").join("x")`."""
    parts = [literals.of(found[2]) if found[2] else ""] * min(int(found[1]), MAX_PARTS)
    return literals.add(literals.of(found[3]).join(parts)[:MAX_TEXT])


def _padded(literals: Literals, found: re.Match[str]) -> str:
    return literals.add(_filled_up(literals, found["text"], found["size"], found["fill"], found["how"] or ""))


def _filled_up(literals: Literals, text: str, size: str, fill: str | None, how: str) -> str:
    """Return a text that is filled up to a size: at the end, unless `how` names its beginning or both."""
    text, by = literals.of(text), literals.of(fill) if fill else "0" if how == "zfill" else " "
    missing = max(min(int(size), MAX_PARTS) - len(text), 0)
    before = missing if how in _LEFT else missing // 2 if how in _BOTH else 0
    repeated = by * MAX_PARTS
    return f"{repeated[:before]}{text}{repeated[: missing - before]}"


def _inserted(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of Ruby's `"env".insert(0, ".")`. Negative places count from behind the end."""
    text, at = literals.of(found[1]), int(found[2])
    at = at if at >= 0 else len(text) + at + 1
    return literals.add(f"{text[:at]}{literals.of(found[3])}{text[at:]}")


def _replaced_part(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of PHP's `substr_replace("xenv", ".", 0, 1)`."""
    text, start = literals.of(found[1]), int(found[3])
    rest = text[start:]
    behind = "" if found[4] is None else rest[int(found[4]) :]
    return literals.add(f"{text[:start]}{literals.of(found[2])}{behind}")


def _added(literals: Literals, found: re.Match[str]) -> str:
    return literals.add("".join(literals.in_(found[0]))[:MAX_TEXT])


def _put_in_front(literals: Literals, found: re.Match[str]) -> str:
    return literals.add("".join((*literals.in_(found[2]), literals.of(found[1])))[:MAX_TEXT])


ADDITIONS: Final[Sequence[Rule]] = (
    rule(
        "join",
        rf"\[~((?:(?:{_NOTHING}~)?,~){{0,50}}(?:{_NOTHING}~)?)\]\.join~\(?~(§)~\)?",
        _joined_with_holes,
    ),
    rule("Array", r"(?:\bnew\s+)?\bArray~\(~(\d{1,3})~\)(?:\.fill\(~(§)~\))?\.join~\(?~(§)~\)?", _joined_nothing),
    rule("join", r"\bstr\.join~\(~(§)~,~[\[(]~((?:§~,~){0,50}§)~,?~[\])]~\)", lambda literals, found: literals.add(
        literals.of(found[1]).join(literals.in_(found[2]))[:MAX_TEXT]
    )),
    rule("concat", r"§\.concat~\(~§+~\)", _added),
    rule("__add__", r"§\.__add__\(~§~\)", _added),
    rule("add", r"\b(?:operator\.(?:add|concat|iadd)|str\.__add__)\(~§~,~§~\)", _added),
    rule("prepend", r"(§)\.prepend~\(?~(§+)~\)?", _put_in_front),
    rule("indent", r"\btextwrap\.indent\(~(§)~,~(§)~\)", of_texts(lambda text, before: f"{before}{text}")),
    rule("insert", r"(§)\.insert~\(?~(-?\d{1,4})~,~(§)~\)?", _inserted),
    rule("substr_replace", r"\bsubstr_replace\(~(§)~,~(§)~,~(-?\d{1,4})~(?:,~(-?\d{1,4})~)?\)", _replaced_part),
    rule("pad", r"(?P<text>§)\.pad(?P<how>Start|End)\(~(?P<size>\d{1,4})~(?:,~(?P<fill>§)~)?\)", _padded),
    rule(
        "",
        r"(?P<text>§)\.(?P<how>[rl]just|center|zfill)~\(?~(?P<size>\d{1,4})~(?:,~(?P<fill>§)~)?\)?",
        _padded,
    ),
    rule(
        "str_pad",
        r"\bstr_pad\(~(?P<text>§)~,~(?P<size>\d{1,4})~(?:,~(?P<fill>§)~)?(?:,~(?P<how>\w{1,20})~)?\)",
        _padded,
    ),
)  # fmt: skip
