"""Rules for replacements in literals: `"xenv".replace("x", ".")`, `re.sub("x", ".", "xenv")`, `$x =~ s/x/./`.

Languages differ: some replace the first occurrence only, some all of them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from tools_app.permission.shell.constant_patterns import MAX_TEXT, SIGN_ONLY, Calculated, Rule, character, number, rule
from tools_app.permission.shell.literal_code import SIGN, Literals

PATTERN: Final = r"(?:[^/\\\n]|\\.){0,60}"
"""A regular expression between slashes."""
_SLASH: Final = "\\/"
_SIMPLE: Final = re.compile(
    r"(?:\^|\\A)?(?:(?:[^\\\[\](){}|*+?^$]|\\[./\\\-wWdDsS]|\[\^?(?:\w-\w|[\w. -]){1,30}\])[+*?]?){0,60}(?:\$|\\[zZ])?"
)
"""A regular expression that Python reads as other languages do, without groups and choices."""
_REPEATS: Final = re.compile(r"(?<!\\)[+*?]")
_MAX_REPEATS: Final = 2
_MAX_REPEATED: Final = 100  # characters of a text in which repetitions are looked for
_WHOLE: Final = re.compile(r"\$[&0]|\\+[&0]|\\g<0>")
"""The text that was found, in a replacement."""
_DELIMITED: Final = re.compile(r"([^\w\s\\])(.*)\1([a-zA-Z]{0,4})", re.DOTALL)
_RANGE: Final = re.compile(r"(\w)-(\w)")
_COUNT: Final = r"(?:,~(?:(?:count|limit)~=~)?(-?\d{1,4})~)?"


def replacements(*, first_only: bool) -> Sequence[Rule]:
    """Return the rules for replacements. `first_only`: `replace` without a count replaces the first occurrence, as in
    JavaScript; otherwise it replaces all of them, as in Python."""

    def replace(literals: Literals, found: re.Match[str]) -> str:
        once = first_only and found[2] == "replace"
        count = int(found[5]) if found[5] else 1 if once else -1
        text, old, new = (literals.of(found[each]) for each in (1, 3, 4))
        return literals.add(replaced(text, old, new, count))

    return (*_RULES, rule("replace", rf"(§)\.(replace|replaceAll)\(~(§)~,~(§)~{_COUNT}\)", replace))


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """Return a text in which an old text is replaced: by default every time that it occurs."""
    return text[:MAX_TEXT].replace(old, _WHOLE.sub(lambda _: old, new), count)[:MAX_TEXT]


def substituted(pattern: str, new: str, text: str, count: int = 0, *, ignores_case: bool = False) -> str | None:
    """Return a text in which a regular expression is replaced; None if the expression is not simple.

    `count` is the greatest number of replacements; 0 for all.
    """
    repeats = len(_REPEATS.findall(pattern))
    if not _SIMPLE.fullmatch(pattern) or repeats > _MAX_REPEATS or (repeats and len(text) > _MAX_REPEATED):
        return None
    pattern = pattern.replace("\\z", "\\Z")
    try:
        changed = re.sub(
            pattern,
            lambda its: _WHOLE.sub(lambda _: its[0], new),
            text[:MAX_TEXT],
            count=max(count, 0),
            flags=re.IGNORECASE if ignores_case else 0,
        )
    except re.error:
        return None
    return changed[:MAX_TEXT]


def _named(literals: Literals, found: re.Match[str]) -> str:
    """Write `.replace(/old/g,` with the expression as a literal, because it may contain names of variables."""
    if not _SIMPLE.fullmatch(found[2]):
        return found[0]
    how = "all" if "g" in found[3] or found[1].startswith(("gsub", "replaceAll")) else "once"
    return f".substituted_{how}{'_i' if 'i' in found[3] else ''}({literals.add(found[2].replace(_SLASH, '/'))}"


def _by_expression(literals: Literals, found: re.Match[str]) -> str:
    text, pattern, new = (literals.of(found[each]) for each in (1, 4, 5))
    count = 0 if found[2] == "all" else 1
    return _known(literals, found, substituted(pattern, new, text, count, ignores_case=bool(found[3])))


def _by_text(literals: Literals, found: re.Match[str]) -> str:
    """Return the value of Ruby's `"text".sub("old", "new")`."""
    text, old, new = (literals.of(found[each]) for each in (1, 3, 4))
    return literals.add(replaced(text, old, new, -1 if found[2].startswith("g") else 1))


def _by_python(literals: Literals, found: re.Match[str]) -> str:
    pattern, new, text = (literals.of(found[each]) for each in (1, 2, 3))
    return _known(literals, found, substituted(pattern, new, text, int(found[4] or 0)))


def _by_php(literals: Literals, found: re.Match[str]) -> str:
    pattern, new, text = (literals.of(found[each]) for each in (1, 2, 3))
    parts = _DELIMITED.fullmatch(pattern)
    if not parts:
        return found[0]
    pattern = parts[2].replace(f"\\{parts[1]}", parts[1])
    changed = substituted(pattern, new, text, int(found[4] or 0), ignores_case="i" in parts[3])
    return _known(literals, found, changed)


def _known(literals: Literals, found: re.Match[str], changed: str | None) -> str:
    """Return the sign of a changed text; the expression itself if the result is not known."""
    return found[0] if changed is None else literals.add(changed)


def _set_anew(literals: Literals, found: re.Match[str]) -> str:
    """Write `$x =~ tr/a/b/`, `$x =~ s/a/b/` and awk's `sub("a", "b", x)` as an assignment: `$x = $x.tr("a", "b")`."""
    name, old, new = found["name"], found["old"], found["new"]
    old, new = (each if SIGN_ONLY.fullmatch(each) else literals.add(each.replace(_SLASH, "/")) for each in (old, new))
    groups = found.groupdict()
    if (groups.get("how") or "s") != "s":
        return f"{name} = {name}.tr({old},{new})"
    flags = groups.get("flags") or ""
    how = "all" if "g" in flags or groups.get("every") else "once"
    return f"{name} = {name}.substituted_{how}{'_i' if 'i' in flags else ''}({old},{new})"


def _by_table(change: Callable[[str], str]) -> Calculated:
    """Return a function that calculates a text after a replacement of single characters, as `tr SET1 SET2` does it.
    `change` is first applied to each of the two sets, such as to write out ranges."""

    def calculated(literals: Literals, found: re.Match[str]) -> str:
        text, old, new = (literals.of(each) for each in found.groups())
        old, new = change(old), change(new)
        return literals.add(
            text.translate(dict(zip(map(ord, old), new.ljust(len(old), new[-1:] or " "), strict=False)))
        )

    return calculated


def with_ranges(chars: str) -> str:
    """Write out the ranges in a set of characters: `a-c` becomes `abc`."""
    return _RANGE.sub(lambda found: "".join(map(chr, range(ord(found[1]), min(ord(found[2]), 0xFF) + 1))), chars)


def _by_entries(literals: Literals, found: re.Match[str]) -> str:
    """Return a text in which characters are replaced by a table such as `{88: 46}`, `{"X": "."}`."""
    table: dict[int, str] = {}
    for key, value in re.findall(rf"({SIGN}|\w+)\s*:\s*({SIGN}|\w+)", found[2]):
        old = literals.of(key)[:1] if SIGN_ONLY.fullmatch(key) else character(number(key))
        new = "" if value == "None" else literals.of(value) if SIGN_ONLY.fullmatch(value) else character(number(value))
        table |= {ord(each): new for each in old}
    return literals.add(literals.of(found[1]).translate(table)[:MAX_TEXT])


_RULES: Final[Sequence[Rule]] = (
    rule(
        "=~",
        r"(?P<name>\$\w{1,40})~=\x7e~(?P<how>tr|y|s)(?P<by>[/|,!#])"
        r"(?P<old>(?:(?!(?P=by))[^\\\n]|\\.){0,60})(?P=by)(?P<new>[\w./$& -]{0,40})(?P=by)(?P<flags>\w{0,3})",
        _set_anew,
    ),
    rule("sub(", r"(?<![.\w])(?P<every>g?)sub\(~(?P<old>§)~,~(?P<new>§)~,~(?P<name>[A-Za-z_]\w{0,40})~\)", _set_anew),
    rule(
        "sub(",
        rf"(?<![.\w])(?P<every>g?)sub\(~/(?P<old>{PATTERN})/~,~(?P<new>§)~,~(?P<name>[A-Za-z_]\w{{0,40}})~\)",
        _set_anew,
    ),
    rule("sub", rf"\bre\.sub\(~(§)~,~(§)~,~(§)~{_COUNT}\)", _by_python),
    rule("preg_replace", rf"\bpreg_replace\(~(§)~,~(§)~,~(§)~{_COUNT}\)", _by_php),
    rule("/", rf"\.(replace|replaceAll|g?sub!?)~\(?~/({PATTERN})/([a-z]{{0,3}})~(?=,~§)", _named),
    rule("substituted_", r"(§)\.substituted_(all|once)(_i|)\((§)~,~(§)~\)?", _by_expression),
    rule("sub", r"(§)\.(g?sub!?)~\(?~(§)~,~(§)~\)?", _by_text),
    rule("maketrans", r"(§)\.translate\(~(?:str\.)?maketrans\(~(§)~,~(§)~\)~\)", _by_table(str)),
    rule(
        "translate",
        r"(§)\.translate\(~(?:str\.)?(?:maketrans\(~)?\{~"
        r"((?:§|<number>)~:~(?:§|<number>|None)(?:~,~(?:§|<number>)~:~(?:§|<number>|None)){0,50})~,?~\}~\)?~\)",
        _by_entries,
    ),
    rule("tr(", r"(§)\.tr\(~(§)~,~(§)~\)", _by_table(with_ranges)),
    rule("strtr", r"\bstrtr\(~(§)~,~(§)~,~(§)~\)", _by_table(str)),
)
