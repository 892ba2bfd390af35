"""Convert the output of programs about their options to one line for each program: `-w,--width[=] -j,--skip-bytes=
-v,--verbose`.

Names of the same option are joined by commas. The suffix of a name says which value the option takes: none without a
suffix; `=` a value; `[=]` an optional value, which must be joined to the name; `?` if the program does not say.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Takes = Literal["", "=", "[=]", "?"]
_TAKES: Final[tuple[Takes, ...]] = ("", "=", "[=]")

_SILENT: Final = frozenset({"awk", "jq", "unzip"})
"""Programs whose help does not say which values their options take. Only their versions are recorded."""
_BY_HAND: Final = frozenset({"git rev-list", "git diff-files", "git diff-index", "git diff-tree"})
"""Commands whose help is written by hand and does not say which values must be joined."""
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+[a-z]?|\d+")
_HELP_LINE: Final = re.compile(r"^ {1,8}(?=-)")
_NAME: Final = re.compile(r"-[A-Za-z0-9?#.@:]|--[A-Za-z0-9][\w.-]*")
_VALUE: Final = re.compile(r"(?P<joined>\[=?[^\s,]*)|=[^\s,]+| <[^>]*>| \[[^\s,]+| [A-Z][A-Z0-9_.():|-]*(?=  |,|$)")
_NEXT: Final = re.compile(r"(?:\.\.\.)?(?:, |,? +| \| )(?:[A-Za-z], )?(?=--?\w)")
_FIND_WORD: Final = re.compile(r"(-[A-Za-z][\w-]*)((?: (?:\[[^\]]+\]\w*|N\[\w+\]|[A-Z]{1,}\b))*)")
_COMPLETED: Final = re.compile(r"(?<![\w-])(--[a-z][\w-]*)")


@dataclass(frozen=True, slots=True)
class Option:
    """An option. All of its `names` mean the same; they have the order in which the program lists them."""

    names: tuple[str, ...]
    takes: Takes

    def __str__(self) -> str:
        return ",".join(self.names) + self.takes


def version(name: str, text: str) -> str:
    """Return the number in the first line that a program prints for `--version`; empty if there is none."""
    found = _VERSION.search(re.sub(r"\([^)]*\)", "", text.removeprefix(name)))
    return found[0] if found else ""


def options(name: str, answer: Mapping[str, str]) -> list[Option]:
    """Return the options of the program `name` from the output of `read.py` about it."""
    if name in _SILENT:
        return []
    if name == "find":
        return _merged(_of_find(answer["help"]))
    if "table" in answer:
        return _merged(_of_table(answer["table"]))
    found = [*(_of_usage(answer["help"]) if name == "git" else _of_help(answer["help"]))]
    if name == "rg":
        found += _of_completion(re.search(r'opts="( [^"]+)"', answer["completion"]))
    if name == "git log":
        wanted = re.search(r"__git_log_common_options=.*?\n_git_merge \(\)", answer["completion"], re.DOTALL)
        found += _of_completion(wanted)
    if name in _BY_HAND:
        found = [Option((each,), "?") for option in found for each in option.names]
    found += _of_names(answer.get("names", ""))
    return _without_negations(_merged(found)) if name.startswith("git ") else _merged(found)


def _without_negations(found: Sequence[Option]) -> list[Option]:
    """Remove `--no-x` if `--x` is listed, because git accepts `--no-x` for almost every option."""
    listed = {each for option in found for each in option.names}
    return [each for each in found if f"--{each.names[0].removeprefix('--no-')}" not in listed]


def _of_table(text: str) -> Iterator[Option]:
    """Yield the options in a table of getopt or argp, in the form in which `spy.c` prints it."""
    letters = ""
    groups: dict[tuple[str, str], list[tuple[str, Takes]]] = {}
    last = ""
    for line in text.splitlines():
        kind, *fields = line.split("\t")
        if kind == "short":
            letters = fields[0].lstrip("+-:").replace("W;", "")
        elif kind == "long":
            groups.setdefault((fields[2], fields[3]), []).append((f"--{fields[0]}", _TAKES[int(fields[1])]))
        elif kind == "argp":
            name, key, takes, alias = fields
            last = last if alias == "1" else key
            letter = [f"-{chr(int(key))}"] if 32 < int(key) < 127 else []
            for each in [*letter, *([f"--{name}"] if name else [])]:
                groups.setdefault(("argp", last), []).append((each, _TAKES[int(takes)]))
    if last:
        yield from (Option(names, "") for names in (("-?", "--help"), ("--usage",), ("-V", "--version")))
    yield from _of_groups(groups, letters)


def _of_groups(groups: dict[tuple[str, str], list[tuple[str, Takes]]], letters: str) -> Iterator[Option]:
    """Yield an option for each group of names that mean the same and take the same kind of value.

    The one-letter options of getopt are added to their groups first.
    """
    for found in re.finditer(r"([^:\s])(:{0,2})", letters):
        same = [key for key in groups if key[0] in {"(nil)", "0x0"} and key[1] == str(ord(found[1]))]
        for key in same or [("letter", found[1])]:
            groups.setdefault(key, []).insert(0, (f"-{found[1]}", _TAKES[len(found[2])]))
    for names in groups.values():
        for takes in _TAKES:
            if alike := tuple(each for each, kind in names if kind == takes):
                yield Option(alike, takes)


def _of_help(text: str) -> Iterator[Option]:
    """Yield the options at the beginning of lines of a help text."""
    for line in text.splitlines():
        begin = _HELP_LINE.match(line)
        position = begin.end() if begin else len(line)
        names: list[str] = []
        takes: Takes = ""
        while found := _NAME.match(line, position):
            names.append(found[0])
            value = _VALUE.match(line, found.end())
            if value:
                takes = takes or ("[=]" if value["joined"] else "=")
            follows = _NEXT.match(line, value.end() if value else found.end())
            position = follows.end() if follows and "   " not in follows[0] else len(line)
        if names:
            yield Option(tuple(names), takes)


def _of_usage(text: str) -> Iterator[Option]:
    """Yield the options of git itself, which its usage shows in brackets."""
    for group in re.findall(r"\[((?:[^\[\]]|\[=[^\]]*\])+)\]", text.partition("\n\n")[0]):
        names = re.findall(r"(?<![\w<])--?[\w-]+", group)
        takes: Takes = "[=]" if "[=" in group else "=" if "<" in group else ""
        if names:
            yield Option(tuple(names), takes)


def _of_find(text: str) -> Iterator[Option]:
    """Yield the options of `find`, which are the words of its expressions. A value is always a word of its own."""
    for line in text.partition("Other common options")[0].splitlines()[1:]:
        for found in _FIND_WORD.finditer(line.partition(":")[2] if line[:1].isalpha() else line):
            yield Option(
                (found[1],), "=" if found[2].strip() and found[1] not in {"-a", "-o", "-and", "-or", "-not"} else ""
            )
    yield from (Option((each,), "") for each in ("-H", "-L", "-P", "--help", "--version"))


def _of_completion(found: re.Match[str] | None) -> Iterator[Option]:
    for name in _COMPLETED.findall(found[0] if found else ""):
        if name not in {"--cur", "--sfx", "--pfx"}:  # options of the completion's own functions
            yield Option((name,), "?")


def _of_names(text: str) -> Iterator[Option]:
    """Yield the options that `--git-completion-helper-all` prints. Options with an optional value have no `=` there."""
    for word in text.split():
        if word.startswith("--") and word not in {"--", "--git-completion-helper-all"}:
            yield Option((word.rstrip("="),), "=" if word.endswith("=") else "?")


def _merged(found: Iterable[Option]) -> list[Option]:
    """Merge options that share names. The first option of each name is kept; later ones only add new names."""
    known: dict[str, Option] = {}
    for option in found:
        names = tuple(each for each in option.names if each not in known)
        if names:
            each = Option(names, option.takes)
            known.update(dict.fromkeys(names, each))
    return list(dict.fromkeys(known.values()))
