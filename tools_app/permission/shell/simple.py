"""SimpleCommandWalker: records simple commands with their names, the paths they touch and the commands they run."""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from tools_app.permission.shell import arity, paths
from tools_app.permission.shell.assignments import is_harmless, is_powerful
from tools_app.permission.shell.builtins import BUILTINS
from tools_app.permission.shell.commands import usage_of_command
from tools_app.permission.shell.model import Command, Mode, PathUse
from tools_app.permission.shell.outcome import ExitStates, either, or_not_run
from tools_app.permission.shell.path_like import is_protected, name_parts
from tools_app.permission.shell.project_variables import HARMLESS_ALONE, places_of
from tools_app.permission.shell.record import Record, tree_or_path, use_of_path
from tools_app.permission.shell.remember import is_never_remembered
from tools_app.permission.shell.specs import COMPOSED, WRITING, ArgumentKind
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Redirection, Script, SimpleCommand, Word
from tools_app.permission.shell.usage import PLAIN_GLOB, CommandUsage, Copied
from tools_app.permission.shell.words import Field, expand, expand_value, values_of
from tools_app.permission.wildcard import is_literal

_WELL_KNOWN: Final = re.compile(r"/(?:usr/(?:local/)?)?s?bin/([^/]+)")
_GIT: Final = re.compile(r"git|(?:.*/)?git-[a-z-]+")
_BLANK: Final = re.compile(r"\s")
_MAX_COMMAND_DEPTH: Final = 12
_CHANGES_SHELL: Final = frozenset({"exec", "eval"})
"""Builtins whose commands change the state of the current shell."""
_SAME_SHELL: Final = frozenset({"builtin", "command"})
_ANY_FILE: Final = "…"
_TIME: Final = "time"
"""A reserved word, or, where it is quoted or behind another command, a program that runs programs."""


class SimpleCommandWalker:
    """The part of the walker for simple commands. ScriptWalker implements the abstract methods."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._depth = 0

    def script(self, script: Script, state: State) -> ExitStates:
        raise NotImplementedError

    def nested(self, text: str, state: State) -> None:
        """Analyse a text that a command passes to another shell."""
        raise NotImplementedError

    def leave_loop(self, state: State) -> None:
        """Record that a loop may end, or begin its next round, with this state."""
        raise NotImplementedError

    def fields_of(self, words: Sequence[Word], state: State) -> list[list[Field]]:
        raise NotImplementedError

    def _redirections(self, redirections: Iterable[Redirection], state: State) -> None:
        raise NotImplementedError

    def _substitutions_of(self, word: Word, state: State) -> None:
        raise NotImplementedError

    def record_construct(self, name: str, text: str) -> None:
        """Record a construct such as `[[` as if it were a command."""
        self.record.commands.append(Command((name,), text))
        self.record.pattern(text)
        self.record.always.setdefault(f"{name} *")

    def _simple(self, node: SimpleCommand, state: State) -> ExitStates:
        self.record.number += 1
        self._redirections(node.redirections, state)
        if not node.words:
            return or_not_run(self._assign(node, state), node.redirections, state)
        self._assignments_before(node, state)
        outcome: ExitStates | None = None
        assigned = tuple(each.source for each in node.assignments)
        inside = state
        for each in node.assignments:  # valid in what `eval` runs, and later if the words expand to no command
            inside = inside.assigned(each.name, ())
        for fields in self.fields_of(node.words, state):
            after = self.command(fields, inside, assigned)
            outcome = either(outcome, after) if outcome else after
        return or_not_run(outcome or ExitStates(inside, inside), node.redirections, state)

    # Assignments

    def _assign(self, node: SimpleCommand, state: State) -> ExitStates:
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            for element in each.elements:
                self._substitutions_of(element, state)
                self.list_globs((each for fields in expand(element, state.environment()) for each in fields), state)
            self._name_is_set(each.name)
            found = expand_value(each.value, state.environment()) if each.plain else []
            state = state.assigned(each.name, values_of(found))
        return ExitStates(state, state)

    def _name_is_set(self, name: str) -> None:
        if is_powerful(name):
            self.record.doubt(f"the command sets {name}, which can change what runs")

    def _assignments_before(self, node: SimpleCommand, state: State) -> None:
        doubtful = False
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            literal = all(field.known for field in expand_value(each.value, state.environment()))
            splits_input = each.name == "IFS" and node.words[0].source == "read"
            if each.plain and self.is_for_project(each.name, each.value.source, state):
                self.record.spellings.setdefault(f"{each.source} {' '.join(word.source for word in node.words)}")
            elif not (each.plain and literal and (is_harmless(each.name) or splits_input)):
                doubtful = True
                self.record.doubt(f"the command sets {each.name}, which can change what runs")
        if doubtful:
            sources = [*(each.source for each in node.assignments), *(word.source for word in node.words)]
            self.record.pattern(" ".join(sources))

    def is_for_project(self, name: str, source: str, state: State) -> bool:
        """Record a variable that is only for the project's own code, and the folders that its value names.

        Returns False for other variables and values.
        """
        places = places_of(name, source)
        if places is None:
            return False
        if name not in HARMLESS_ALONE:
            self.record.project_variables.setdefault(name)
        for place in places:
            self.touch(Field(place), "enter", state)
        return True

    def _set_variables(self, name: Field, usage: CommandUsage, state: State) -> None:
        for variable, value in usage.variables:
            if not self.is_for_project(variable, value, state):
                self.record.doubt(f"`{name.text}` sets {variable or 'a variable'}, which can change what runs")

    # Commands

    def command(self, fields: Sequence[Field], state: State, assigned: tuple[str, ...] = ()) -> ExitStates:
        if not fields:
            return ExitStates(state, state)
        self._depth += 1
        try:
            if self._depth > _MAX_COMMAND_DEPTH:
                self.record.doubt("commands that run other commands are nested too deeply")
                return ExitStates(state, state)
            return self._command(fields, state, assigned)
        finally:
            self._depth -= 1

    def _command(self, fields: Sequence[Field], state: State, assigned: tuple[str, ...]) -> ExitStates:
        name = fields[0]
        self.list_globs(fields, state)
        text = " ".join(each.source or quoted(each) for each in fields)
        words = tuple(each.text if each.known else each.source for each in fields)
        self.record.commands.append(Command(words, text, assigned))
        if not name.known or name.pattern is not None or not name.text:
            self.record.pattern(text)
            self.record.doubt(f"it is not known which command `{name.source}` is")
            self.record.once_only = True
            return ExitStates(state, state)
        known = _WELL_KNOWN.fullmatch(name.text)
        plain = Field(known[1]) if known else name
        base = Field(name.text.rstrip("/").rpartition("/")[2])
        builtin = None if known else BUILTINS.get(plain.text)  # a program of that name changes nothing in the shell
        if builtin:
            self._name(text, [plain, *fields[1:]])
            self._remember([plain, *fields[1:]])
            return builtin(self, fields[1:], state)
        usage = usage_of_command(plain.text, fields[1:])
        self._name("" if usage.canonical else text, usage.canonical or [plain, *fields[1:]])
        self.record.spellings.setdefault(text)
        for spelling in usage.spellings if base.text == plain.text else (*usage.spellings, [base, *fields[1:]]):
            self.record.spellings.setdefault(_as_written(spelling))
        after = self._use(plain, fields[1:], usage, state)
        if after is not None and not known and plain.text in _SAME_SHELL:
            return after
        if after is not None and not known and plain.text == _TIME:
            return either(after, ExitStates(state, state))
        changed = plain.text in _CHANGES_SHELL
        return ExitStates(state.unknown(), state.unknown()) if changed else ExitStates(state, state)

    def _use(self, name: Field, args: Sequence[Field], usage: CommandUsage, state: State) -> ExitStates | None:
        """Record what the command does. Returns the states after the last command that it runs, or None."""
        self._remember(usage.canonical or [name, *args])
        self._name_tasks(usage)
        for reason in usage.doubts:
            self.record.doubt(reason)
        self._set_variables(name, usage, state)
        inside = self._inside(usage, state)
        if _GIT.fullmatch(name.text):
            for folder in inside.folders:
                self.record.repositories.setdefault(folder)
        for path, kind in usage.paths:
            where = state if (path, kind) in _entered_directory(usage) else inside
            self.touch(
                path,
                kind,
                where,
                deep=usage.deep,
                hidden=usage.hidden,
                only=usage.only,
                follow=usage.follow,
            )
        self._touch_trees(usage, inside)
        self._touch_copies(usage.copies, inside)
        self._may_touch(usage.possible, inside)
        self._read_in_repository(usage.of_repository, inside)
        for link in usage.links:
            self._may_link(link, inside)
        for run in usage.runs:
            for folder in inside.folders if run.known else ():
                self.record.run(paths.join(folder, run.text))
        for text in usage.texts:
            self.nested(text.text, inside if name.text == "eval" else inside.without_variables())
        after: ExitStates | None = None
        for inner in usage.inner:
            after = self.command(inner, inside)
        return after

    def _name_tasks(self, usage: CommandUsage) -> None:
        for task in usage.tasks:
            self.record.pattern(_as_written(task))

    def _read_in_repository(self, files: Sequence[Field], state: State) -> None:
        """Record files whose paths count from the root of a repository: any folder above may be it."""
        roots: dict[str, None] = {}
        for folder in map(PurePosixPath, map(paths.normal, state.folders)):
            above = map(str, (folder, *folder.parents))
            roots |= dict.fromkeys(each for each in above if paths.is_under(each, self.record.root))
        for each in files:
            for root in roots:
                self.touch(each, "read", state.in_folders((root,)))

    def _inside(self, usage: CommandUsage, state: State) -> State:
        for folder in usage.folders:
            if not folder.known or folder.pattern is not None:
                self.record.doubt(f"it is not known which directory `{folder.source}` is")
                return state.in_folders(())
            state = state.in_folders(tuple(paths.join(each, folder.text) for each in state.folders))
        return state

    def _may_link(self, link: Field, state: State) -> None:
        if link.known and link.pattern is None:
            for folder in state.folders:
                self.record.link(paths.join(folder, link.text))

    def _name(self, written: str, fields: Sequence[Field]) -> None:
        """Record a command as it is written, unless that hides its name, and as it is usually written.

        So rules match it whatever quotes or directories were used.
        """
        usual = _as_written(fields)
        if written.split(" ", 1)[0] == usual.split(" ", 1)[0]:
            self.record.pattern(written)
        self.record.pattern(usual)

    def _remember(self, fields: Sequence[Field]) -> None:
        words = [each.text if each.known else each.source for each in fields]
        if is_never_remembered(words) or any("*" in word or "?" in word for word in arity.prefix(words)):
            self.record.once_only = True
        whole = arity.names_an_action(words)
        self.record.always.setdefault(f"{' '.join(arity.prefix(words))} *" if whole else self._literal(fields))

    def _literal(self, fields: Sequence[Field]) -> str:
        text = _as_written(fields)
        if not is_literal(text):
            self.record.once_only = True
        return text

    # Paths

    def list_globs(self, fields: Iterable[Field], state: State) -> None:
        """Record the directories that bash lists to expand globs, whatever the command does with the names."""
        for each in fields:
            if each.globs and each.split:
                self.record.doubt(f"`{each.source}` may contain globs, and so list any directory")
            if each.pattern is not None and "/" in each.pattern and each.source != "{}":
                self.touch(each, "names", state)

    def touch(
        self, field: Field, kind: ArgumentKind, state: State, *, deep: bool = False, hidden: bool = True,
        only: tuple[str, ...] = (), follow: bool = False,
    ) -> None:  # fmt: skip
        if kind in COMPOSED:
            for part in COMPOSED[kind]:
                self.touch(field, part, state, deep=deep, hidden=hidden, only=only, follow=follow)
            return
        if not field.known:
            self.record.doubt(f"it is not known which path `{field.source or 'a word'}` is")
            folder, slash, _ = field.before.rpartition("/")
            if slash and kind != "enter" and not folder.startswith("-"):  # any file in it, which a rule may name
                self.touch(Field(f"{folder}/{_ANY_FILE}"), kind, state)
            return
        if field.text == "-" and kind == "read":
            return
        given = field.text if field.pattern is None else field.pattern
        if not state.folders and not given.startswith("/"):
            self.record.doubt(f"the working directory is not known, so `{field.source or field.text}` may be any path")
            return
        for folder in state.folders or ("/",):
            path = paths.join(folder, given)
            if paths.is_device(path) or self.is_through_process(path, "write" if kind in WRITING else "read"):
                continue
            deep_here = deep and kind != "place"
            use = use_of_path(path, kind, is_glob=field.pattern is not None, deep=deep_here)
            # `find` chose a `{}`, whatever it is called
            only_here = () if field.source == "{}" else only
            self.record.path(tree_or_path(replace(use, hidden=hidden, only=only_here, follow=follow or field.links)))

    def is_through_process(self, path: str, mode: Mode) -> bool:
        """Record that a path which leads through what a process has open may be any file of the workspace."""
        if not paths.leads_through_process(path):
            return False
        self.record.doubt(f"only a process knows where `{path}` leads")
        self.record.path(PathUse(self.record.root, mode, recursive=True, directory=True, known="nothing"))
        return True

    def _may_touch(self, words: Iterable[Field], state: State) -> None:
        """Record the parts of words that may name files which presets protect."""
        for word in {(each.text, each.pattern): each for each in words}.values():
            is_text = bool(_BLANK.search(word.text))
            for part, is_likely in name_parts(word):
                for folder in state.folders or (self.record.root,):
                    path = paths.join(folder, part)
                    if (is_likely and not is_text) or is_protected(path, self.record.root, secrets_only=is_text):
                        self.record.possibly(path)

    def _touch_trees(self, usage: CommandUsage, state: State) -> None:
        """Record the trees whose files a command does not name."""
        for tree in usage.trees:
            top = tree.top or Field(".")
            for path in self._paths_of(top, state):
                use = PathUse(path, tree.mode, recursive=True, directory=True, known=tree.known, only=tree.only)
                use = replace(use, contents=tree.contents)
                self.record.path(replace(use, repository=tree.top is None, flat=tree.flat))

    def _touch_copies(self, copies: Iterable[Copied], state: State) -> None:
        """Record files that are written under names that they have elsewhere."""
        for each in copies:
            target = each.target.text if each.target.pattern is None else each.target.pattern
            source = each.source.text if each.source.pattern is None else each.source.pattern
            if not each.source.known:  # any name, which a rule about the whole folder matches
                self.touch(Field(f"{target.rstrip('/')}/{_ANY_FILE}"), "place", state)
                continue
            for folder in state.folders:
                read = PathUse(
                    paths.join(folder, source), "read", glob=each.source.pattern is not None, recursive=each.deep
                )
                use = PathUse(paths.join(folder, target), "write", each.target.pattern is not None, recursive=each.deep)
                copied = replace(tree_or_path(use), known="copied", source=tree_or_path(read), flat=not each.deep)
                copied = replace(copied, only=_names_in(read))
                anywhere = replace(copied, known="made", source=None, flat=False)
                self.record.path(anywhere if "**" in target else copied)

    def _paths_of(self, field: Field, state: State) -> list[str]:
        """Return the absolute paths of a word; of a glob or an unknown word, the folders below which they are."""
        given = (
            (field.text if field.pattern is None else paths.fixed_part(f"./{field.pattern}")) if field.known else "."
        )
        return [paths.fixed_part(paths.join(folder, given)) for folder in state.folders or ("/",)]


def _names_in(use: PathUse) -> tuple[str, ...]:
    """Return the glob for the names of files that are copied alone; nothing if they may have any name."""
    name = use.path.rpartition("/")[2]
    return (name,) if use.glob and not use.recursive and PLAIN_GLOB.fullmatch(name) else ()


def _entered_directory(usage: CommandUsage) -> list[tuple[Field, ArgumentKind]]:
    """Return the first directory that the command enters (`git -C a`): it is relative to the working directory."""
    return [(folder, "enter") for folder in usage.folders[:1]]


def _as_written(fields: Sequence[Field]) -> str:
    return " ".join(map(_usual_spelling, fields))


def quoted(field: Field) -> str:
    return shlex.quote(field.text)


def _usual_spelling(field: Field) -> str:
    """Return the usual way to write this word: without unnecessary quotes."""
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
