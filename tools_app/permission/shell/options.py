"""Argument parser: splits the arguments of a command into options, their values, and operands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tools_app.permission.shell.path_like import path_like_parts, with_text
from tools_app.permission.shell.specs import ArgumentKind, ArgumentSpec, Option
from tools_app.permission.shell.words import Field

_NUMERIC: Final = re.compile(r"-\d+")
_NOT_KNOWN: Final = Option(known=False)


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
    plain: list[Field] = field(default_factory=list)
    """The words that certainly are, or contain, plain-text values of options."""
    possible: list[Field] = field(default_factory=list)
    """Words of which any part may name a file: values of options that read more arguments, or upload files."""
    rest: list[Field] = field(default_factory=list)
    """With `ArgumentSpec.stops`: all words from the first operand on."""

    def has(self, *names: str) -> bool:
        """Return whether one of the options is present."""
        return any(name in names for name, _ in self.options)

    def values_of(self, *names: str) -> list[Field]:
        """Return the values of the options with these names, in the order of the command line."""
        return [value for name, value in self.options if name in names and value is not None]


def parse_arguments(name: str, fields: Sequence[Field], spec: ArgumentSpec) -> ParsedArguments:
    """Parse the arguments `fields` of the command `name` by `spec`."""
    return _Parser(name, fields, spec).parsed()


def may_split(word: Field) -> bool:
    """Return whether a word may expand to several words, or to none."""
    return word.pattern is not None or (word.split and not word.known)


def may_be_option(word: Field) -> bool:
    """Return whether a word that is not fully known may turn out to be an option, or to contain one."""
    return not word.known and (word.split or word.before.startswith("-") or not (word.before or word.number))


class _Parser:
    """A parser for the arguments of one command."""

    def __init__(self, name: str, fields: Sequence[Field], spec: ArgumentSpec) -> None:
        self._name = name
        self._queue = list(fields)
        self._index = 0
        self._word = Field("")
        """The word in which the last option, or its value, stands."""
        self._spec = spec
        self._found = ParsedArguments()
        self._values: set[int] = set()
        """The positions of values of options that are words of their own, and therefore no options."""

    def parsed(self) -> ParsedArguments:
        end = len(self._queue)
        while self._index < len(self._queue):
            current = self._queue[self._index]
            self._index += 1
            self._word = current
            if current.text == "--" and current.known:
                end = self._index - 1
                self._found.rest = self._queue[self._index :]
                self._found.operands += self._found.rest
                break
            if _is_option(current):
                self._option(current)
            elif self._spec.stops:
                end = self._index - 1
                self._found.rest = self._queue[end:]
                break
            else:
                self._found.operands.append(current)
        self._check_doubtful(end)
        return self._found

    def _option(self, current: Field) -> None:
        text = current.text if current.known else current.before
        if self._spec.numeric and current.known and _NUMERIC.fullmatch(text):
            return
        if not self._spec.strict:
            self._option_of_lenient(current, text)
            return
        if self._spec.letters == "first":
            self._first_letter(current, text)
            return
        name, equals, _ = text.partition("=")
        if text.startswith("--") or (len(name) > 2 and name in self._spec.options):
            self._long(current, name, bool(equals))
        else:
            self._letters(current, text)

    def _option_of_lenient(self, current: Field, text: str) -> None:
        """Parse an option of a program whose table only lists the important options; such programs also accept
        `-o=value`."""
        spec = self._spec
        name = re.split("[=:]" if spec.one_dash else "=", text, maxsplit=1)[0]
        is_long = text.startswith("--") or (len(name) > 2 and (name in spec.options or spec.one_dash))
        full = spec.named(name) if is_long else name if len(name) == 2 and name in spec.options else None
        if text.startswith("--") or (full is not None and (is_long or len(text) > len(name))):
            self._long(current, full or name, len(text) > len(name), position=len(name) + 1)
        elif text[:2] in spec.options or not spec.one_dash:
            self._letters(current, text)
        else:
            self._found.options.append((text, None))
            if not current.known:
                self._not_known(current)

    def _long(self, current: Field, name: str, equals: bool, *, position: int = 0) -> None:
        """Record a long option; with `equals`, its value follows in the same word, after `position` characters."""
        if not (current.known or equals) or (current.pattern is not None and not equals):
            self._not_known(current)
            return
        value = current.text[position:] if position and current.known else current.text.partition("=")[2]
        self._named(self._full_name(name), with_text(current, value) if equals else None)

    def _letters(self, current: Field, text: str) -> None:
        """Parse short options in one word: the first one that takes a value takes the rest of the word."""
        for position, letter in enumerate(text[1:], 1):
            option = self._spec.options.get(f"-{letter}", _NOT_KNOWN)
            if option.takes != "nothing":
                rest = text[position + 1 :]
                if self._spec.letters == "apart" and current.known and not rest.isdigit():
                    self._named(f"-{letter}", None)
                    continue
                if not (rest or current.known or current.number) and option.takes == "value":
                    self._may_take_next(current)
                self._named(f"-{letter}", with_text(current, rest) if rest or not current.known else None)
                return
            if current.pattern is not None and letter in "*?[":
                self._not_known(current)
                return
            self._named(f"-{letter}", None)
            if self._found.doubts and self._spec.strict and not option.known:
                return
        if not (current.known or current.number):
            self._not_known(current)

    def _first_letter(self, current: Field, text: str) -> None:
        """Parse an option of a program for which the first letter alone decides: `-c8` and `-cols 8` are `-c`, `-ps` is
        `-p`."""
        plain = text[1:] if text.startswith("--") and text != "--" else text
        option = self._spec.options.get(plain[:2], _NOT_KNOWN)
        long = any(plain.startswith(each) for each in self._spec.options if len(each) > 2)
        value = plain[2:] if option.takes == "value" and not long else ""
        if not current.known:
            self._not_known(current)
        self._named(plain[:2], with_text(current, value) if value else None)

    def _not_known(self, current: Field) -> None:
        self._found.doubts.append(f"it is not known which option of `{self._name}` `{current.source}` is")

    def _may_take_next(self, current: Field) -> None:
        """Mark the analysis as incomplete because of a word such as `-a"$x"`: if `x` is empty, the next word is the
        value instead of an option or operand."""
        if self._index < len(self._queue):
            following = self._queue[self._index]
            self._found.doubts.append(
                f"`{current.source}` of `{self._name}` may take `{following.source or following.text}` as its value"
            )

    def _full_name(self, name: str) -> str:
        """Return the long option that an abbreviation stands for; the abbreviation itself if that is not certain."""
        if name in self._spec.options or not self._spec.abbreviates:
            return name
        if self._spec.negates and name.startswith("--no-"):
            return name
        meant = [each for each in self._spec.options if each.startswith(name) and each.startswith("--")]
        return meant[0] if len({id(self._spec.options[each]) for each in meant}) == 1 else name

    def _judged(self, name: str) -> Option | None:
        """Return the known facts about an option, or about the `--no-` form of a harmless option; None if the table
        contains neither."""
        found = self._spec.options.get(name)
        if found is None and self._spec.negates and name.startswith("--no-"):
            opposite = self._spec.options.get(f"--{name.removeprefix('--no-')}")
            return Option() if opposite is not None and opposite.harmless else None
        return found

    def _named(self, name: str, given: Field | None) -> None:
        option = self._judged(name)
        if option is not None and option.takes == "value" and given is None:
            if self._index >= len(self._queue):
                return
            given = self._queue[self._index]
            if self._spec.exact and _is_option(given):  # it is read as an option, too
                self._found.doubts.append(f"`{given.source or given.text}` of `{self._name}` may be an option")
            else:
                self._values.add(self._index)
                self._index += 1
                self._word = given
        if given is not None and may_split(given):
            self._found.loose.append(given)
            if given.pattern is None:
                self._found.doubts.append(f"`{given.source}` may expand to several arguments of `{self._name}`")
        if option is not None and option.known and option.kind == "text" and not option.runs:
            self._found.plain.append(self._word)
        self._found.options.append((name, given))
        self._judge(name, option, given)

    def _judge(self, name: str, option: Option | None, given: Field | None) -> None:
        found = self._found
        if option is None or not option.known:
            if self._spec.strict:
                found.doubts.append(f"the option {name} of `{self._name}` is not known")
            elif given is not None:
                found.paths.extend((part, "read") for part in path_like_parts(given))
        elif option.runs:
            found.possible.extend([given] if given is not None else [])
            found.doubts.append(f"`{self._name} {name}` runs a program or reads more arguments from a file")
        elif given is None:
            return
        elif option.uploads:
            self._upload(name, given)
        elif option.kind is not None and option.kind != "text":
            found.paths.append((given, option.kind))
        elif option.kind is None or not self._spec.strict:
            found.paths.extend((part, "read") for part in path_like_parts(given))

    def _upload(self, name: str, given: Field) -> None:
        self._found.possible.append(given)
        before, at, path = given.text.rpartition("@")
        if at and (not before or before.endswith("=")):
            self._found.paths.append((with_text(given, path.partition(";")[0]), "read"))
        elif not given.known:
            self._found.doubts.append(f"the value of {name} is not known, and may name a file")

    def _check_doubtful(self, end: int) -> None:
        """Mark the analysis as incomplete for words before `end` that may be options, because they are not fully known
        or are globs that match file names."""
        for index, current in enumerate(self._queue[:end]):
            possible = may_be_option(current) and not _is_option(current)
            if self._spec.stops and (may_split(current) or possible):
                self._found.doubts.append(f"`{current.source}` may expand to several arguments of `{self._name}`")
            if index in self._values and not may_split(current):
                continue
            if possible and (self._spec.deep or self._spec.reads or not self._spec.safe):
                self._found.doubts.append(f"`{current.source}` may expand to an option of `{self._name}`")
            elif current.pattern is not None and current.pattern[0] in "*?[" and not self._spec.safe:
                self._found.doubts.append(
                    f"a file name that matches `{current.source}` may be taken as an option of `{self._name}`"
                )


def _is_option(current: Field) -> bool:
    if not current.known:
        return current.before.startswith("-") and not current.split
    return current.text.startswith("-") and current.text != "-"
