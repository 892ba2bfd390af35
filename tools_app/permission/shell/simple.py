"""Simple commands: what they are called, what they touch, what they run in turn."""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from tools_app.permission.shell import arity, paths
from tools_app.permission.shell.assignments import is_harmless, is_powerful
from tools_app.permission.shell.builtins import BUILTINS
from tools_app.permission.shell.commands import usage_of_command
from tools_app.permission.shell.model import Command
from tools_app.permission.shell.options import Kind
from tools_app.permission.shell.outcome import Outcome, either
from tools_app.permission.shell.record import Record, path_use
from tools_app.permission.shell.remember import is_never_remembered
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Redirection, Script, Simple, Word
from tools_app.permission.shell.usage import Usage
from tools_app.permission.shell.words import Field, Value, expand

_WELL_KNOWN: Final = re.compile(r"/(?:usr/(?:local/)?)?s?bin/([^/]+)")
_DEEPEST_COMMAND: Final = 12
_IN_SITU: Final = frozenset({"exec", "builtin", "command", "eval"})
"""What these run changes the shell that runs the text."""


class SimpleCommands:
    def __init__(self, record: Record) -> None:
        self.record = record
        self._depth = 0

    def script(self, script: Script, state: State) -> Outcome:
        raise NotImplementedError

    def nested(self, text: str, state: State) -> None:
        """Analyse a text that a command hands to another shell."""
        raise NotImplementedError

    def fields_of(self, words: Sequence[Word], state: State) -> list[list[Field]]:
        raise NotImplementedError

    def _redirections(self, redirections: Iterable[Redirection], state: State) -> None:
        raise NotImplementedError

    def _substitutions_of(self, word: Word, state: State) -> None:
        raise NotImplementedError

    def seen(self, name: str, text: str) -> None:
        self.record.commands.append(Command((name,), text))
        self.record.pattern(text)
        self.record.always.setdefault(f"{name} *")

    def _simple(self, node: Simple, state: State) -> Outcome:
        self.record.number += 1
        self._redirections(node.redirections, state)
        if not node.words:
            return self._assign(node, state)
        self._assignments_before(node, state)
        outcome: Outcome | None = None
        assigned = tuple(each.source for each in node.assignments)
        for fields in self.fields_of(node.words, state):
            after = self.command(fields, state, assigned)
            outcome = either(outcome, after) if outcome else after
        return outcome or Outcome(state, state)

    # Assignments

    def _assign(self, node: Simple, state: State) -> Outcome:
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            for element in each.elements:
                self._substitutions_of(element, state)
            self._name_is_set(each.name)
            values: tuple[Value, ...] = ()
            if each.plain:
                found = expand(each.value, state.environment())
                if not each.value.parts:
                    values = (Value(""),)
                elif all(len(fields) == 1 and fields[0].known for fields in found):
                    values = tuple(dict.fromkeys(Value(fields[0].text) for fields in found))
            state = state.assigned(each.name, values)
        return Outcome(state, state)

    def _name_is_set(self, name: str) -> None:
        if is_powerful(name):
            self.record.doubt(f"it sets {name}, which can change what runs")

    def _assignments_before(self, node: Simple, state: State) -> None:
        doubtful = False
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            found = expand(each.value, state.environment())
            literal = all(field.known for fields in found for field in fields)
            if not (each.plain and literal and is_harmless(each.name)):
                doubtful = True
                self.record.doubt(f"it sets {each.name}, which can change what runs")
        if doubtful:
            sources = [*(each.source for each in node.assignments), *(word.source for word in node.words)]
            self.record.pattern(" ".join(sources))

    # Commands

    def command(self, fields: Sequence[Field], state: State, assigned: tuple[str, ...] = ()) -> Outcome:
        if not fields:
            return Outcome(state, state)
        self._depth += 1
        try:
            if self._depth > _DEEPEST_COMMAND:
                self.record.doubt("commands run commands too deeply")
                return Outcome(state, state)
            return self._command(fields, state, assigned)
        finally:
            self._depth -= 1

    def _command(self, fields: Sequence[Field], state: State, assigned: tuple[str, ...]) -> Outcome:
        name = fields[0]
        text = " ".join(each.source or quoted(each) for each in fields)
        self.record.pattern(text)
        words = tuple(each.text if each.known else each.source for each in fields)
        self.record.commands.append(Command(words, text, assigned))
        if not name.known or name.pattern is not None or not name.text:
            self.record.doubt(f"nobody knows which command `{name.source}` is")
            self.record.never = True
            return Outcome(state, state)
        known = _WELL_KNOWN.fullmatch(name.text)
        plain = Field(known[1], source="") if known else name
        self._spellings([plain, *fields[1:]], text)
        if builtin := BUILTINS.get(plain.text):
            self._remember([plain, *fields[1:]])
            return builtin(self, fields[1:], state)
        usage = usage_of_command(plain.text, fields[1:])
        self._use(plain, fields[1:], usage, state)
        changed = plain.text in _IN_SITU
        return Outcome(state.lost(), state.lost()) if changed else Outcome(state, state)

    def _use(self, name: Field, args: Sequence[Field], usage: Usage, state: State) -> None:
        canonical = usage.canonical or [name, *args]
        if usage.canonical:
            self._spellings(canonical, "")
        self._remember(canonical)
        for reason in usage.doubts:
            self.record.doubt(reason)
        inside = self._inside(usage, state)
        if name.text == "git":
            for folder in inside.folders:
                self.record.repositories.setdefault(folder)
        for place, kind in usage.places:
            where = state if (place, kind) in _entered(usage) else inside
            self.touch(place, kind, where, deep=usage.deep, hidden=usage.hidden, only=usage.only)
        for link in usage.links:
            self._may_link(link, inside)
        for text in usage.texts:
            self.nested(text.text, inside if name.text == "eval" else inside.lost_variables())
        for inner in usage.inner:
            self.command(inner, inside)

    def _inside(self, usage: Usage, state: State) -> State:
        for folder in usage.folders:
            if not folder.known or folder.pattern is not None:
                self.record.doubt(f"nobody knows which folder `{folder.source}` is")
                return state.moved(())
            state = state.moved(tuple(paths.join(each, folder.text) for each in state.folders))
        return state

    def _may_link(self, link: Field, state: State) -> None:
        if link.known and link.pattern is None:
            for folder in state.folders:
                self.record.link(paths.join(folder, link.text))

    def _spellings(self, fields: Sequence[Field], written: str) -> None:
        """The command as it is usually spelt, so that a rule about it is not missed by quotes or folders."""
        text = " ".join(_usual(each) for each in fields)
        if text != written:
            self.record.pattern(text)

    def _remember(self, fields: Sequence[Field]) -> None:
        words = [each.text for each in fields]
        if is_never_remembered(words) or any("*" in word or "?" in word for word in arity.prefix(words)):
            self.record.never = True
        self.record.always.setdefault(f"{' '.join(arity.prefix(words))} *")

    # Places

    def touch(
        self, field: Field, kind: Kind, state: State, *, deep: bool = False, hidden: bool = True,
        only: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        if kind == "text":
            return
        if not field.known:
            self.record.doubt(f"nobody knows which place `{field.source or 'a word'}` is")
            return
        if field.text == "-" and kind == "read":
            return
        given = field.text if field.pattern is None else field.pattern
        if not state.folders and not given.startswith("/"):
            self.record.doubt(f"the folder is not known where `{field.source or field.text}` is looked for")
            return
        for folder in state.folders or ("/",):
            path = paths.join(folder, given)
            if paths.is_device(path):
                continue
            self.record.path(
                path_use(
                    path,
                    "write" if kind in {"write", "into"} else "read",
                    glob=field.pattern is not None,
                    recursive=deep or kind == "tree",
                    directory=kind in {"list", "enter", "tree"},
                    contents=kind not in {"list", "enter", "names"},
                    into=kind == "into",
                    hidden=hidden,
                    only=only,
                )
            )


def _entered(usage: Usage) -> list[tuple[Field, Kind]]:
    """`git -C a` is meant from where the command stands."""
    return [(folder, "enter") for folder in usage.folders[:1]]


def quoted(field: Field) -> str:
    return shlex.quote(field.text)


def _usual(field: Field) -> str:
    """How somebody who does not hide anything writes this word."""
    if not field.known or field.pattern is not None:
        return field.source or field.text
    plain = shlex.quote(field.text)
    if plain == field.text or not field.source:
        return plain
    written = (field.text, f"'{field.text}'", f'"{field.text}"')
    return field.source if field.source in written else plain
