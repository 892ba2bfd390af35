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
from tools_app.permission.shell.outcome import Outcome, either, or_not_run
from tools_app.permission.shell.record import Record, path_use
from tools_app.permission.shell.remember import is_never_remembered
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Redirection, Script, Simple, Word
from tools_app.permission.shell.usage import Usage
from tools_app.permission.shell.words import Field, Value, expand
from tools_app.permission.wildcard import is_literal

_WELL_KNOWN: Final = re.compile(r"/(?:usr/(?:local/)?)?s?bin/([^/]+)")
_DEEPEST_COMMAND: Final = 12
_IN_SITU: Final = frozenset({"exec", "eval"})
"""What these run changes the shell that runs the text."""
_SAME_SHELL: Final = frozenset({"time", "builtin", "command"})


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
            return or_not_run(self._assign(node, state), node.redirections, state)
        self._assignments_before(node, state)
        outcome: Outcome | None = None
        assigned = tuple(each.source for each in node.assignments)
        inside = state
        for each in node.assignments:  # they hold in what `eval` runs, and afterwards if no command follows
            inside = inside.assigned(each.name, ())
        for fields in self.fields_of(node.words, state):
            after = self.command(fields, inside, assigned)
            outcome = either(outcome, after) if outcome else after
        return or_not_run(outcome or Outcome(inside, inside), node.redirections, state)

    # Assignments

    def _assign(self, node: Simple, state: State) -> Outcome:
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            for element in each.elements:
                self._substitutions_of(element, state)
                self.list_globs((each for fields in expand(element, state.environment()) for each in fields), state)
            self._name_is_set(each.name)
            values: tuple[Value, ...] = ()
            if each.plain:
                found = expand(each.value, state.environment())
                if not each.value.parts:
                    values = (Value(""),)
                elif "~" in each.value.source[1:]:
                    values = ()  # after a colon it stands for a home, too
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
            splits_input = each.name == "IFS" and node.words[0].source == "read"
            if not (each.plain and literal and (is_harmless(each.name) or splits_input)):
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
        self.list_globs(fields, state)
        text = " ".join(each.source or quoted(each) for each in fields)
        words = tuple(each.text if each.known else each.source for each in fields)
        self.record.commands.append(Command(words, text, assigned))
        if not name.known or name.pattern is not None or not name.text:
            self.record.pattern(text)
            self.record.doubt(f"nobody knows which command `{name.source}` is")
            self.record.never = True
            return Outcome(state, state)
        known = _WELL_KNOWN.fullmatch(name.text)
        plain = Field(known[1]) if known else name
        base = Field(name.text.rstrip("/").rpartition("/")[2])
        if builtin := BUILTINS.get(plain.text):
            self._name(text, [plain, *fields[1:]])
            self._remember([plain, *fields[1:]])
            return builtin(self, fields[1:], state)
        usage = usage_of_command(plain.text, fields[1:])
        self._name("" if usage.canonical else text, usage.canonical or [plain, *fields[1:]])
        self.record.spellings.setdefault(text)
        for spelling in usage.spellings if base.text == plain.text else (*usage.spellings, [base, *fields[1:]]):
            self.record.spellings.setdefault(_spelt(spelling))
        after = self._use(plain, fields[1:], usage, state)
        if plain.text in _SAME_SHELL and after is not None:
            return after
        changed = plain.text in _IN_SITU
        return Outcome(state.lost(), state.lost()) if changed else Outcome(state, state)

    def _use(self, name: Field, args: Sequence[Field], usage: Usage, state: State) -> Outcome | None:
        """What holds after the last of the commands that it runs in turn, if there is one."""
        self._remember(usage.canonical or [name, *args])
        for reason in usage.doubts:
            self.record.doubt(reason)
        inside = self._inside(usage, state)
        if name.text == "git":
            for folder in inside.folders:
                self.record.repositories.setdefault(folder)
        for place, kind in usage.places:
            where = state if (place, kind) in _entered(usage) else inside
            self.touch(place, kind, where, deep=usage.deep, hidden=usage.hidden, only=usage.only, follow=usage.follow)
        for link in usage.links:
            self._may_link(link, inside)
        for run in usage.runs:
            for folder in inside.folders:
                self.record.run(paths.join(folder, run.text))
        for text in usage.texts:
            self.nested(text.text, inside if name.text == "eval" else inside.lost_variables())
        after: Outcome | None = None
        for inner in usage.inner:
            after = self.command(inner, inside)
        return after

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

    def _name(self, written: str, fields: Sequence[Field]) -> None:
        """The command as it is written, unless that hides its name, and as it is usually spelt: a rule about it is
        not missed for quotes or folders."""
        usual = _spelt(fields)
        if written.split(" ", 1)[0] == usual.split(" ", 1)[0]:
            self.record.pattern(written)
        self.record.pattern(usual)

    def _remember(self, fields: Sequence[Field]) -> None:
        words = [each.text for each in fields]
        if is_never_remembered(words) or any("*" in word or "?" in word for word in arity.prefix(words)):
            self.record.never = True
        whole = arity.names_an_action(words)
        self.record.always.setdefault(f"{' '.join(arity.prefix(words))} *" if whole else self._literal(fields))

    def _literal(self, fields: Sequence[Field]) -> str:
        text = _spelt(fields)
        if not is_literal(text):
            self.record.never = True
        return text

    # Places

    def list_globs(self, fields: Iterable[Field], state: State) -> None:
        """bash itself looks into the folders of a wildcard, whatever the command does with the names."""
        for each in fields:
            if each.pattern is not None and "/" in each.pattern and each.source != "{}":
                self.touch(each, "names", state)

    def touch(
        self, field: Field, kind: Kind, state: State, *, deep: bool = False, hidden: bool = True,
        only: tuple[str, ...] = (), follow: bool = False,
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
                    follow=follow or field.links,
                )
            )


def _entered(usage: Usage) -> list[tuple[Field, Kind]]:
    """`git -C a` is meant from where the command stands."""
    return [(folder, "enter") for folder in usage.folders[:1]]


def _spelt(fields: Sequence[Field]) -> str:
    return " ".join(map(_usual, fields))


def quoted(field: Field) -> str:
    return shlex.quote(field.text)


def _usual(field: Field) -> str:
    """How somebody who does not hide anything writes this word."""
    if not field.known or field.pattern is not None:
        return field.source or field.text
    plain = shlex.quote(field.text)
    if plain == field.text or not field.source:
        return plain
    option, _, value = field.text.rpartition("=")
    written = {
        f"{start}{quote}{rest}{quote}" for start, rest in (("", field.text), (f"{option}=", value)) for quote in "'\""
    }
    return field.source if field.source in {field.text, *written} else plain
