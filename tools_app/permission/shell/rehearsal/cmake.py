"""Read the commands of a CMake file with their variables expanded, in the order in which they run."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from tools_app.permission.shell.rehearsal.arithmetic import calculated
from tools_app.permission.shell.rehearsal.build_files import Surroundings
from tools_app.permission.shell.rehearsal.cmake_paths import PATH_CHANGES, part_of
from tools_app.permission.shell.rehearsal.scene import MAX_NAMES

MAX_VARIANTS: Final = 4  # rounds of `foreach`
_MAX_CALLS: Final = 200
_MAX_CHARS: Final = 1_000
_MAX_DEPTH: Final = 8
_COMMENT: Final = re.compile(r"#\[\[.*?\]\]|#[^\n]*", re.DOTALL)
_CALL: Final = re.compile(r"([A-Za-z_]\w*)\s*\(((?:[^()\"]|\"(?:\\.|[^\"\\])*\"|\([^()]*\))*)\)")
_ARGUMENT: Final = re.compile(r"\"((?:\\.|[^\"\\])*)\"|\[(=*)\[(.*?)\]\2\]|([^\s()\"]+)", re.DOTALL)
_REFERENCE: Final = re.compile(r"\$(?:ENV|CACHE)?\{([\w./+-]*)\}|@(\w+)@")
_GENERATED: Final = re.compile(r"\$<(?:(\w+):)?([^<>$]*)>")
_FUNCTION: Final = re.compile(
    r"\b(?:function|macro)\s*\(\s*(\w+)([^)]*)\)(.*?)\bend(?:function|macro)\b", re.DOTALL | re.IGNORECASE
)
_ENDS: Final = re.compile(r"\s(?:CACHE|PARENT_SCOPE)\b.*", re.DOTALL)
_KEYWORD: Final = re.compile(r"[A-Z]+(?:_[A-Z]+)+|BYPRODUCTS|COMMENT|DEPENDS|SOURCES|TIMEOUT|VERBATIM")
_FOLDER: Final = re.compile(r"(?:CMAKE|PROJECT)_\w*_DIR")


class CmakeFile:
    """A CMake file whose variables are expanded."""

    def __init__(self, text: str, around: Surroundings) -> None:
        text = _COMMENT.sub("", text)
        self._functions = {found[1].lower(): (found[2].split(), found[3]) for found in _FUNCTION.finditer(text)}
        self._text = _FUNCTION.sub("", text)
        self._given = around.given
        self._values: dict[str, str] = {}
        self._run = around.run
        self._unknown = around.unknown
        self._scene = around.scene
        self._number = 0
        self._calls = 0

    def lines(self) -> Iterator[str]:
        """Yield each CMake command of the file with its arguments, and each program that stands behind the word
        COMMAND."""
        seen: dict[str, None] = {}
        for number in range(MAX_VARIANTS):
            self._number, self._calls, self._values = number, 0, dict(self._given)
            for line in self._played(self._text, 0):
                if line not in seen:
                    seen[line] = None
                    yield line

    def _played(self, text: str, depth: int) -> Iterator[str]:
        for found in _CALL.finditer(text):
            self._calls += 1
            if self._calls > _MAX_CALLS or depth > _MAX_DEPTH:
                return
            name, args = found[1].lower(), self._arguments(found[2])
            yield " ".join([name, *args])[:_MAX_CHARS]
            yield from _programs(args)
            if name in self._functions:
                parameters, body = self._functions[name]
                numbered = {f"ARGV{index}": each for index, each in enumerate(args)}
                its = dict(zip(parameters, args, strict=False))
                self._values |= {**numbered, **its, "ARGV": ";".join(args), "ARGN": ";".join(args[len(parameters) :])}
                yield from self._played(body, depth + 1)
            else:
                self._set(name, args)

    def _arguments(self, text: str) -> list[str]:
        args = []
        for found in _ARGUMENT.finditer(text):
            if found[3] is not None:
                args.append(found[3])
            elif found[1] is not None:
                args.append(re.sub(r"\\(.)", r"\1", self.expanded(found[1])))
            else:
                args += [each for each in self.expanded(found[4]).replace("\\", "").split(";") if each]
        return args

    def expanded(self, text: str) -> str:
        """Return a text with variables and generator expressions replaced by their values, the innermost first."""
        for _ in range(_MAX_DEPTH):
            before, text = text, _GENERATED.sub(_generated, _REFERENCE.sub(self._value, text))[:_MAX_CHARS]
            if text == before:
                break
        return text

    def _value(self, found: re.Match[str]) -> str:
        name = found[1] if found[1] is not None else found[2]
        if name in self._values:
            return self._values[name]
        known = self._scene.get(name) if found[0].startswith("$ENV") else []
        return known[0] if known else self._scene.folder if _FOLDER.fullmatch(name) else self._unknown

    def _set(self, name: str, args: Sequence[str]) -> None:
        """Simulate a command that may set a variable.

        After a command that is not simulated, the variables in its arguments are unknown.
        """
        key = f"{name} {args[0].upper()}" if name in _WITH_ACTION and args else name
        change = _CHANGES.get(key)
        try:
            found = change(self, list(args)) if change else None
        except (IndexError, ValueError):
            found = None
        if found:
            self._keep(*found)
        elif change is None and name not in _SETS_NOTHING:
            self._values |= {each: self._unknown for each in args if each in self._values and self._unknown}

    def _keep(self, name: str, value: str) -> None:
        name = name.removeprefix("ENV{").rstrip("}")
        if name in self._given and name not in self._values:
            return
        if name in self._values or len(self._values) < MAX_NAMES:
            self._values[name] = value[:_MAX_CHARS]

    def of(self, name: str) -> str:
        return self._values.get(name, "")

    def printed(self, args: Sequence[str]) -> tuple[str, str] | None:
        """Return the variable after OUTPUT_VARIABLE, and the simulated output of the program that the
        command starts."""
        at = args.index("OUTPUT_VARIABLE")
        return args[at + 1], next((self._run(each) for each in _programs(args)), "").strip()

    def content(self, args: Sequence[str]) -> tuple[str, str]:
        return args[2], self._run(f"cat {args[1]}").strip()

    def each(self, args: Sequence[str]) -> tuple[str, str]:
        """Return the variable of a loop, and its value in this iteration."""
        items = [each for each in args[1:] if each not in {"IN", "ITEMS"}]
        if "LISTS" in args:
            items = [each for name in items for each in self.of(name).split(";")]
        return args[0], items[min(self._number, len(items) - 1)]

    def result(self, text: str) -> str:
        number = calculated(text, self._scene)
        return self._unknown or str(number or 0)


def _programs(args: Sequence[str]) -> Iterator[str]:
    """Yield the programs behind the word COMMAND, with their arguments."""
    at = [index for index, each in enumerate(args) if each == "COMMAND"]
    for start, end in zip(at, [*at[1:], len(args)], strict=False):
        words = args[start + 1 : end]
        yield " ".join(takewhile(lambda each: not _KEYWORD.fullmatch(each), words))
        yield " ".join(words)


def _generated(found: re.Match[str]) -> str:
    name, text = found[1] or "", found[2]
    if name in {"LOWER_CASE", "UPPER_CASE"}:
        return text.lower() if name == "LOWER_CASE" else text.upper()
    if name == "JOIN":
        items, _, glue = text.rpartition(",")
        return items.replace(";", glue)
    if name == "IF":
        return text.split(",")[1 if text.startswith("1") else -1]
    return "" if name == "0" else text


def _listed(
    change: Callable[[list[str], list[str]], Sequence[str]],
) -> Callable[[CmakeFile, list[str]], tuple[str, str]]:
    def changed(file: CmakeFile, args: list[str]) -> tuple[str, str]:
        items = [each for each in file.of(args[1]).split(";") if each]
        return args[1], ";".join(change(items, args[2:]))

    return changed


def _transformed(items: list[str], args: list[str]) -> Sequence[str]:
    changes: Mapping[str, Callable[[str], str]] = {
        "TOLOWER": str.lower, "TOUPPER": str.upper, "STRIP": str.strip,
        "APPEND": lambda each: each + args[1], "PREPEND": lambda each: args[1] + each,
    }  # fmt: skip
    return [changes.get(args[0], str)(each) for each in items]


def _path_changed(file: CmakeFile, args: list[str]) -> tuple[str, str]:
    """Return the variable that `cmake_path` sets, and its value."""
    action, name, *rest = (each for each in args if each not in {"LAST_ONLY", "NORMALIZE"})
    action = action.upper()
    if action == "GET":
        return rest[-1], part_of(file.of(name), rest[0] + ("_LAST" if "LAST_ONLY" in args else ""))
    given, _, output = " ".join(rest).partition("OUTPUT_VARIABLE ")
    return output or name, PATH_CHANGES[action](file.of(name), given.split(), "LAST_ONLY" in args)


Change = Callable[[CmakeFile, list[str]], tuple[str, str] | None]
_CHANGES: Final[Mapping[str, Change]] = {
    "set": lambda _, args: (args[0], ";".join(_ENDS.sub("", " ".join(["", *args[1:]])).split(" ")[1:])),
    "option": lambda _, args: (args[0], args[2] if len(args) > 2 else "OFF"),
    "foreach": CmakeFile.each,
    "execute_process": CmakeFile.printed,
    "math EXPR": lambda file, args: (args[1], file.result(args[2])),
    "file READ": CmakeFile.content,
    "file STRINGS": CmakeFile.content,
    "string APPEND": lambda file, args: (args[1], file.of(args[1]) + "".join(args[2:])),
    "string PREPEND": lambda file, args: (args[1], "".join(args[2:]) + file.of(args[1])),
    "string CONCAT": lambda _, args: (args[1], "".join(args[2:])),
    "string JOIN": lambda _, args: (args[2], args[1].join(args[3:])),
    "string TOLOWER": lambda _, args: (args[2], args[1].lower()),
    "string TOUPPER": lambda _, args: (args[2], args[1].upper()),
    "string STRIP": lambda _, args: (args[2], args[1].strip()),
    "string REVERSE": lambda _, args: (args[2], args[1][::-1]),
    "string REPEAT": lambda _, args: (args[3], args[1] * min(int(args[2]), _MAX_DEPTH)),
    "string REPLACE": lambda _, args: (args[3], "".join(args[4:]).replace(args[1], args[2])),
    "string SUBSTRING": lambda _, args: (args[4], args[1][int(args[2]) :][: None if args[3] == "-1" else int(args[3])]),
    "string ASCII": lambda _, args: (args[-1], "".join(chr(int(each)) for each in args[1:-1])),
    "string CONFIGURE": lambda file, args: (args[2], file.expanded(args[1])),
    "get_filename_component": lambda _, args: (args[0], part_of(args[1], args[2])),
    **{f"cmake_path {each}": _path_changed for each in PATH_CHANGES},
    "list APPEND": _listed(lambda items, args: [*items, *args]),
    "list PREPEND": _listed(lambda items, args: [*args, *items]),
    "list REVERSE": _listed(lambda items, _: items[::-1]),
    "list TRANSFORM": _listed(_transformed),
    "list JOIN": lambda file, args: (args[3], file.of(args[1]).replace(";", args[2])),
    "list GET": lambda file, args: (args[-1], file.of(args[1]).split(";")[int(args[2])]),
}
_WITH_ACTION: Final = frozenset({"string", "list", "math", "file", "cmake_path"})
"""Commands whose first argument says what they do."""
_SETS_NOTHING: Final = frozenset({"if", "elseif", "while", "message", "include", "endforeach", "return", "project"})
