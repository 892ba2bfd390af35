"""filtered(): the output of a program that only changes the text of its input."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.escapes import unescaped
from tools_app.permission.shell.rehearsal.arithmetic import Nothing, calculated
from tools_app.permission.shell.rehearsal.macros import MACROS
from tools_app.permission.shell.rehearsal.printers import PRINTERS

Filter = Callable[[Sequence[str], str], str]

_CLASSES: Final[Mapping[str, str]] = {
    "upper": "A-Z", "lower": "a-z", "digit": "0-9", "alpha": "A-Za-z", "alnum": "A-Za-z0-9", "space": " \t\n\r",
    "blank": " \t", "punct": "!-/:-@[-`{-~", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_MAX_SET: Final = 300  # characters of a set of `tr`
_MAX_PATTERN: Final = 60
"""Characters of a regular expression of `sed`, and of text that it is tried on: such expressions may be slow."""
_MAX_LINE: Final = 300
_READ_OTHERWISE: Final = re.compile(r"\[.*\[|--|&&|~~|\|\||\(\?")
"""Regular expressions that Python reads in another way, or warns about."""
_PASSING: Final = names(
    "cat tee uniq grep egrep fgrep sponge pv iconv expand unexpand column fmt nl strings strip less more"
)
_DIRECTIVE: Final = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[gfeGE]")
_ONLY_MATCHES: Final = re.compile(r"-[a-zA-Z]*o[a-zA-Z]*|--only-matching")
_COUNTS: Final = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*|--count")
_AWK_PRINT: Final = re.compile(r"\bprintf?\b([^;}|>]*)")
_AWK_SUB: Final = re.compile(r"\bg?sub\(\s*[/\"]([^/\\.*\[\]+?(){}|^$\"]+)[/\"]\s*,\s*\"([^\"]*)\"")
_AWK_TRUE: Final = re.compile(r"(?:^|[};\s])1\s*;?\s*$")
"""A condition that is always true, so each line is printed."""
_AWK_FORM: Final = re.compile(r"\s*\(?\s*\"([^\"]*%[^\"]*)\"\s*,")
_AWK_ITEM: Final = re.compile(r"\"([^\"]*)\"|\$(NF|\d+)|(,)")
_SUBSTITUTION: Final = re.compile(r"s([^\w\s\\])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1([gIip0-9]*)")
_TRANSLATION: Final = re.compile(r"y([^\w\s\\])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1")


def filtered(words: Sequence[str], text: str) -> str | None:
    """Return the output of the command if its input is `text`; None if it is not known to be a filter.

    Words that are names of files are ignored, because the caller puts the contents of these files into `text`.
    """
    name = words[0].rpartition("/")[2]
    if "grep" in name and any(map(_ONLY_MATCHES.fullmatch, words[1:])):
        return _only_matches(words, text)
    if name in _PASSING:
        return None if any(map(_COUNTS.fullmatch, words[1:])) and "grep" in name else text
    change = _FILTERS.get(name)
    return change(words[1:], text) if change else None


def _only_matches(words: Sequence[str], text: str) -> str:
    """Return the output of `grep -o`; the whole input if the pattern cannot be evaluated here."""
    pattern = next(iter(operands_of(words)), "")
    if len(pattern) > _MAX_PATTERN or _READ_OTHERWISE.search(pattern) or _may_be_slow(pattern):
        return text
    try:
        return "".join(f"{each[0]}\n" for each in re.finditer(pattern, text[:_MAX_LINE]) if each[0])
    except re.error:
        return text


def operands_of(words: Sequence[str]) -> list[str]:
    """Return the arguments of a filter command that are not options, and so may be files."""
    return [each for each in words[1:] if each[:1] != "-" or each == "-"]


def _rev(_args: Sequence[str], text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tac(_args: Sequence[str], text: str) -> str:
    return "\n".join(reversed(text.rstrip("\n").split("\n"))) + "\n"


def _sort(args: Sequence[str], text: str) -> str:
    return "\n".join(
        sorted(text.rstrip("\n").split("\n"), reverse=any("r" in each for each in args if each[:1] == "-"))
    )


def _expr(args: Sequence[str], _text: str) -> str:
    if len(args) == 4 and args[0] == "substr" and args[2].isdigit() and args[3].isdigit():
        start = int(args[2][:6]) - 1
        return args[1][start : start + int(args[3][:6])]
    if len(args) == 3 and args[1] == ":":
        return _matched(args[0], args[2])
    number = calculated(" ".join(args).replace("\\", ""), Nothing())
    return "" if number is None else f"{number}\n"


def _matched(text: str, pattern: str) -> str:
    """Return the output of `expr text : pattern`."""
    changed = _sed([f"s\x01^{pattern.lstrip('^')}.*\x01\\1\x01"], text)
    return changed if changed.rstrip("\n") != text else ""


def _seq(args: Sequence[str], _text: str) -> str:
    """Return the numbers that `seq` prints. Only the options for the format and the separator are simulated."""
    form = _value(args, "-f", "--format")
    numbers = [int(each) for each in args if re.fullmatch(r"-?\d{1,6}", each)] or [0]
    first, last = numbers[0] if len(numbers) > 1 else 1, numbers[-1]
    step = (numbers[1] if len(numbers) > 2 else 1) or 1
    printed = range(first, last + (1 if step > 0 else -1), step)[:_MAX_SET]
    by = _value(args, "-s", "--separator") or "\n"
    return by.join(_DIRECTIVE.sub(str(each), form) if form else str(each) for each in printed) + "\n"


def _tr(args: Sequence[str], text: str) -> str:
    flags = "".join(each[1:] for each in args if each[:1] == "-" and len(each) > 1)
    sets = [_set_of(each) for each in args if each[:1] != "-" or len(each) == 1][:2]
    if not sets:
        return text
    chosen = frozenset(sets[0])
    is_chosen = (lambda char: char not in chosen) if "c" in flags.lower() else chosen.__contains__
    if "d" in flags:
        return "".join(char for char in text if not is_chosen(char))
    if len(sets) == 1 or not sets[1]:
        return text
    first, second = sets[0], sets[1].ljust(len(sets[0]), sets[1][-1])
    if "c" in flags.lower():
        return "".join(second[-1] if is_chosen(char) else char for char in text)
    return text.translate({ord(one): other for one, other in reversed(list(zip(first, second, strict=False)))})


def _set_of(word: str) -> str:
    word = re.sub(r"\[:(\w+):\]", lambda found: _CLASSES.get(found[1], ""), word)
    word = unescaped(word) if "\\" in word else word
    found = ""
    for one, last in re.findall(r"(.)(?:-(.))?", word, re.DOTALL):
        found += one + "".join(map(chr, range(ord(one) + 1, min(ord(last), ord(one) + _MAX_SET) + 1))) if last else one
    return found[:_MAX_SET]


def _value(args: Sequence[str], *options: str) -> str:
    """Return the value of the first option found: the rest of its word, or the next word; "" if none is found."""
    for index, arg in enumerate(args):
        for option in options:
            if arg == option:
                return "".join(args[index + 1 : index + 2])
            if arg.startswith(option):
                return arg.removeprefix(option).removeprefix("=")
    return ""


def _cut(args: Sequence[str], text: str) -> str:
    chars = _value(args, "-c", "-b", "--characters", "--bytes")
    fields = _value(args, "-f", "--fields")
    by = (_value(args, "-d", "--delimiter") or "\t")[:1]
    lines = text.split("\n")
    if chars:
        return "\n".join("".join(_chosen(line, chars)) for line in lines)
    return "\n".join(by.join(_chosen(line.split(by), fields)) if by in line else line for line in lines)


def _chosen(parts: Sequence[str], wanted: str) -> Iterator[str]:
    ranges = [re.fullmatch(r"(\d{0,6})(-?)(\d{0,6})", each) for each in wanted.split(",")]
    for number, part in enumerate(parts, 1):
        for each in filter(None, ranges):
            first = int(each[1] or 1)
            last = int(each[3]) if each[3] else len(parts) if each[2] else first
            if first <= number <= last:
                yield part
                break


def _head(args: Sequence[str], text: str) -> str:
    if chars := _value(args, "-c", "--bytes"):
        return text[: _number(chars)]
    return "".join(text.splitlines(keepends=True)[: _number(_lines(args))])


def _tail(args: Sequence[str], text: str) -> str:
    chars, lines = _value(args, "-c", "--bytes"), _lines(args)
    parts: Sequence[str] = text if chars else text.splitlines(keepends=True)
    given = chars or lines
    if given.startswith("+"):
        return "".join(parts[max(_number(given[1:]) - 1, 0) :])
    return "".join(parts[max(len(parts) - abs(_number(given)), 0) :])


def _lines(args: Sequence[str]) -> str:
    short = next((each[1:] for each in args if re.fullmatch(r"-\d{1,6}", each)), "")
    return _value(args, "-n", "--lines") or short or "10"


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else 10


def _sed(args: Sequence[str], text: str) -> str:
    given = [_value(args[at:], "-e", "--expression") for at, arg in enumerate(args) if arg[:2] in {"-e", "--"}]
    plain = [each for each in args if each[:1] != "-"]
    extended = any(re.fullmatch(r"-\w*[Er]\w*|--regexp-extended", each) for each in args)
    lines = text.rstrip("\n").split("\n")
    for script in filter(None, given or plain[:1]):
        for found in _SUBSTITUTION.finditer(script):
            lines = [_substituted(line, found, extended=extended) for line in lines]
        for found in _TRANSLATION.finditer(script):
            lines = [_tr([found[2], found[3]], line) for line in lines]
    return "\n".join(lines) + "\n"


def _substituted(line: str, found: re.Match[str], *, extended: bool) -> str:
    _, pattern, new, flags = found.groups()
    if not extended:  # backslashes make brackets special, not plain
        pattern = re.sub(r"\\([(){}+?|])|([(){}+?|])", lambda each: each[1] or f"\\{each[2]}", pattern)
    pattern = re.sub(r"\[:(\w+):\]", lambda each: _CLASSES.get(each[1], ""), pattern)
    if len(pattern) > _MAX_PATTERN or _READ_OTHERWISE.search(pattern) or len(line) > _MAX_LINE or _may_be_slow(pattern):
        return line
    case = str.lower if "\\L" in new else str.upper if "\\U" in new else str
    new = re.sub(r"\\[LUE]", "", new)
    new = re.sub(r"\\(.)|&", lambda each: f"\\g<{each[1] or 0}>" if (each[1] or "0").isdigit() else each[1], new)
    ignore = re.IGNORECASE if "i" in flags.lower() else 0
    try:
        return case(re.sub(pattern, new, line, count=0 if "g" in flags else 1, flags=ignore))
    except (re.error, IndexError):
        return line


def _may_be_slow(pattern: str) -> bool:
    """Return whether an expression may be slow, because repetitions are nested or many follow each other."""
    return bool(re.search(r"[*+?}]\)[*+?{]", pattern)) or len(re.findall(r"[*+{]", pattern)) > 3


def _awk(args: Sequence[str], text: str) -> str:
    by = _value(args, "-F") or None
    program = next((each for each in args if "{" in each), "")
    values = {found[1]: found[2] for each in args if (found := re.fullmatch(r"(?:-v)?([A-Za-z_]\w*)=(.*)", each))}
    text = _changed_by_awk(program, text)
    if _AWK_TRUE.search(program):
        return text
    printed = [
        _printed_by_awk(found[1], line.split(by), line, values)
        for line in text.rstrip("\n").split("\n")[:_MAX_SET]
        for found in _AWK_PRINT.finditer(program)
    ]
    return "\n".join(printed) + "\n"


def _changed_by_awk(program: str, text: str) -> str:
    """Return the input after the changes that `gsub`, `tolower` and `toupper` make."""
    for old, new in _AWK_SUB.findall(program):
        text = text.replace(old, new)
    return text.lower() if "tolower(" in program else text.upper() if "toupper(" in program else text


def _printed_by_awk(items: str, fields: Sequence[str], line: str, values: Mapping[str, str]) -> str:
    if not items.strip():
        return line
    named = (
        re.sub(r"(?<![\w\"$])([A-Za-z_]\w*)(?![\w\"(])", lambda found: f'"{values.get(found[1], "")}"', items)
        if values
        else items
    )
    found = ""
    if form := _AWK_FORM.match(named):
        given = iter(re.findall(r"\"([^\"]*)\"", named[form.end() :]))
        return re.sub(r"%[-\d.]*[sdic]", lambda _: next(given, ""), form[1])
    for text, number, comma in _AWK_ITEM.findall(named):
        index = len(fields) if number == "NF" else int(number[:6]) if number else 0
        value = line if number == "0" else "".join(fields[index - 1 : index]) if number else text
        found += " " if comma else value
    return found


def _base64(args: Sequence[str], text: str) -> str:
    if not any(re.fullmatch(r"-\w*[dD]\w*|--d\w*", each) for each in args):
        return base64.b64encode(text.encode()).decode()
    return _decoded(base64.b64decode, text)


def _base32(args: Sequence[str], text: str) -> str:
    return _decoded(base64.b32decode, text) if any(each in {"-d", "--decode"} for each in args) else ""


def _xxd(args: Sequence[str], text: str) -> str:
    return _decoded(bytes.fromhex, text) if any(re.fullmatch(r"-\w*r\w*", each) for each in args) else ""


def _openssl(args: Sequence[str], text: str) -> str:
    return _base64(args, text) if args[:1] in (["base64"], ["enc"]) else ""


def _decoded(decode: Callable[[str], bytes], text: str) -> str:
    try:
        return decode("".join(text.split())).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return ""


def _paste(args: Sequence[str], text: str) -> str:
    by = unescaped(_value(args, "-d", "-sd") or "\t")[:1]
    if (count := args.count("-")) > 1:
        lines = text.rstrip("\n").split("\n")
        return "".join(f"{by.join(lines[at : at + count])}\n" for at in range(0, len(lines), count))
    return (
        by.join(text.rstrip("\n").split("\n")) + "\n" if any("s" in each for each in args if each[:1] == "-") else text
    )


def _fold(args: Sequence[str], text: str) -> str:
    width = _number(_value(args, "-w", "--width") or "80") or 80
    return "\n".join(
        line[at : at + width] for line in text.split("\n") for at in range(0, max(len(line), 1), abs(width))
    )


_FILTERS: Final[Mapping[str, Filter]] = {
    "rev": _rev, "tac": _tac, "tr": _tr, "cut": _cut, "head": _head, "tail": _tail, "sed": _sed, "gsed": _sed,
    "awk": _awk, "gawk": _awk, "mawk": _awk, "base64": _base64, "base32": _base32, "xxd": _xxd, "openssl": _openssl,
    "paste": _paste, "fold": _fold, "sort": _sort,     "expr": _expr, "seq": _seq, **MACROS, **PRINTERS,
}  # fmt: skip
