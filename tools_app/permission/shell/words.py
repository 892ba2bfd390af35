"""Expansion of words: removes quotes and expands braces, tildes and variables, as far as their values are known."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product, takewhile
from typing import Final

from tools_app.permission.shell.syntax import Arithmetic, Parameter, Part, SimpleCommand, Substitution, Text, Word

MAX_FIELDS: Final = 64  # words that brace expansion may make of one
MAX_ALTERNATIVES: Final = 8  # combinations of the values of variables in one word
_MAX_BRACES: Final = 16  # opening braces in one word

_SAFE_UNQUOTED: Final = re.compile(r"[\w./:@%+,=\-]+", re.ASCII)
_ACTIVE: Final = re.compile(r"[{~*?\[]")
_TILDE_IN_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=~", re.ASCII)
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^=]*\])?\+?=", re.ASCII)
_RANGE: Final = re.compile(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.(-?\d{1,3}))?", re.ASCII)
_NO_PART_OF_NUMBER: Final = re.compile(r"[^0-9A-Za-z_.:=+\-]", re.ASCII)
_CHANGES_CLASS: Final = frozenset("!^-]\\[:.=/")
"""Characters whose meaning inside the brackets of a glob changes if they are quoted."""
_COUNTED: Final = frozenset("?$#!")
"""Special parameters whose values are numbers."""


@dataclass(frozen=True, slots=True)
class Value:
    """A possible value of a variable. If `pattern` is set, the value is one of the names that match this glob."""

    text: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One word as a command receives it, after expansion."""

    text: str
    known: bool = True
    """False: the text is not known."""
    split: bool = False
    """The word may expand to several words, or to none."""
    number: bool = False
    """The word is a number."""
    pattern: str | None = None
    """The word expands to the names that match this glob, in which quoted special characters are in brackets."""
    source: str = ""
    """The word as it is written."""
    links: bool = False
    """The names may be links, which the command follows."""
    before: str = ""
    """The known beginning of a word that is not known as a whole."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The values that are known when a word is expanded. Variables that are not in `variables` are not known."""

    variables: Mapping[str, tuple[Value, ...]]
    folders: tuple[str, ...]
    home: str | None

    def lookup(self, name: str) -> tuple[Value, ...]:
        """Return all possible values of a variable; an empty tuple if they are not known."""
        if name in self.variables:
            return self.variables[name]
        if name == "PWD":
            return tuple(Value(folder) for folder in self.folders)
        if name == "HOME" and self.home is not None:
            return (Value(self.home),)
        return ()


Char = tuple[str, bool]
"""A character, and whether it is active (may be a glob, a brace or a tilde)."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """Placeholder for text that is not known (`split`, `number` as in Field), or for a name that matches a glob."""

    split: bool = False
    number: bool = False


def expand(word: Word, environment: Environment) -> list[tuple[Field, ...]]:
    """Return the fields that a word expands to: one tuple for each combination of the values of its variables."""
    if all(isinstance(part, Text) for part in word.parts):
        plain = _plain(word)
        if plain is not None:
            return [(plain,)]
    alternatives: list[tuple[Field, ...]] = []
    choices = [_choices(part, environment) for part in word.parts]
    for number, chosen in enumerate(product(*choices)):
        if number == MAX_ALTERNATIVES:
            return [(Field(word.source, known=False, split=True, source=word.source),)]
        alternatives.append(tuple(_fields(word, chosen, environment)))
    return alternatives


def _plain(word: Word) -> Field | None:
    for part in word.parts:
        if isinstance(part, Text) and not part.quoted and _ACTIVE.search(part.text):
            return None
    return Field("".join(part.text for part in word.parts if isinstance(part, Text)), source=word.source)


_Atoms = list["Char | _Mark"]


def _choices(part: Part, environment: Environment) -> list[_Atoms]:
    if isinstance(part, Text):
        if part.quoted and not part.text:
            return [[("", False)]]
        return [[(char, not part.quoted) for char in part.text]]
    if isinstance(part, Parameter) and part.plain:
        if part.name in _COUNTED:
            return [[_Mark(number=True)]]
        values = environment.lookup(part.name)
        if values:
            return [_of_value(value, quoted=part.quoted) for value in values]
    if isinstance(part, Arithmetic):
        return [[_Mark(number=True)]]
    if isinstance(part, Substitution) and part.process:
        return [[(char, False) for char in "/dev/fd/63"]]
    if isinstance(part, Substitution) and part.quoted and (text := _text_of(part)) is not None:
        return [[("", False), *((char, False) for char in text)]]
    quoted = part.quoted and not (isinstance(part, Parameter) and part.several)
    return [[_Mark(split=not quoted)]]


def _text_of(part: Substitution) -> str | None:
    """Return the text of `$(cat <<'EOF' ...)`, in which nothing is expanded; None for any other substitution."""
    items = part.script.items
    command = items[0][0] if len(items) == 1 else None
    if (
        not isinstance(command, SimpleCommand)
        or [word.source for word in command.words] != ["cat"]
        or command.assignments
    ):
        return None
    document = command.redirections[0] if len(command.redirections) == 1 else None
    if document is None or document.operator != "<<" or document.target.source[0] not in {"'", '"'}:
        return None
    return document.body_text.rstrip("\n")


def _of_value(value: Value, *, quoted: bool) -> _Atoms:
    if value.pattern is not None:
        # A file name may contain blanks, so it may be split if it is not quoted.
        return [(char, True) for char in value.pattern] if quoted else [_Mark(split=True)]
    if quoted:
        return [("", False), *((char, False) for char in value.text)]
    if value.text and not _SAFE_UNQUOTED.fullmatch(value.text):
        return [_Mark(split=True)]
    return [(char, False) for char in value.text]


def _fields(word: Word, chosen: Sequence[_Atoms], environment: Environment) -> Iterator[Field]:
    atoms: _Atoms = [atom for atoms in chosen for atom in atoms]
    if not atoms:
        return  # an unquoted empty variable expands to no word
    expanded = _braces(atoms)
    if expanded is None:
        yield Field(word.source, known=False, split=True, source=word.source)
        return
    for each in expanded:
        if not each:
            continue  # neither does an empty alternative in braces
        yield _field(_with_tilde(each, environment), word)


def _field(atoms: _Atoms, word: Word) -> Field:
    marks = [atom for atom in atoms if isinstance(atom, _Mark)]
    text = "".join("" if isinstance(atom, _Mark) else atom[0] for atom in atoms)
    if marks:
        number = all(mark.number for mark in marks) and not _NO_PART_OF_NUMBER.search(text)
        before = "".join(atom[0] for atom in takewhile(lambda atom: not isinstance(atom, _Mark), atoms))  # type: ignore[index]
        split = any(mark.split for mark in marks)
        return Field(text, known=False, split=split, number=number, source=word.source, before=before)
    chars = [atom for atom in atoms if not isinstance(atom, _Mark)]
    active_text = "".join(char for char, active in chars if active)
    bracket = active_text.find("[")
    in_brackets = bracket >= 0 and "]" in active_text[bracket:]
    if "*" not in active_text and "?" not in active_text and not in_brackets:
        return Field(text, source=word.source)
    if _has_quoted_class(chars):
        return Field(text, known=False, split=True, source=word.source)
    pattern = "".join(f"[{char}]" if char and not active and char in "*?[" else char for char, active in chars)
    return Field(text, pattern=pattern, source=word.source)


def _has_quoted_class(chars: Sequence[Char]) -> bool:
    """Return whether a glob has quotes inside a character class (`[\\!a]`).

    The glob syntax of the sandbox has no equivalent for this.
    """
    first = next((index for index, char in enumerate(chars) if char == ("[", True)), len(chars))
    return any(not active and char in _CHANGES_CLASS for char, active in chars[first:] if char)


def _with_tilde(atoms: _Atoms, environment: Environment) -> _Atoms:
    start = 0
    text = "".join(atom[0] if not isinstance(atom, _Mark) else "\0" for atom in atoms)
    if found := _TILDE_IN_ASSIGNMENT.match(text):
        start = found.end() - 1
    if _ASSIGNED.match(text) and ("~", True) in atoms[max(start, 1) + 1 :]:
        return [_Mark(), *atoms]  # after a colon, `~` is a home directory too
    if atoms[start : start + 1] != [("~", True)]:
        return atoms
    end = start + 1
    while end < len(atoms) and atoms[end] != ("/", True):
        if isinstance(atoms[end], _Mark) or not atoms[end][1]:  # type: ignore[index]
            return [_Mark(), *atoms]
        end += 1
    name = "".join(atom[0] for atom in atoms[start + 1 : end] if not isinstance(atom, _Mark))
    home = _home_of(name, environment)
    if home is None:
        return [*atoms[:start], _Mark(), *atoms[end:]]
    return [*atoms[:start], *((char, False) for char in home), *atoms[end:]]


def _home_of(name: str, environment: Environment) -> str | None:
    if not name:
        values = environment.lookup("HOME")
        return values[0].text if len(values) == 1 else None
    if name == "+":
        return environment.folders[0] if len(environment.folders) == 1 else None
    return "/root" if name == "root" else None


def _braces(atoms: _Atoms) -> list[_Atoms] | None:
    """Expand braces. Returns None if there are too many words."""
    if sum(atom == ("{", True) for atom in atoms) > _MAX_BRACES:
        return None
    done: list[_Atoms] = []
    todo: list[_Atoms] = [atoms]
    while todo:
        current = todo.pop(0)
        found = _first_brace(current)
        if found is None:
            done.append(current)
        else:
            start, end, choices = found
            todo = [[*current[:start], *choice, *current[end:]] for choice in choices] + todo
        if len(done) + len(todo) > MAX_FIELDS:
            return None
    return done


def _first_brace(atoms: _Atoms) -> tuple[int, int, list[_Atoms]] | None:
    """Return start, end and alternatives of the first `{a,b}` or `{1..3}`; None if there is none."""
    if ("{", True) not in atoms:
        return None
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[int]] | None = None
    for index, atom in enumerate(atoms):
        if atom == ("{", True):
            opened.append((index, []))
        elif atom == (",", True) and opened:
            opened[-1][1].append(index)
        elif atom == ("}", True) and opened:
            start, commas = opened.pop()
            if (commas or _range(atoms[start + 1 : index])) and (best is None or start < best[0]):
                best = (start, index, commas)
            if best is not None and not opened:
                break
    if best is None:
        return None
    start, end, commas = best
    if not commas:
        return start, end + 1, _range(atoms[start + 1 : end]) or []
    edges = [start, *commas, end]
    return start, end + 1, [list(atoms[left + 1 : right]) for left, right in pairwise(edges)]


def _range(atoms: _Atoms) -> list[_Atoms] | None:
    if len(atoms) > 20:
        return None
    text = "".join("\0" if isinstance(atom, _Mark) or not atom[1] else atom[0] for atom in atoms)
    found = _RANGE.fullmatch(text)
    if not found or found[1].isalpha() != found[2].isalpha():
        return None
    if found[1].isalpha():
        first, last = ord(found[1]), ord(found[2])
    else:
        first, last = int(found[1]), int(found[2])
    step = abs(int(found[3] or 1)) or 1
    numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    if len(numbers) > MAX_FIELDS:
        return [[_Mark(split=True)]]
    if (found[1] + found[2]).startswith("0") or "-0" in text or (len(found[2]) > 1 and found[2][0] == "0"):
        return [[_Mark()]]  # padded with zeros
    return [[(char, False) for char in (chr(n) if found[1].isalpha() else str(n))] for n in numbers]
