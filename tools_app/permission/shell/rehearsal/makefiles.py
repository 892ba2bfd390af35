"""Find the lines that the recipes of a Makefile or a justfile run, with their variables and functions expanded."""

import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

_MAX_LINES: Final = 200
_MAX_CHARS: Final = 1_000  # of a line that is expanded
_MAX_DEPTH: Final = 8
_VARIABLE: Final = re.compile(r"\s*(?:export\s+|override\s+)?([\w.-]+)\s*(?:::?:?|\?|\+|!)?=\s*(.*)", re.DOTALL)
_RULE: Final = re.compile(r"([^\s:=#][^:=#]*):{1,2}(?!=)([^;]*)(?:;(.*))?", re.DOTALL)
_DEFINED: Final = re.compile(r"^define[ \t]+([\w.-]+)[^\n]*\n(.*?)^endef", re.DOTALL | re.MULTILINE)
_INCLUDE: Final = re.compile(r"\s*[-s]?include\s+(.*)")
_BRACES: Final = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_LITERALS: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`|([A-Za-z_][\w-]*)|[+/]")
_SUM: Final = re.compile(r"\(*\s*(?:'[^']*'|\"[^\"]*\"|`[^`]*`|[A-Za-z_][\w-]*)[\s()]*(?:[+/][^#]*)?")
"""A value of `just` that is calculated: texts, commands and variables with `+` or `/` between them."""
_CALL: Final = re.compile(r"(\w+)\(['\"]?([^()'\"]*)['\"]?.*\)")
_PREFIX: Final = re.compile(r"^\.RECIPEPREFIX\s*:?=\s*(\S)", re.MULTILINE)
_DEFAULT: Final = re.compile(r"(?<![\w-])([A-Za-z_][\w-]*)\s*=\s*(?:'([^']*)'|\"([^\"]*)\")")
_SUBSTITUTION: Final = re.compile(r"\$\(([^()]*)\)")
_DEFAULT_SUM: Final = re.compile(r"(?<![\w-])([A-Za-z_][\w-]*)\s*=\s*\(([^()]*)\)")
_CONDITION: Final = re.compile(r"^[ \t]*ifn?(?:def|eq)\b", re.MULTILINE)
_SHELL: Final = re.compile(r"\b(?:\w*sh|busybox)\b")
_SIMPLE: Final = "@<^*?+%|"
_PAIRS: Final[Mapping[str, str]] = {"(": ")", "{": "}"}


class Makefile:
    """A Makefile or justfile. `run` returns the output of a shell text, and `unknown` replaces values that are not
    known."""

    def __init__(
        self,
        text: str,
        values: Mapping[str, str],
        run: Callable[[str], str],
        unknown: str,
        environment: Mapping[str, str] | None = None,
        *,
        is_of_just: bool = False,
    ) -> None:
        self._lines = text.replace("\\\n", " ").splitlines()[:_MAX_LINES]
        if prefix := _PREFIX.search(text):
            self._lines = [re.sub(rf"^{re.escape(prefix[1])}", "\t", each) for each in self._lines]
        self._values = {**(environment or {}), **values}
        self._given = dict(values)
        self._assigned: set[str] = set()
        self._decides = _CONDITION.search(text) is not None
        self._run = run
        self._unknown = unknown
        self._is_of_just = is_of_just

    def commands(self) -> Iterator[str]:
        """Yield the lines of all recipes, as a shell gets them."""
        needs = ""
        self._values |= self._defined()
        for line in self._lines:  # what stands anywhere counts in all recipes
            if not line[:1].isspace() and (found := _VARIABLE.fullmatch(line)):
                self._assign(found)
        for line in self._lines:
            is_recipe = line[:1] == "\t" and "@" in self._values  # behind a rule
            if is_recipe or (line[:1] in {"\t", " "} and not _VARIABLE.fullmatch(line.strip())):
                yield self._line(line)
            elif found := _INCLUDE.fullmatch(line):
                yield f"cat {self.expanded(found[1])}"
            elif found := _VARIABLE.fullmatch(line):
                self._assign(found)
            elif found := _RULE.fullmatch(line):
                target, needs = self._goals(self.expanded(found[1])), self.expanded(found[2]).strip()
                if inner := _VARIABLE.fullmatch(needs):
                    self._assign(inner)
                names = {"@": " ".join(target[:1]), "<": needs.partition(" ")[0], "^": needs, "+": needs, "?": needs}
                stem = self._values.get("MAKECMDGOALS", "") or self._unknown
                self._values |= {**names, "*": stem, "|": "", "%": ""}
                if found[3]:
                    yield self._line(found[3])
            else:
                self._values |= self._parameters(line)
                self.expanded(line)

    def _goals(self, targets: str) -> list[str]:
        """Return the targets of a rule; for a pattern, the goals of the command line."""
        goals = self._values.get("MAKECMDGOALS", "") if "%" in targets or ".DEFAULT" in targets else ""
        return (goals or targets).split()

    def _parameters(self, line: str) -> dict[str, str]:
        """Return the default values of the parameters of a `just` recipe."""
        head = line.partition(":")[0]
        sums = {name: self._of_just(each) for name, each in _DEFAULT_SUM.findall(head)} if self._is_of_just else {}
        return {name: one or other for name, one, other in _DEFAULT.findall(head)} | sums

    def _assign(self, found: re.Match[str]) -> None:
        """Set a variable. A command in `$(shell ...)` of its value is simulated even if nothing uses the variable."""
        value = self._literal(found[2].strip())
        expanded = self.expanded(value)
        value = self._run(expanded).strip() if "!=" in found[0] else value
        if found[1] in self._assigned and self._decides and self._unknown and self._values.get(found[1]) != value:
            value = self._unknown  # which of several values counts is not known
        self._assigned.add(found[1])
        self._values[found[1]] = self._given.get(found[1], value)

    def _defined(self) -> dict[str, str]:
        """Return the values between `define` and `endef`, by name."""
        return {name: body.strip() for name, body in _DEFINED.findall("\n".join(self._lines))}

    def _line(self, line: str) -> str:
        text = self.expanded(_BRACES.sub(lambda found: self._of_just(found[1]), line)).strip().lstrip("@-+")
        shell = self.expanded(self._values.get("SHELL", ""))
        if not shell or _SHELL.search(shell):
            return text
        return f"{shell} {self.expanded(self._values.get('.SHELLFLAGS', '-c'))} {text}"

    def _literal(self, value: str) -> str:
        """Return a value of `just`: a text without its quotes, or the result of an expression."""
        found = re.fullmatch(r"'([^']*)'|\"([^\"]*)\"", value)
        if self._is_of_just and not found:
            value = _SUBSTITUTION.sub(r"`\1`", value)  # the simulation writes backticks in this way
            is_expression = _SUM.fullmatch(value) or _CALL.fullmatch(value)
            return self._of_just(value) if is_expression else self._unknown if value.startswith("if ") else value
        return (found[1] or found[2] or "") if found else value

    def _of_just(self, expression: str) -> str:
        if called := _CALL.fullmatch(expression):
            return self._values.get(called[2], self._unknown) if called[1].startswith("env") else self._unknown
        return "".join(map(self._part, _LITERALS.finditer(expression)))

    def _part(self, found: re.Match[str]) -> str:
        """Return the value of one part of a `just` expression: a text, a command, a variable or a slash."""
        single, double, command, name = found.groups()
        if command:
            return self._run(command).strip()
        if name:
            return self._values.get(name, self._unknown)
        return single or double or found[0].strip("'\"`+")

    def expanded(self, text: str, depth: int = 0) -> str:
        """Return a text with its variables and functions replaced, as make does."""
        found, at = "", 0
        text = text[:_MAX_CHARS]
        while (sign := text.find("$", at)) >= 0:
            found += text[at:sign]
            follows = text[sign + 1 : sign + 2]
            if follows in _PAIRS and follows:
                end = _closing(text, sign + 2, follows)
                found += self._reference(text[sign + 2 : end], depth + 1) if depth < _MAX_DEPTH else ""
                at = end + 1
            else:
                found += "$" if follows == "$" else self._variable(follows, depth)
                at = sign + 2
        return (found + text[at:])[:_MAX_CHARS]

    def _variable(self, name: str, depth: int) -> str:
        value = self._values.get(name, self._unknown if name else "")
        return value if depth >= _MAX_DEPTH or name in _SIMPLE else self.expanded(value, depth + 1)

    def _reference(self, text: str, depth: int) -> str:
        name, blank, rest = text.partition(" ")
        if blank and name in _FUNCTIONS:
            return self._called(name, rest.lstrip(), depth)
        text = self.expanded(text, depth)
        if text[:1] in _SIMPLE and text[1:] in {"D", "F"}:
            folder, _, base = self._values.get(text[0], "").rpartition("/")
            return base if text[1:] == "F" else folder or "."
        name, colon, change = text.partition(":")
        value = self._variable(name, depth)
        old, _, new = change.partition("=")
        return _replaced(old if "%" in old else f"%{old}", new if "%" in new else f"%{new}", value) if colon else value

    def _called(self, name: str, rest: str, depth: int) -> str:
        args = [self.expanded(each, depth) for each in _arguments(rest)] if name not in {"foreach", "call"} else []
        if name == "value":
            return self._values.get(args[0].strip(), "")
        if name == "shell":
            return " ".join(self._run(",".join(args)).split())
        if name == "file":
            return self._run(f"cat {' '.join(args).lstrip('<> ')}")
        if name == "eval":
            if found := _VARIABLE.fullmatch(",".join(args)):
                self._values[found[1]] = found[2]
            return ""
        if name == "foreach":
            variable, items, body = ([*_arguments(rest), "", "", ""])[:3]
            return " ".join(self._with({variable.strip(): each}, body, depth) for each in self._items(items, depth))
        if name == "call":
            function, *given = [self.expanded(each, depth) for each in _arguments(rest)]
            its = {str(number): each for number, each in enumerate(given, 1)}
            return self._with(its, self._values.get(function.strip(), ""), depth)
        return _FUNCTIONS[name]([*args, "", "", ""])

    def _items(self, text: str, depth: int) -> list[str]:
        return self.expanded(text, depth).split()[:_MAX_DEPTH]

    def _with(self, values: Mapping[str, str], text: str, depth: int) -> str:
        before = dict(self._values)
        self._values |= values
        expanded = self.expanded(text, depth) if depth < _MAX_DEPTH else ""
        self._values = before
        return expanded


def _closing(text: str, start: int, opens: str) -> int:
    level = 1
    for index in range(start, len(text)):
        level += (text[index] == opens) - (text[index] == _PAIRS[opens])
        if not level:
            return index
    return len(text)


def _arguments(text: str) -> list[str]:
    """Return the arguments of a function: the parts between commas that are outside all brackets."""
    parts, level = [""], 0
    for char in text:
        level += (char in "({") - (char in ")}")
        if char == "," and not level:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _replaced(old: str, new: str, value: str) -> str:
    before, _, after = old.partition("%")
    words = []
    for word in value.split():
        fits = word.startswith(before) and word.endswith(after) and len(word) >= len(before) + len(after)
        words.append(new.replace("%", word[len(before) : len(word) - len(after)], 1) if fits else word)
    return " ".join(words)


def _joined(args: list[str]) -> str:
    first, second = args[0].split(), args[1].split()
    length = max(len(first), len(second))
    return " ".join("".join((*first[at : at + 1], *second[at : at + 1])) for at in range(length))


def _chosen(args: list[str], *, wanted: bool) -> str:
    """Evaluate make's `filter` (if `wanted`) or `filter-out`: return the words that match a pattern, or match none.

    Words that are not known are always returned.
    """
    patterns = [each.replace("%", "*", 1) for each in args[0].split()]
    words = args[1].split()
    return " ".join(word for word in words if "*" in word or any(fnmatchcase(word, it) for it in patterns) == wanted)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\s*\d{1,4}\s*", text) else 1


def _each(change: Callable[[str], str]) -> Callable[[list[str]], str]:
    return lambda args: " ".join(map(change, args[0].split()))


_FUNCTIONS: Final[Mapping[str, Callable[[list[str]], str]]] = {
    "subst": lambda args: args[2].replace(args[0], args[1]) if args[0] else args[2],
    "patsubst": lambda args: _replaced(args[0], args[1], args[2]),
    "addprefix": lambda args: " ".join(f"{args[0]}{each}" for each in args[1].split()),
    "addsuffix": lambda args: " ".join(f"{each}{args[0]}" for each in args[1].split()),
    "join": _joined,
    "strip": lambda args: " ".join(args[0].split()),
    "sort": lambda args: " ".join(sorted(args[0].split())),
    "word": lambda args: "".join(args[1].split()[_number(args[0]) - 1 : _number(args[0])]),
    "wordlist": lambda args: " ".join(args[2].split()[_number(args[0]) - 1 : _number(args[1])]),
    "firstword": lambda args: "".join(args[0].split()[:1]),
    "lastword": lambda args: "".join(args[0].split()[-1:]),
    "notdir": _each(lambda each: each.rpartition("/")[2]),
    "dir": _each(lambda each: f"{each.rpartition('/')[0] or '.'}/"),
    "basename": _each(lambda each: each.rpartition(".")[0] or each),
    "suffix": _each(lambda each: f".{each.rpartition('.')[2]}" if "." in each else ""),
    "if": lambda args: args[1] if args[0].strip() else args[2],
    "or": lambda args: next(filter(None, args), ""),
    "and": lambda args: args[-4] if all(args[:-3]) else "",
    "filter": lambda args: _chosen(args, wanted=True),
    "filter-out": lambda args: _chosen(args, wanted=False),
    "wildcard": lambda args: args[0],
    "abspath": lambda args: args[0],
    "realpath": lambda args: args[0],
    **dict.fromkeys(
        ("value", "shell", "file", "eval", "foreach", "call", "info", "warning", "error"), lambda args: args[0]
    ),
}
