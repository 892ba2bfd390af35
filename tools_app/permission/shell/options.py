"""How the arguments of a command are told apart: options, their values, and operands. Tables say what each one is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tools_app.permission.shell.words import Field

Kind = Literal["text", "read", "list", "tree", "write", "into", "names", "enter"]
"""What an argument is for: plain text, a file that is read, a folder whose names are read, a tree that is read, a
file that is written (or, "into", one that is written if the folder above it exists), a place whose metadata is read,
a folder that is entered."""

_KINDS: Final[Mapping[str, Kind]] = {
    "t": "text", "r": "read", "d": "list", "R": "tree", "w": "write", "n": "names", "e": "enter",
}  # fmt: skip
_VALUE: Final[Mapping[str, Kind]] = {":": "text", "<": "read", ">": "write", "/": "enter", "@": "text"}
_NUMERIC: Final = re.compile(r"-\d+")


@dataclass(frozen=True, slots=True)
class Form:
    """What a command takes. `values` are options with a value, `runs` those that run a program or read a list of
    further arguments, `deep` those that make it descend, `writes` those that make it change its operands.

    `operands` are the kinds of the operands in order, the last one for all that follow; `drops` are options that take
    the place of the first operand (`grep -e`). `default`: what it touches without operands. `strict`: an option that
    stands in no table is a reason for doubt. `stops`: options end at the first operand. `safe`: no option that a file
    name could look like does harm. `sets`: a word with `=` sets a variable.
    """

    flags: frozenset[str]
    values: Mapping[str, Kind]
    uploads: frozenset[str]
    runs: frozenset[str]
    deep: frozenset[str]
    writes: frozenset[str]
    operands: tuple[Kind, ...] = ("text",)
    drops: frozenset[str] = frozenset()
    default: Kind | None = None
    strict: bool = True
    stops: bool = False
    numeric: bool = False
    safe: bool = False
    sets: bool = False


def form(
    flags: str = "", options: str = "", operands: str = "t", *, default: str = "", drops: str = "",
    strict: bool = True, stops: bool = False, numeric: bool = False, safe: bool = False, sets: bool = False,
) -> Form:  # fmt: skip
    """`flags` are letters. In `options` a sign after each says what it is: none for a flag, `:` a value that is text,
    `<` a file read, `>` a file written, `/` a folder entered, `@` text that reads a file after an `@`, `!` runs a
    program, `^` descends, `=` changes its operands."""
    known: dict[str, set[str]] = {sign: set() for sign in "@!^="}
    plain = {f"-{letter}" for letter in flags}
    values: dict[str, Kind] = {}
    for token in options.split():
        name, sign = (token[:-1], token[-1]) if token[-1] in ":<>/@!^=" else (token, "")
        if sign in _VALUE:
            values[name] = _VALUE[sign]
        if sign in known:
            known[sign].add(name)
        if sign in {"", "^", "="}:
            plain.add(name)
    changes = known["!"] or known["="] or "write" in values.values() or "w" in operands
    return Form(
        frozenset(plain), values, frozenset(known["@"]), frozenset(known["!"]), frozenset(known["^"]),
        frozenset(known["="]), tuple(_KINDS[each] for each in operands), frozenset(drops.split()),
        _KINDS[default] if default else None, strict, stops, numeric,
        safe or (strict and not changes), sets,
    )  # fmt: skip


@dataclass(slots=True)
class Arguments:
    """What was found: options by name with their values, operands, places with their kinds, and doubts."""

    options: list[tuple[str, Field | None]] = field(default_factory=list)
    operands: list[Field] = field(default_factory=list)
    places: list[tuple[Field, Kind]] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    loose: list[Field] = field(default_factory=list)
    """Values of options that may become several words, of which the others are operands."""
    rest: list[Field] = field(default_factory=list)
    """With `stops`: everything from the first operand on."""

    def has(self, *names: str) -> bool:
        return any(name in names for name, _ in self.options)


def sort_out(name: str, fields: Sequence[Field], form: Form) -> Arguments:
    found = Arguments()
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
            if form.stops:
                found.rest = queue[index - 1 :]
                break
            found.operands.append(current)
            continue
        index = _option(name, form, found, queue, index)
    own = fields[: len(fields) - len(found.rest)] if form.stops else fields
    _check_doubtful(name, form, found, own)
    return found


def _is_option(current: Field) -> bool:
    if not current.known:
        return current.before.startswith("-") and not current.split
    return current.text.startswith("-") and current.text != "-"


def _option(name: str, form: Form, found: Arguments, queue: Sequence[Field], index: int) -> int:
    """Take the option before `index`; where to go on."""
    current = queue[index - 1]
    text = current.text
    if not current.known and not (current.before.startswith("--") and "=" in current.before):
        return _unknown_option(name, form, found, queue, index)
    if form.numeric and _NUMERIC.fullmatch(text):
        return index
    plain = text.partition("=")[0]
    if text.startswith("--") or plain in form.values or plain in form.runs or text in form.flags:
        option, equals, value = text.partition("=")
        given = _with_text(current, value) if equals else None
        return _named(name, form, found, option, given, queue=queue, index=index)
    if not form.strict and text[:2] not in form.flags and text[:2] not in form.values and text[:2] not in form.runs:
        found.options.append((text, None))
        return index
    for position, letter in enumerate(text[1:], 1):
        option = f"-{letter}"
        if option in form.values or option in form.runs:
            rest = text[position + 1 :]
            given = _with_text(current, rest) if rest or not current.known else None
            return _named(name, form, found, option, given, queue=queue, index=index)
        index = _named(name, form, found, option, None, queue=queue, index=index)
        if found.doubts and form.strict:
            break
    return index


def _unknown_option(name: str, form: Form, found: Arguments, queue: Sequence[Field], index: int) -> int:
    """`-n$x`: the unknown part is the value of an option, or nobody knows which option it is."""
    current = queue[index - 1]
    for option in (current.before, *(f"-{letter}" for letter in current.before[1:])):
        if option in form.values or option in form.runs:
            return _named(name, form, found, option, _with_text(current, ""), queue=queue, index=index)
    if not current.number:
        found.doubts.append(f"which option of `{name}` is `{current.source}`, nobody knows")
    return index


def may_be_more(word: Field) -> bool:
    """Whether it may become several words, or none."""
    return word.pattern is not None or (word.split and not word.known)


def _with_text(current: Field, text: str) -> Field:
    pattern = text if current.pattern is not None else None
    return Field(text, current.known, current.split, current.number, pattern, current.source)


def _named(
    name: str, form: Form, found: Arguments, option: str, given: Field | None, *, queue: Sequence[Field], index: int
) -> int:
    option = _in_full(option, form)
    kind = form.values.get(option)
    if kind is not None and given is None:
        if index >= len(queue):
            return index
        given = queue[index]
        index += 1
    if given is not None and may_be_more(given):
        found.loose.append(given)
        if given.pattern is None:
            found.doubts.append(f"`{given.source}` may become several words of `{name}`")
    found.options.append((option, given))
    if option in form.runs:
        found.doubts.append(f"`{name} {option}` runs a program or reads more arguments from a file")
    elif kind is not None and given is not None:
        _value(option, kind, given, form, found)
    elif option not in form.flags and form.strict:
        found.doubts.append(f"the option {option} of `{name}` is not known")
    elif given is not None:
        found.places.extend((part, "read") for part in looks_like_paths(given))
    return index


def _in_full(option: str, form: Form) -> str:
    """Long options may be cut short. Of several that it could be, one that runs a program is taken."""
    if not option.startswith("--") or option in form.flags or option in form.values or option in form.runs:
        return option
    if form.strict:
        return option
    meant = [each for each in (*form.runs, *form.values) if each.startswith(option)]
    return meant[0] if meant else option


def _value(option: str, kind: Kind, given: Field, form: Form, found: Arguments) -> None:
    if option in form.uploads:
        before, at, path = given.text.rpartition("@")
        if at and (not before or before.endswith("=")):
            found.places.append((_with_text(given, path.partition(";")[0]), "read"))
        elif not given.known:
            found.doubts.append(f"the value of {option} is not known, and may name a file")
    elif kind != "text":
        found.places.append((given, kind))
    elif not form.strict:
        found.places.extend((part, "read") for part in looks_like_paths(given))


def _check_doubtful(name: str, form: Form, found: Arguments, fields: Sequence[Field]) -> None:
    """Words that nobody knows may be options, and so may the names that a glob finds."""
    ended = False
    for current in fields:
        ended = ended or (current.known and current.text == "--")
        if ended:
            return
        may_be_option = not current.known and (current.split or not (current.before or current.number))
        if form.stops and (may_be_more(current) or may_be_option):
            found.doubts.append(f"`{current.source}` may become several words of `{name}`")
        if may_be_option and (form.deep or not form.safe):
            found.doubts.append(f"`{current.source}` may become an option of `{name}`")
        elif current.pattern is not None and current.pattern[0] in "*?[" and not form.safe:
            found.doubts.append(f"a file name that matches `{current.source}` may become an option of `{name}`")


_LONGEST_LOOKED_AT: Final = 1000
"""Characters of a word. In a longer one nobody looks for paths: it counts as one that is not known."""

_PATHLIKE: Final = re.compile(
    r"^(?:[A-Za-z_][\w\-]*+=|-[\w\-]++=|-[A-Za-z]|@|[\w.\-]++=@|file://)*+(?=/|~|\.\.?(?:/|$))"
)
_URL: Final = re.compile(r"^(?:--?[\w\-]+=|-\w)?[A-Za-z][A-Za-z0-9+.\-]*://|^[\w.\-]+@[\w.\-]+:")


def looks_like_paths(current: Field) -> Iterator[Field]:
    """The parts of a word of an unknown command that look like paths."""
    text = current.text
    if len(text) > _LONGEST_LOOKED_AT:
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
