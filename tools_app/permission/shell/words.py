"""Expansion of words: removes quotes and expands braces, tildes and variables, as far as their values are known."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product, takewhile
from typing import Final

from tools_app.permission.shell.braces import Atom, Char, expand_braces
from tools_app.permission.shell.syntax import (
    Arithmetic,
    Parameter,
    Part,
    Pipeline,
    SimpleCommand,
    Substitution,
    Text,
    Word,
)

MAX_ALTERNATIVES: Final = 8  # combinations of the values of variables in one word

_SAFE_UNQUOTED: Final = re.compile(r"[\w./:@%+,=\-]+", re.ASCII)
_ACTIVE: Final = re.compile(r"[{~*?\[]")
_TILDE_IN_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=~", re.ASCII)
_ASSIGNED: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^=]*\])?\+?=", re.ASCII)
_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_GLOB: Final = re.compile(r"[*?\[]")
_GLOB_BEFORE_FOLDER: Final = re.compile(r"[*?\[].*/", re.DOTALL)
"""A glob in front of a slash. A matching name may contain blanks and globs, and the text behind a blank may begin with
the slash."""
_WITHOUT_GLOBS: Final = re.compile(
    r"seq(?: -?[0-9]+)+|nproc|wc(?: -[lcwm]+)+|date(?: -u)?(?: ['\"]?\+[\w%:.,/ -]+['\"]?)?|id -u"
    r"|git rev-parse(?: --(?:short|abbrev-ref))? HEAD|git branch --show-current",
    re.ASCII,
)
_IN_NAME: Final = re.compile(r"\w", re.ASCII)
_NO_PART_OF_NUMBER: Final = re.compile(r"[^0-9A-Za-z_.:=+\-]", re.ASCII)
_CHANGES_CLASS: Final = frozenset("!^-]\\[:.=/")
"""Characters whose meaning inside the brackets of a glob changes if they are quoted."""
_COUNTED: Final = frozenset("?$#!")
"""Special parameters whose values are numbers."""
UNKNOWN: Final = "\0"
"""Stands for the unknown parts in the text of a word. No argument contains it, so no known text equals such a word."""
ANY_NAME: Final = "*"
"""Stands for the name of a variable if any variable may have been set."""


@dataclass(frozen=True, slots=True)
class Value:
    """A possible value of a variable. If `pattern` is set, the value is one of the names that match this glob.

    The text UNKNOWN stands for any text without globs.
    """

    text: str
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """One word as a command receives it, after expansion."""

    text: str
    known: bool = True
    """False: the text is not known; it contains UNKNOWN."""
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
    through: bool = False
    """The names may be below folders to which links lead."""
    before: str = ""
    """The known beginning of a word that is not known as a whole."""
    globs: bool = False
    """The unknown part may contain globs, which bash expands: it may list any directory."""
    is_input: bool = False
    """The unknown part is a line that `xargs` reads."""
    globs_of_found: tuple[str, ...] = ()
    """Globs, one of which matches the word or the path at its end, because `find` puts a name into it: `{}/a`."""

    def __post_init__(self) -> None:
        """Make `known` agree with `text`: a text that contains UNKNOWN is not known, and a text that is not known
        begins with UNKNOWN."""
        if UNKNOWN in self.text:
            object.__setattr__(self, "known", False)
        elif not self.known:
            object.__setattr__(self, "text", f"{UNKNOWN}{self.text}")


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


@dataclass(frozen=True, slots=True)
class _Mark:
    """Placeholder for unknown text, or for a name that matches a glob. Its fields have the same meaning as in Field."""

    split: bool = False
    number: bool = False
    globs: bool = False


def expand(word: Word, environment: Environment) -> list[tuple[Field, ...]]:
    """Return the fields that a word expands to: one tuple for each combination of the values of its variables."""
    if all(isinstance(part, Text) for part in word.parts):
        plain = _plain(word)
        if plain is not None:
            return [(plain,)]
    if word.declares:
        return [(field,) for field in expand_value(word, environment)]
    written = expand_braces(_atoms(word))
    if written is None or (len(written) > 1 and any(_is_read_anew(word, each) for each in written)):
        return [(unknown(word.source),)]
    tildes = [_with_tilde(each, environment) for each in written if each]
    choices = [_choices(part, environment, whole=False) for part in word.parts]
    return _combined(word, tildes, choices)


def expand_value(word: Word, environment: Environment) -> list[Field]:
    """Return the possible values of an assignment: they are not split, and their globs are not expanded.

    Braces are expanded in some declarations, so a value with a brace is not known.
    """
    atoms = _atoms(word)
    start = next((at + 1 for at, atom in enumerate(atoms) if atom == ("=", False)), 0) if word.declares else 0
    if ("{", True) in atoms or ("~", True) in atoms[start + 1 :]:
        return [unknown(word.source)]
    template = [*atoms[:start], *_with_tilde(atoms[start:], environment)]
    template = [(atom[0], False) if isinstance(atom, tuple) else atom for atom in template]
    choices = [_choices(part, environment, whole=True) for part in word.parts]
    found = _combined(word, [template], choices)
    return [fields[0] if fields else Field("", source=word.source) for fields in found]


def values_of(fields: Sequence[Field]) -> tuple[Value, ...]:
    """Return the possible values of a variable that is set to one of the fields; an empty tuple if the text of an
    unknown field may be a glob."""
    if any(not each.known and (each.globs or _GLOB.search(each.text)) for each in fields):
        return ()
    return tuple(dict.fromkeys(Value(each.text, each.pattern) if each.known else Value(UNKNOWN) for each in fields))


def unknown(source: str) -> Field:
    """Return the field for a completely unknown word."""
    return Field(UNKNOWN, known=False, split=True, source=source, globs=True)


_Atoms = Sequence["Char | _Mark"]
_Template = Sequence["Atom | _Mark"]


def _atoms(word: Word) -> list[Atom]:
    """Return the characters of a word, with the indices of the parts that are expanded later."""
    found: list[Atom] = []
    for index, part in enumerate(word.parts):
        if not isinstance(part, Text):
            found.append(index)
        elif part.quoted and not part.text:
            found.append(("", False))
        else:
            found += [(char, not part.quoted) for char in part.text]
    return found


def _is_read_anew(word: Word, atoms: Sequence[Atom]) -> bool:
    """Return whether the text has other parameters after brace expansion: `$x{1,}` is `$x1 $x`."""
    for atom, following in pairwise(atoms):
        if atom == ("$", True):
            return True
        part = word.parts[atom] if isinstance(atom, int) else None
        if isinstance(part, Parameter) and part.open and isinstance(following, tuple) and _IN_NAME.match(following[0]):
            return True
    return False


def _combined(
    word: Word, templates: Sequence[_Template], choices: Sequence[Sequence[_Atoms]]
) -> list[tuple[Field, ...]]:
    """Return a tuple of fields for each combination of `choices`, the possible values of the word's parts; a single
    unknown field if there are too many combinations."""
    found: list[tuple[Field, ...]] = []
    for number, chosen in enumerate(product(*choices)):
        if number == MAX_ALTERNATIVES:
            return [(unknown(word.source),)]
        filled = [_filled(template, chosen) for template in templates]
        found.append(tuple(_field(atoms, word) for atoms in filled if atoms))  # unquoted and empty: no word
    return found


def _filled(template: _Template, chosen: Sequence[_Atoms]) -> list["Char | _Mark"]:
    filled: list[Char | _Mark] = []
    for atom in template:
        filled += chosen[atom] if isinstance(atom, int) else [atom]
    return filled


def _plain(word: Word) -> Field | None:
    for part in word.parts:
        if isinstance(part, Text) and not part.quoted and _ACTIVE.search(part.text):
            return None
    return Field("".join(part.text for part in word.parts if isinstance(part, Text)), source=word.source)


def _choices(part: Part, environment: Environment, *, whole: bool) -> list[_Atoms]:
    """Return the possible values of a part of a word. With `whole`, they are not split into words, as inside quotes."""
    if isinstance(part, Text):
        return [[]]
    expands = whole or not part.quoted  # now, or where the variable is used
    whole = whole or part.quoted
    if isinstance(part, Parameter) and part.plain:
        if part.name in _COUNTED:
            return [[_Mark(number=True)]]
        values = environment.lookup(part.name)
        if values:
            return [_of_value(value, quoted=whole) for value in values]
    if isinstance(part, Arithmetic):
        return [[_Mark(number=True)]]
    if isinstance(part, Substitution) and part.process:
        return [[(char, False) for char in "/dev/fd/63"]]
    if isinstance(part, Substitution) and whole and (text := _text_of(part)) is not None:
        return [[("", False), *((char, False) for char in text)]]
    several = isinstance(part, Parameter) and part.several
    return [[_Mark(split=not whole or several, globs=expands and _may_contain_globs(part, environment))]]


def _may_contain_globs(part: Part, environment: Environment) -> bool:
    """Return whether the value of this part of a word may contain globs. Environment variables are trusted to contain
    none."""
    if isinstance(part, Parameter):
        inherited = part.name not in environment.variables and ANY_NAME not in environment.variables
        return not (part.plain and inherited and _VARIABLE.fullmatch(part.name))
    return not (isinstance(part, Substitution) and _prints_no_globs(part))


def _prints_no_globs(part: Substitution) -> bool:
    """Return whether the substituted command prints only a number, a date or the name of a commit, which contain no
    globs."""
    last = part.script.items[0][0] if len(part.script.items) == 1 else None
    if isinstance(last, Pipeline):
        last = last.commands[-1]
    if not isinstance(last, SimpleCommand) or last.assignments:
        return False
    text = " ".join(word.source for word in last.words)
    return _WITHOUT_GLOBS.fullmatch(text) is not None and all(each.operator == "<" for each in last.redirections)


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
    if (
        document is None
        or (document.operator, document.descriptor) != ("<<", "")
        or document.target.source[0] not in {"'", '"'}
    ):
        return None
    if document.descriptor not in {"", "0"}:  # `cat` does not read it
        return None
    return document.body_text.rstrip("\n")


def _of_value(value: Value, *, quoted: bool) -> _Atoms:
    if value.pattern is not None:
        # A file name may contain blanks, so it may be split if it is not quoted.
        if not quoted:
            return [_Mark(split=True, globs=_GLOB_BEFORE_FOLDER.search(value.pattern) is not None)]
        return [(char, True) for char in value.pattern]
    if value.text == UNKNOWN:
        return [_Mark(split=not quoted)]
    if quoted:
        return [("", False), *((char, False) for char in value.text)]
    if value.text and not _SAFE_UNQUOTED.fullmatch(value.text):
        return [_Mark(split=True, globs=True)]
    return [(char, False) for char in value.text]


def _field(atoms: _Atoms, word: Word) -> Field:
    marks = [atom for atom in atoms if isinstance(atom, _Mark)]
    text = "".join(UNKNOWN if isinstance(atom, _Mark) else atom[0] for atom in atoms)
    if marks:
        number = all(mark.number for mark in marks) and not _NO_PART_OF_NUMBER.search(text.replace(UNKNOWN, ""))
        before = "".join(atom[0] for atom in takewhile(lambda atom: not isinstance(atom, _Mark), atoms))  # type: ignore[index]
        split = any(mark.split for mark in marks)
        globs = any(mark.globs for mark in marks) or any((char, True) in atoms for char in "*?[")
        return Field(text, known=False, split=split, number=number, source=word.source, before=before, globs=globs)
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


def _with_tilde(atoms: Sequence[Atom], environment: Environment) -> _Template:
    start = 0
    text = "".join(UNKNOWN if isinstance(atom, int) else atom[0] for atom in atoms)
    if found := _TILDE_IN_ASSIGNMENT.match(text):
        start = found.end() - 1
    if _ASSIGNED.match(text) and ("~", True) in atoms[max(start, 1) + 1 :]:
        return [_Mark(), *atoms]  # after a colon, `~` is a home directory too
    if atoms[start : start + 1] != [("~", True)]:
        return atoms
    end = next((at for at in range(start + 1, len(atoms)) if atoms[at] == ("/", True)), len(atoms))
    prefix = atoms[start + 1 : end]
    if not all(isinstance(atom, tuple) and atom[1] for atom in prefix):
        return [_Mark(), *atoms]
    home = _home_of("".join(atom[0] for atom in prefix if isinstance(atom, tuple)), environment)
    if home is None:
        return [*atoms[:start], _Mark(), *atoms[end:]]
    return [*atoms[:start], *((char, False) for char in home), *atoms[end:]]


def _home_of(name: str, environment: Environment) -> str | None:
    if not name:
        values = environment.lookup("HOME")
        return values[0].text if len(values) == 1 else None
    if name == "+":
        values = environment.lookup("PWD")
        return values[0].text if len(values) == 1 else None
    return {"root": "/root", "agent": "/home/agent"}.get(name)
