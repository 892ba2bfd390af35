"""filtered(): the output of a program that only changes the text of its input."""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle, islice, zip_longest
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell.rehearsal.arithmetic import Nothing, calculated
from tools_app.permission.shell.rehearsal.character_sets import changed_by_tr
from tools_app.permission.shell.rehearsal.expressions import MAX_LINE, compiled
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.macros import MACROS
from tools_app.permission.shell.rehearsal.matching import matching
from tools_app.permission.shell.rehearsal.options import WITH_OPTIONS, Given, given_options
from tools_app.permission.shell.rehearsal.printers import PRINTERS
from tools_app.permission.shell.rehearsal.stream_editor import edited

Filter = Callable[[Sequence[str], str], str]

_MAX_SET: Final = 300  # lines that `seq` and `awk` print
_PASSING: Final = names("cat tee uniq sponge pv expand unexpand column fmt nl strings strip less more")
_USUAL_FORM: Final = names("basename dirname shuf")
"""Programs whose options are brought into their usual form first."""
_DIRECTIVE: Final = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[gfeGE]")
_COUNTS: Final = re.compile(r"-[a-zA-Z]*c[a-zA-Z]*|--count")
_AWK_PRINT: Final = re.compile(r"\bprintf?\b([^;}|>]*)")
_AWK_SUB: Final = re.compile(r"\bg?sub\(\s*[/\"]([^/\\.*\[\]+?(){}|^$\"]+)[/\"]\s*,\s*\"([^\"]*)\"")
_AWK_TRUE: Final = re.compile(r"(?:^|[};\s])1\s*;?\s*$")
"""A condition that is always true, so each line is printed."""
_AWK_FORM: Final = re.compile(r"\s*\(?\s*\"([^\"]*%[^\"]*)\"\s*,")
_AWK_ITEM: Final = re.compile(r"\"([^\"]*)\"|\$(NF|\d+)|(,)")
_AWK_SIMULATED: Final = re.compile(r"\s*\{\s*printf?\b\s*\(?(?:\s|\"[^\"\\]*\"|\$(?:NF|\d+)|,)*\)?\s*;?\s*\}\s*")
"""A program of awk that only prints fields and literals."""
_SIMPLE_SEPARATOR: Final = re.compile(r"[^\w\s.*+?^$|\\\[\](){}]|\\t")
_SET_BY_AWK: Final = names("FS OFS ORS RS IGNORECASE FIELDWIDTHS FPAT CONVFMT OFMT NF NR")
_DUMP: Final = re.compile(r"\s*[0-9a-fA-F]+:\s?((?:[0-9a-fA-F]{2} ?)+)")
_DELIMITER: Final = re.compile(r"\\(.)|(.)", re.DOTALL)
_DELIMITERS: Final = {"0": "", "n": "\n", "t": "\t", "b": "\b", "f": "\f", "r": "\r", "v": "\v"}
_SAME_ENCODING: Final = re.compile(r"(?:utf-?8|(?:us-)?ascii)(?://.*)?", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"[-+]?\d{1,6}")


def filtered(words: Sequence[str], text: str) -> str | None:
    """Return the output of a filter command for the input `text`; None if the command is not known to be a filter.

    Words that are names of files are ignored, because the caller puts the contents of these files into `text`.
    """
    name, args = words[0].rpartition("/")[2], words[1:]
    if name in _MATCHING and any(map(_COUNTS.fullmatch, args)):
        return None
    given = given_options(name, args)
    if (simulate := _BY_OPTIONS.get(name)) is not None:
        return simulate(given, text) if given else Guess(_with_unknown_options(name, args, text))
    change = _FILTERS.get(name)
    args = given.words() if given and name in _USUAL_FORM else args
    if change is None and name not in _PASSING:
        return None
    printed = change(args, text) if change else text
    return Guess(printed) if given is None and name in WITH_OPTIONS else printed


def _with_unknown_options(name: str, args: Sequence[str], text: str) -> str:
    """Return the output of a filter without the options that are not simulated."""
    kept = [each for each in args if each == "-" or each[:1] != "-" or given_options(name, [each])]
    given = given_options(name, kept)
    return _BY_OPTIONS[name](given, text) if given else text


def operands_of(words: Sequence[str]) -> list[str]:
    """Return the arguments of a filter command that are not options, and so may be files."""
    return [each for each in words[1:] if each[:1] != "-" or each == "-"]


def _rev(_args: Sequence[str], text: str) -> str:
    return "\n".join(line[::-1] for line in text.split("\n"))


def _tac(_args: Sequence[str], text: str) -> str:
    return "\n".join(reversed(text.rstrip("\n").split("\n"))) + "\n"


def _sort(given: Given, text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join(sorted(set(lines) if "u" in given.options else lines, reverse="r" in given.options))


def _expr(args: Sequence[str], _text: str) -> str:
    if len(args) == 4 and args[0] == "substr" and args[2].isdigit() and args[3].isdigit():
        start = int(args[2][:6]) - 1
        return args[1][start : start + int(args[3][:6])]
    if len(args) == 3 and args[1] == ":":
        return _matched(args[0], args[2])
    number = calculated(" ".join(args).replace("\\", ""), Nothing())
    return Guess("") if number is None else f"{number}\n"


def _matched(text: str, pattern: str) -> str:
    """Return the output of `expr text : pattern`."""
    expression = compiled(pattern.removeprefix("^"), "G")
    if expression is None or len(text) > MAX_LINE:
        return Guess("")
    found = expression.match(text)
    return f"{(found[1] if found.re.groups else len(found[0])) if found else ''}\n"


def _seq(args: Sequence[str], _text: str) -> str:
    """Return the numbers that `seq` prints. Only the options for the format and the separator are simulated."""
    form = _value(args, "-f", "--format")
    numbers = [int(each) for each in args if re.fullmatch(r"-?\d{1,6}", each)] or [0]
    first, last = numbers[0] if len(numbers) > 1 else 1, numbers[-1]
    step = (numbers[1] if len(numbers) > 2 else 1) or 1
    printed = range(first, last + (1 if step > 0 else -1), step)[:_MAX_SET]
    by = _value(args, "-s", "--separator") or "\n"
    text = by.join(_DIRECTIVE.sub(str(each), form) if form else str(each) for each in printed) + "\n"
    rest = [each for each in args if not _NUMBERS.fullmatch(each) and each not in {"-f", "-s", form, by}]
    return Guess(text) if any(not each.startswith(("-f", "-s", "--f", "--s")) for each in rest) else text


def _value(args: Sequence[str], *options: str) -> str:
    """Return the value of the first option found: the rest of its word, or the next word; "" if none is found."""
    for index, arg in enumerate(args):
        for option in options:
            if arg == option:
                return "".join(args[index + 1 : index + 2])
            if arg.startswith(option):
                return arg.removeprefix(option).removeprefix("=")
    return ""


def _cut(given: Given, text: str) -> str:
    options = given.options
    wanted = next((options[each] for each in "cbf" if each in options), "")
    by = (options.get("d", "\t") or "\0")[:1]
    between = options.get("O", by if "f" in options else "")
    lines = []
    for line in text.split("\n"):
        parts = line.split(by) if "f" in options else line
        if "f" in options and by not in line:
            lines += [] if "s" in options else [line]
            continue
        chosen = set(_chosen(len(parts), wanted))
        lines.append(between.join(part for at, part in enumerate(parts, 1) if (at in chosen) is not ("C" in options)))
    printed = "\n".join(lines)
    return Guess(printed) if between and "f" not in options else printed


def _chosen(count: int, wanted: str) -> Iterator[int]:
    """Yield the numbers of the fields that a list such as `1,3-5` chooses."""
    for each in wanted.split(","):
        if found := re.fullmatch(r"(\d{0,6})(-?)(\d{0,6})", each):
            first = int(found[1] or 1)
            yield from range(first, min(int(found[3]) if found[3] else count if found[2] else first, count) + 1)


def _head(given: Given, text: str) -> str:
    chars = given.options.get("c", "")
    count = chars or given.options.get("n", "10")
    parts: Sequence[str] = text if chars else text.splitlines(keepends=True)
    printed = "".join(parts[: _number(count)])
    return printed if _NUMBERS.fullmatch(count) else Guess(printed)


def _tail(given: Given, text: str) -> str:
    chars = given.options.get("c", "")
    count = chars or given.options.get("n", "10")
    parts: Sequence[str] = text if chars else text.splitlines(keepends=True)
    from_begin = count.startswith("+")
    at = _number(count[1:]) - 1 if from_begin else len(parts) - abs(_number(count))
    printed = "".join(parts[max(at, 0) :])
    return printed if _NUMBERS.fullmatch(count) else Guess(printed)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else 10


def _awk(args: Sequence[str], text: str) -> str:
    by = _value(args, "-F") or None
    program = next((each for each in args if "{" in each), "")
    values = {found[1]: found[2] for each in args if (found := re.fullmatch(r"(?:-v)?([A-Za-z_]\w*)=(.*)", each))}
    printed = _printed_by_program(program, _changed_by_awk(program, text), by, values)
    given = given_options("awk", args)
    known = given is not None and len(given.operands) == 1 and not _SET_BY_AWK.intersection(values)
    separated = by is None or _SIMPLE_SEPARATOR.fullmatch(by)
    return printed if known and separated and _AWK_SIMULATED.fullmatch(program) else Guess(printed)


def _printed_by_program(program: str, text: str, by: str | None, values: Mapping[str, str]) -> str:
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


def _base64(given: Given, text: str) -> str:
    if not {"d", "D"} & given.options.keys():
        return base64.b64encode(text.encode()).decode()
    return _decoded(lambda digits: base64.b64decode(f"{digits}=="), text)


def _base32(given: Given, text: str) -> str:
    if "d" not in given.options:
        return base64.b32encode(text.encode()).decode()
    return _decoded(lambda digits: base64.b32decode(digits.rstrip("=") + "=" * (-len(digits.rstrip("=")) % 8)), text)


def _xxd(given: Given, text: str) -> str:
    if "r" not in given.options:
        return text.encode().hex() if "p" in given.options else Guess("")
    if "p" in given.options:
        return _decoded(bytes.fromhex, text)
    lines = [_DUMP.match(line) for line in text.splitlines() if line.strip()]
    printed = _decoded(bytes.fromhex, "".join(each[1] for each in lines if each))
    return printed if all(lines) else Guess(printed)


def _openssl(given: Given, text: str) -> str:
    is_base64 = given.operands == ["base64"] or (given.operands == ["enc"] and {"a", "base64"} & given.options.keys())
    return _base64(given, text) if is_base64 else Guess("")


def _iconv(given: Given, text: str) -> str:
    same = all(_SAME_ENCODING.fullmatch(given.options.get(each, "utf8")) for each in "ft")
    return text if same else Guess(text)


def _decoded(decode: Callable[[str], bytes], text: str) -> str:
    try:
        return decode("".join(text.split())).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return Guess("")


def _paste(given: Given, text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    if "s" in given.options:
        return f"{_pasted(lines, given)}\n"
    count = list(given.operands).count("-")
    if count < 2:
        return text
    rows = (lines[at : at + count] for at in range(0, len(lines), count))
    return "".join(f"{_pasted(row, given)}\n" for row in rows)


def pasted_files(args: Sequence[str], files: Sequence[str]) -> str | None:
    """Return the output of `paste` for several files; None if an option is not simulated."""
    given = given_options("paste", args)
    if given is None:
        return None
    columns = [each.splitlines() for each in files]
    rows = columns if "s" in given.options else zip_longest(*columns, fillvalue="")
    return "\n".join(_pasted(row, given) for row in rows)


def _pasted(parts: Sequence[str], given: Given) -> str:
    """Return parts with the delimiters of `paste` between them, which are used in turn; `\\0` is no delimiter."""
    found = _DELIMITER.findall(given.options.get("d", "\t"))
    delimiters = [_DELIMITERS.get(escaped, escaped) if escaped else plain for escaped, plain in found] or [""]
    between = islice(cycle(delimiters), max(len(parts) - 1, 0))
    return "".join(f"{part}{by}" for part, by in zip_longest(parts, between, fillvalue=""))


def _fold(given: Given, text: str) -> str:
    width = abs(_number(given.options.get("w", "80"))) or 80
    return "\n".join(line[at : at + width] for line in text.split("\n") for at in range(0, max(len(line), 1), width))


_MATCHING: Final = {"grep": "G", "egrep": "E", "fgrep": "F"}
_BY_OPTIONS: Final[Mapping[str, Callable[[Given, str], str]]] = {
    **{name: partial(matching, kind=kind) for name, kind in _MATCHING.items()},
    "tr": changed_by_tr, "cut": _cut, "head": _head, "tail": _tail, "base64": _base64, "base32": _base32, "xxd": _xxd,
    "openssl": _openssl, "paste": _paste, "fold": _fold, "sort": _sort, "iconv": _iconv,
}  # fmt: skip
"""Filters that get their parsed options."""
_FILTERS: Final[Mapping[str, Filter]] = {
    "rev": _rev, "tac": _tac, "sed": edited, "gsed": edited, "awk": _awk, "gawk": _awk, "mawk": _awk, "expr": _expr,
    "seq": _seq, **MACROS, **PRINTERS,
}  # fmt: skip
