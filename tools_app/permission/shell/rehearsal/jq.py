"""jq_output(): the output of a `jq` program, if it consists of literals, keys, sums, pipes and a few functions.

An unknown value counts as null. The output is a guess if a part of the program is not simulated.
"""

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tools_app.permission.shell.rehearsal.guess import Guess

_MAX_CHARS: Final = 5_000  # of the input
_MAX_PROGRAM: Final = 500  # characters
_MAX_DEPTH: Final = 12
_NAME: Final = re.compile(r"@?[A-Za-z_]\w*")
_KEY: Final = re.compile(r"\.\"?([A-Za-z_]\w*)\"?|\.?\[\s*(-?\d{1,4}|\"[^\"]*\")?\s*\]|\.")
_BY_PATTERN: Final = frozenset({"sub", "gsub", "split"})
_SPECIAL: Final = re.compile(r"[\\.*+?^$|()\[\]{}]")
_BLANKS: Final = re.compile(r"\s*")


def jq_output(args: Sequence[str], text: str) -> str:
    """Return the output of `jq` with these arguments for an input."""
    given = {args[at + 1]: args[at + 2] for at in range(len(args) - 2) if args[at] in {"--arg", "--argjson"}}
    taken = {"--arg", "--argjson", *given, *given.values()}
    program = next((each for each in args if each[:1] != "-" and each not in taken), ".")
    try:
        behind = args[list(args).index("--args") + 1 :] if "--args" in args else ()
        names: dict[str, Any] = {**given, "ARGS": {"positional": [each for each in behind if each != program]}}
        value = json.loads(text[:_MAX_CHARS]) if text.strip() else None
        its = _Program(program[:_MAX_PROGRAM], names)
        printed = shown(its.piped(value))
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError):
        return Guess("")
    return printed if its.is_simulated() else Guess(printed)


def shown(value: Any) -> str:
    """Return a value as `jq -r` prints it, with each element of a list on its own line."""
    if isinstance(value, list):
        return "\n".join(map(shown, value))
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


class _Program:
    """A `jq` program, which is evaluated while it is read from left to right."""

    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        self._text = text
        self._names = names
        self._at = 0
        self._depth = 0
        self._has_unknown = False

    def is_simulated(self) -> bool:
        """Return whether the whole program was read, and each of its functions is known."""
        return not self._has_unknown and not self._text[self._at :].strip()

    def piped(self, value: Any) -> Any:
        """Return the value of terms that are separated by `|`. The value of each term is the input of the next one."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise RecursionError
        value = self._listed(value)
        while self._takes("|"):
            value = self._listed(value)
        self._depth -= 1
        return value

    def _listed(self, value: Any) -> Any:
        """Return the value of terms between commas, as a list if there are several."""
        found = [self._added(value)]
        while self._takes(","):
            found.append(self._added(value))
        return found[0] if len(found) == 1 else found

    def _added(self, value: Any) -> Any:
        found = [self._term(value)]
        while self._takes("+"):
            found.append(self._term(value))
        return found[0] if len(found) == 1 else _sum(found)

    def _takes(self, sign: str) -> bool:
        self._at = self._match(_BLANKS).end()
        taken = self._text.startswith(sign, self._at)
        self._at += len(sign) if taken else 0
        return taken

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError
        return found

    def _term(self, value: Any) -> Any:
        if self._takes('"'):
            return self._literal(value)
        if self._takes("("):
            found = self.piped(value)
            self._takes(")")
        elif self._takes("["):
            found = self.piped(value)
            found = found if isinstance(found, list) else [found]
            self._takes("]")
        elif self._takes("{"):
            found = self._object(value)
        elif self._takes("$"):
            found = self._names.get(self._name())
        elif self._text.startswith(".", self._at):
            found = value
        elif number := re.compile(r"-?\d{1,9}").match(self._text, self._at):
            self._at = number.end()
            found = int(number[0])
        else:
            found = self._called(value)
        return self._keys(found)

    def _name(self) -> str:
        found = self._match(_NAME)
        self._at = found.end()
        return found[0]

    def _keys(self, value: Any) -> Any:
        while found := _KEY.match(self._text, self._at):
            self._at = found.end()
            key = found[1] or (found[2] or "").strip('"')
            if isinstance(value, list) and re.fullmatch(r"-?\d+", key):
                value = value[int(key)]
            elif key:
                value = value.get(key) if isinstance(value, dict) else None
        return value

    def _called(self, value: Any) -> Any:
        name = self._name()
        if not self._takes("("):
            self._has_unknown = self._has_unknown or name not in {*_FUNCTIONS, "null", "empty"}
            return _FUNCTIONS[name](value) if name in _FUNCTIONS else None
        given = [self.piped(value)]
        while self._takes(";"):
            given.append(self.piped(value))
        self._takes(")")
        self._has_unknown = self._has_unknown or name not in _CHANGES or (name in _BY_PATTERN and _is_pattern(given[0]))
        if name == "map":
            return value
        return _CHANGES[name](value, *given) if name in _CHANGES else given[0]

    def _object(self, value: Any) -> dict[str, Any]:
        found = {}
        while not self._takes("}"):
            key = self._literal(value) if self._takes('"') else self._name()
            found[str(key)] = self._term(value) if self._takes(":") else None
            if not self._takes(",") and not self._text.startswith("}", self._at):
                raise ValueError
        return found

    def _literal(self, value: Any) -> str:
        """Return a text whose opening quote was already read, with expressions in `\\(...)` replaced by values."""
        found = ""
        while not self._text.startswith('"', self._at):
            if self._text.startswith("\\(", self._at):
                self._at += 2
                found += shown(self.piped(value))
                self._takes(")")
                continue
            size = 2 if self._text.startswith("\\", self._at) else 1
            size = 6 if self._text.startswith("\\u", self._at) else size
            piece = self._text[self._at : self._at + size]
            found += json.loads(f'"{piece}"') if size > 1 else piece
            if not piece:
                raise ValueError
            self._at += size
        self._at += 1
        return found


def _is_pattern(text: Any) -> bool:
    return not isinstance(text, str) or _SPECIAL.search(text) is not None


def _sum(found: list[Any]) -> Any:
    if all(isinstance(each, list) for each in found):
        return [item for each in found for item in each]
    return "".join(map(shown, found))


def _decoded(text: str) -> str:
    return base64.b64decode(text).decode("utf-8", "replace")


_FUNCTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "ascii_downcase": lambda value: str(value).lower(), "ascii_upcase": lambda value: str(value).upper(),
    "explode": lambda value: [ord(each) for each in str(value)],
    "implode": lambda value: "".join(chr(each) for each in value if isinstance(each, int) and 0 <= each < 0x110000),
    "reverse": lambda value: value[::-1], "keys": sorted, "keys_unsorted": list, "add": lambda value: _sum(list(value)),
    "tostring": shown, "first": lambda value: value[0], "last": lambda value: value[-1],
    "to_entries": lambda value: [{"key": key, "value": its} for key, its in value.items()],
    "fromjson": json.loads, "tojson": json.dumps, "sort": sorted, "trim": str.strip,
    "@sh": lambda value: " ".join(map(str, value)) if isinstance(value, list) else str(value),
    "@base64d": _decoded, "@text": shown, "@tsv": "\t".join,
}  # fmt: skip
_CHANGES: Final[Mapping[str, Callable[..., Any]]] = {
    "sub": lambda value, old, new: str(value).replace(old, new, 1),
    "gsub": lambda value, old, new: str(value).replace(old, new),
    "ltrimstr": lambda value, part: str(value).removeprefix(part),
    "rtrimstr": lambda value, part: str(value).removesuffix(part),
    "join": lambda value, by: by.join(map(shown, value)),
    "split": lambda value, by: str(value).split(by),
}
