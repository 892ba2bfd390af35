"""Argument parser: splits the arguments of a command into options, their values, and operands.

The tables `tables_*` contain an ArgumentSpec for each command.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tools_app.permission.shell.words import Field

ArgumentKind = Literal["text", "read", "list", "tree", "write", "into", "names", "enter"]
"""How a command uses an argument.

`text`: plain text. `read`: a file to read. `list`: a directory to list. `tree`: a directory to read recursively.
`write`: a file to write. `into`: a file to write if its parent directory exists. `names`: a path of which only metadata
is read. `enter`: a directory to change to.
"""

_KINDS: Final[Mapping[str, ArgumentKind]] = {
    "t": "text", "r": "read", "d": "list", "R": "tree", "w": "write", "n": "names", "e": "enter",
}  # fmt: skip
_VALUE: Final[Mapping[str, ArgumentKind]] = {":": "text", "<": "read", ">": "write", "/": "enter", "@": "text"}
_NUMERIC: Final = re.compile(r"-\d+")


@dataclass(frozen=True, slots=True)
class ArgumentSpec:
    """The options and operands that a command accepts."""

    flags: frozenset[str]
    """Options without a value."""
    values: Mapping[str, ArgumentKind]
    """Options with a value, and what the value is."""
    uploads: frozenset[str]
    """Options whose value names a file to read after an `@` (`curl -d @file`)."""
    runs: frozenset[str]
    """Options that run a program or read further arguments from a file."""
    deep: frozenset[str]
    """Options that make the command recursive."""
    writes: frozenset[str]
    """Options that make the command change its operands."""
    operands: tuple[ArgumentKind, ...] = ("text",)
    """The kinds of the operands in order; the last one applies to all that follow."""
    drops: frozenset[str] = frozenset()
    """Options that replace the first operand (`grep -e`)."""
    default: ArgumentKind | None = None
    """How the command uses the working directory if there are no operands."""
    strict: bool = True
    """An option that is not in the table makes the analysis incomplete."""
    stops: bool = False
    """Options end at the first operand."""
    numeric: bool = False
    """Accepts `-5` as an option."""
    safe: bool = False
    """A file name that looks like an option does no harm."""
    sets: bool = False
    """A word with `=` sets a variable."""


def spec(
    flags: str = "", options: str = "", operands: str = "t", *, default: str = "", drops: str = "",
    strict: bool = True, stops: bool = False, numeric: bool = False, safe: bool = False, sets: bool = False,
) -> ArgumentSpec:  # fmt: skip
    """Build an ArgumentSpec from a compact notation.

    `flags` are the letters of short options without a value. `options` are separated by blanks, with a suffix: none for
    a flag, `:` for a value that is text, `<` for a file to read, `>` for a file to write, `/` for a directory to enter,
    `@` for text that names a file after an `@`, `!` for an option that runs a program, `^` for one that makes the
    command recursive, `=` for one that makes it change its operands. `operands` has one letter of `_KINDS` for each.
    """
    known: dict[str, set[str]] = {sign: set() for sign in "@!^="}
    plain = {f"-{letter}" for letter in flags}
    values: dict[str, ArgumentKind] = {}
    for token in options.split():
        name, sign = (token[:-1], token[-1]) if token[-1] in ":<>/@!^=" else (token, "")
        if sign in _VALUE:
            values[name] = _VALUE[sign]
        if sign in known:
            known[sign].add(name)
        if sign in {"", "^", "="}:
            plain.add(name)
    changes = known["!"] or known["="] or "write" in values.values() or "w" in operands
    return ArgumentSpec(
        frozenset(plain), values, frozenset(known["@"]), frozenset(known["!"]), frozenset(known["^"]),
        frozenset(known["="]), tuple(_KINDS[each] for each in operands), frozenset(drops.split()),
        _KINDS[default] if default else None, strict, stops, numeric,
        safe or (strict and not changes), sets,
    )  # fmt: skip


@dataclass(slots=True)
class ParsedArguments:
    """The arguments of a command, parsed: options in order with their values, operands, paths, and doubts.

    `paths` come from values of options. A doubt is a reason why the analysis may be incomplete, shown to people.
    """

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    paths: list[tuple[Field, ArgumentKind]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    loose: list[Field] = field(default_factory=list)
    """Values of options that may expand to several words; all words but the first would then be operands."""
    rest: list[Field] = field(default_factory=list)
    """With `ArgumentSpec.stops`: all words from the first operand on."""

    def has(self, *names: str) -> bool:
        """Return whether one of the options is present."""
        return any(name in names for name, _ in self.options)


def parse_arguments(name: str, fields: Sequence[Field], spec: ArgumentSpec) -> ParsedArguments:
    """Parse the arguments `fields` of the command `name` by `spec`."""
    found = ParsedArguments()
    queue = list(fields)
    index = 0
    while index < len(queue):
        current = queue[index]
        index += 1
        if current.text == "--" and current.known:
            found.rest = queue[index:]
            found.operands += queue[index:]
            break
        if not _is_option(current):
            if spec.stops:
                found.rest = queue[index - 1 :]
                break
            found.operands.append(current)
            continue
        index = _option(name, spec, found, queue, index)
    own = fields[: len(fields) - len(found.rest)] if spec.stops else fields
    _check_doubtful(name, spec, found, own)
    return found


def _is_option(current: Field) -> bool:
    if not current.known:
        return current.before.startswith("-") and not current.split
    return current.text.startswith("-") and current.text != "-"


def _option(name: str, spec: ArgumentSpec, found: ParsedArguments, queue: Sequence[Field], index: int) -> int:
    """Parse the option in front of `index`. Returns the index after its value."""
    current = queue[index - 1]
    text = current.text
    if not current.known and not (current.before.startswith("--") and "=" in current.before):
        return _unknown_option(name, spec, found, queue, index)
    if spec.numeric and _NUMERIC.fullmatch(text):
        return index
    plain = text.partition("=")[0]
    if text.startswith("--") or plain in spec.values or plain in spec.runs or text in spec.flags:
        option, equals, value = text.partition("=")
        given = _with_text(current, value) if equals else None
        return _named(name, spec, found, option, given, queue=queue, index=index)
    if not spec.strict and text[:2] not in spec.flags and text[:2] not in spec.values and text[:2] not in spec.runs:
        found.options.append((text, None))
        return index
    for position, letter in enumerate(text[1:], 1):
        option = f"-{letter}"
        if option in spec.values or option in spec.runs:
            rest = text[position + 1 :]
            given = _with_text(current, rest) if rest or not current.known else None
            return _named(name, spec, found, option, given, queue=queue, index=index)
        index = _named(name, spec, found, option, None, queue=queue, index=index)
        if found.doubts and spec.strict:
            break
    return index


def _unknown_option(name: str, spec: ArgumentSpec, found: ParsedArguments, queue: Sequence[Field], index: int) -> int:
    """Parse an option that is only partly known (`-n$x`): the rest is its value, or the option is unknown."""
    current = queue[index - 1]
    for option in (current.before, *(f"-{letter}" for letter in current.before[1:])):
        if option in spec.values or option in spec.runs:
            return _named(name, spec, found, option, _with_text(current, ""), queue=queue, index=index)
    if not current.number:
        found.doubts.append(f"it is not known which option of `{name}` `{current.source}` is")
    return index


def may_split(word: Field) -> bool:
    """Return whether a word may expand to several words, or to none."""
    return word.pattern is not None or (word.split and not word.known)


def _with_text(current: Field, text: str) -> Field:
    pattern = text if current.pattern is not None else None
    return Field(text, current.known, current.split, current.number, pattern, current.source)


def _named(
    name: str,
    spec: ArgumentSpec,
    found: ParsedArguments,
    option: str,
    given: Field | None,
    *,
    queue: Sequence[Field],
    index: int,
) -> int:
    option = _unabbreviated(option, spec)
    kind = spec.values.get(option)
    if kind is not None and given is None:
        if index >= len(queue):
            return index
        given = queue[index]
        index += 1
    if given is not None and may_split(given):
        found.loose.append(given)
        if given.pattern is None:
            found.doubts.append(f"`{given.source}` may expand to several arguments of `{name}`")
    found.options.append((option, given))
    if option in spec.runs:
        found.doubts.append(f"`{name} {option}` runs a program or reads more arguments from a file")
    elif kind is not None and given is not None:
        _value(option, kind, given, spec, found)
    elif option not in spec.flags and spec.strict:
        found.doubts.append(f"the option {option} of `{name}` is not known")
    elif given is not None:
        found.paths.extend((part, "read") for part in path_like_parts(given))
    return index


def _unabbreviated(option: str, spec: ArgumentSpec) -> str:
    """Return the full name of an abbreviated long option. If it is ambiguous, options that run a program come first."""
    if not option.startswith("--") or option in spec.flags or option in spec.values or option in spec.runs:
        return option
    if spec.strict:
        return option
    meant = [each for each in (*spec.runs, *spec.values) if each.startswith(option)]
    return meant[0] if meant else option


def _value(option: str, kind: ArgumentKind, given: Field, spec: ArgumentSpec, found: ParsedArguments) -> None:
    if option in spec.uploads:
        before, at, path = given.text.rpartition("@")
        if at and (not before or before.endswith("=")):
            found.paths.append((_with_text(given, path.partition(";")[0]), "read"))
        elif not given.known:
            found.doubts.append(f"the value of {option} is not known, and may name a file")
    elif kind != "text":
        found.paths.append((given, kind))
    elif not spec.strict:
        found.paths.extend((part, "read") for part in path_like_parts(given))


def _check_doubtful(name: str, spec: ArgumentSpec, found: ParsedArguments, fields: Sequence[Field]) -> None:
    """Add doubts for words that may be options: words with unknown text, and file names that match a glob."""
    ended = False
    for current in fields:
        ended = ended or (current.known and current.text == "--")
        if ended:
            return
        may_be_option = not current.known and (current.split or not (current.before or current.number))
        if spec.stops and (may_split(current) or may_be_option):
            found.doubts.append(f"`{current.source}` may expand to several arguments of `{name}`")
        if may_be_option and (spec.deep or not spec.safe):
            found.doubts.append(f"`{current.source}` may expand to an option of `{name}`")
        elif current.pattern is not None and current.pattern[0] in "*?[" and not spec.safe:
            found.doubts.append(f"a file name that matches `{current.source}` may be taken as an option of `{name}`")


_MAX_INSPECTED_CHARS: Final = 1000
"""Longer words are not searched for paths. They count as unknown."""

_PATHLIKE: Final = re.compile(
    r"^(?:[A-Za-z_][\w\-]*+=|-[\w\-]++=|-[A-Za-z]|@|[\w.\-]++=@|file://)*+(?=/|~|\.\.?(?:/|$))"
)
_URL: Final = re.compile(r"^(?:--?[\w\-]+=|-\w)?[A-Za-z][A-Za-z0-9+.\-]*://|^[\w.\-]+@[\w.\-]+:")


def path_like_parts(current: Field) -> Iterator[Field]:
    """Yield the parts of a word that look like paths. Used for the arguments of unknown commands."""
    text = current.text
    if len(text) > _MAX_INSPECTED_CHARS:
        if any(sign in text for sign in "/~."):
            yield Field(text, known=False, source=current.source)
        return
    if _URL.match(text) and "file://" not in text:
        return
    for piece in re.split(r"[:,]", text) if ("/" in text and (":" in text or "," in text)) else [text]:
        rest = piece[found.end() :] if (found := _PATHLIKE.match(piece)) else piece.rpartition("=")[2]
        if (
            rest.startswith(("/", "~", "./", "../"))
            or rest in {".", ".."}
            or ("/" in rest and not rest.startswith("-"))
        ) or (piece == text and not text.startswith("-") and rest.startswith(".")):
            yield _with_text(current, rest)
