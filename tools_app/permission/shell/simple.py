"""SimpleCommandWalker: records simple commands with their names, the paths they touch and the commands they run."""

import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

from tools_app.permission.names import names
from tools_app.permission.shell import arity, paths
from tools_app.permission.shell.assignments import is_harmless, is_powerful, may_name_files, names_file
from tools_app.permission.shell.builtins import BUILTINS
from tools_app.permission.shell.commands import may_be_code, runs_project_code, usage_of_command
from tools_app.permission.shell.guessing import GuessWalker
from tools_app.permission.shell.model import Command, NewBranch
from tools_app.permission.shell.named import codes_of
from tools_app.permission.shell.outcome import ExitStates, either, or_not_run
from tools_app.permission.shell.project_variables import HARMLESS_ALONE, places_of
from tools_app.permission.shell.record import Record
from tools_app.permission.shell.remember import is_never_remembered
from tools_app.permission.shell.specs import ArgumentKind
from tools_app.permission.shell.state import State
from tools_app.permission.shell.syntax import Node, Redirection, Script, SimpleCommand, Word
from tools_app.permission.shell.usage import CommandUsage
from tools_app.permission.shell.words import Field, expand, expand_value, values_of
from tools_app.permission.wildcard import is_literal

_WELL_KNOWN: Final = re.compile(r"/(?:usr/(?:local/)?)?s?bin/([^/]+)")
_GIT: Final = re.compile(r"git|(?:.*/)?git-[a-z-]+")
_MAX_COMMAND_DEPTH: Final = 12
_CHANGES_SHELL: Final = frozenset({"exec", "eval"})
"""Builtins whose commands change the state of the current shell."""
_SAME_SHELL: Final = frozenset({"builtin", "command"})
_KEEPERS: Final = names("declare exec export local mapfile printf read readarray readonly set typeset")
"""Builtins that keep texts in variables or descriptors."""
_NOT_FOUND: Final = "command_not_found_handle"
"""A function that bash calls for a command that it does not find."""
_TIME: Final = "time"
"""A reserved word, or, where it is quoted or behind another command, a program that runs programs."""


class SimpleCommandWalker(GuessWalker):
    """The part of the walker for simple commands. ScriptWalker implements the abstract methods."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._depth = 0
        self._functions: dict[str, Node] = {}
        """The bodies of functions that were defined."""

    def run(self, node: Node, state: State) -> ExitStates:
        raise NotImplementedError

    def script(self, script: Script, state: State) -> ExitStates:
        raise NotImplementedError

    def leave_loop(self, state: State) -> None:
        """Record that a loop may end, or begin its next iteration, in this state."""
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
        record = self.record
        record.number += 1
        inserted, printed, texts = record.inserted, len(record.printed), record.input_texts
        self._redirections(node.redirections, state)
        record.input_texts = (*texts, *record.printed[printed:])
        self._keep_files(node.redirections, printed)
        outcome = self._simple_command(node, state)
        if node.redirections:
            self._keep_files(node.redirections, printed)
        if record.inserted != inserted and (not node.words or node.words[0].source in _KEEPERS):
            record.kept_names += record.inserted[len(inserted) :]
        record.inserted, record.input_texts = inserted, texts
        if len(record.printed) > printed and (not node.words or node.words[0].source in _KEEPERS):
            record.kept += record.printed[printed:]
        return outcome

    def _simple_command(self, node: SimpleCommand, state: State) -> ExitStates:
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
            self.record.kept += [each.value.source, *(element.source for element in each.elements)]
            self._substitutions_of(each.value, state)
            for element in each.elements:
                self._substitutions_of(element, state)
                self.list_globs((each for fields in expand(element, state.environment()) for each in fields), state)
            if self._name_is_set(each.name):
                self.record.code([each.value.source], state.folders)
                self.value_names(each.name, each.value.source, state)
            found = expand_value(each.value, state.environment()) if each.plain else []
            self._guess_value(each, state)
            state = state.assigned(each.name, values_of(found))
        return ExitStates(state, state)

    def _name_is_set(self, name: str) -> bool:
        if is_powerful(name):
            self.record.doubt(f"the command sets {name}, which can change what runs")
            return True
        return False

    def _assignments_before(self, node: SimpleCommand, state: State) -> None:
        doubtful = False
        for each in node.assignments:
            self._substitutions_of(each.value, state)
            literal = all(field.known for field in expand_value(each.value, state.environment()))
            if may_name_files(each.name, each.value.source):
                self.value_names(each.name, each.value.source, state)
            splits_input = each.name == "IFS" and node.words[0].source == "read"
            if each.plain and self.is_for_project(each.name, each.value.source, state):
                self.record.spellings.setdefault(f"{each.source} {' '.join(word.source for word in node.words)}")
            elif names_file(each.name, each.value.source) or not (
                each.plain and literal and (is_harmless(each.name) or splits_input)
            ):
                doubtful = True
                self.record.doubt(f"the command sets {each.name}, which can change what runs")
        if doubtful:
            self.record.code((each.value.source for each in node.assignments), state.folders)
            written = [word.source for word in node.words]
            self.record.pattern(" ".join([*(each.source for each in node.assignments), *written]))
            if written[0] == "git":  # a setting may make a word of git mean the value
                for each in node.assignments:
                    self.record.guess(" ".join(["git", each.value.source, *written[2:]]), state.folders)

    def is_for_project(self, name: str, source: str, state: State) -> bool:
        """Record a variable that is only for the project's own code, and the folders that its value names.

        Returns False if it is not such a variable or value.
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
            self.value_names(variable, value, state)
            if not self.is_for_project(variable, value, state):
                self.record.doubt(f"`{name.text}` sets {variable or 'a variable'}, which can change what runs")

    # Commands

    def _call_function(self, name: str, fields: Sequence[Field]) -> None:
        if name in self._functions:
            self._call(name, fields)
        elif _NOT_FOUND in self._functions:
            self._call(_NOT_FOUND, [Field(_NOT_FOUND), *fields])

    def _call(self, name: str, fields: Sequence[Field]) -> None:
        """Walk the body of a shell function with the arguments of a call. The walk assumes no known folder or shell
        variables."""
        body = self._functions.pop(name)  # it may call itself
        self._bind(fields)
        self.record.guessed_values |= dict.fromkeys(("FUNCNAME", "FUNCNAME[0]"), name)
        self.run(body, State((), None))
        self._functions[name] = body

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
        self.may_become_options(fields[1:])
        text = " ".join(each.source or quoted(each) for each in fields)
        words = tuple(each.text if each.known else each.source for each in fields)
        self.record.commands.append(Command(words, text, assigned))
        self._guess(fields, state)
        self._keep_texts(name.text, fields[1:], state)
        if name.pattern is not None:
            self.record.spellings.setdefault(" ".join([name.pattern.rpartition("/")[2], *words[1:]]))
        if not name.known or name.pattern is not None or not name.text:
            self.record.code(words, state.folders)
            self.record.pattern(text)
            self.record.doubt(f"it is not known which command `{name.source}` is")
            self.record.once_only = True
            return ExitStates(state, state)
        known = _WELL_KNOWN.fullmatch(name.text)
        plain = Field(known[1]) if known else name
        base = Field(name.text.rstrip("/").rpartition("/")[2])
        self._call_function(plain.text, fields)
        if builtin := None if known else BUILTINS.get(plain.text):  # a program of that name changes nothing
            self._name(text, [plain, *fields[1:]])
            self._remember([plain, *fields[1:]])
            doubts = self.record.doubts
            self.record.kept += (each.text for each in fields[1:]) if plain.text in _KEEPERS else ()
            outcome = builtin(self, fields[1:], state)
            if self.record.doubts > doubts:
                self.record.code((each.text for each in fields[1:]), state.folders)
            return outcome
        usage = usage_of_command(plain.text, fields[1:])
        self._doubt_action(plain, usage.canonical or [plain, *fields[1:]])
        if runs_project_code(plain.text):
            self.record.runner = self.record.number
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

    def _doubt_action(self, name: Field, words: Sequence[Field]) -> None:
        """Mark the analysis as incomplete if the word that names the action of a command is a glob: `git pus?`."""
        plain = [each for each in words if each.text[:1] != "-"]
        for each in plain[1 : len(arity.prefix([word.text for word in plain]))]:
            if each.pattern is not None and "/" not in each.pattern:
                self.record.doubt(f"it is not known which action of `{name.text}` `{each.source}` is")

    def _use(self, name: Field, args: Sequence[Field], usage: CommandUsage, state: State) -> ExitStates | None:
        """Record the paths, nested commands and doubtful words of one simple command. Returns the states after the last
        command that it runs, or None."""
        self._remember(usage.canonical or [name, *args])
        self._name_tasks(usage)
        for reason in usage.doubts:
            self.record.doubt(reason)
        self._set_variables(name, usage, state)
        inside = self._inside(usage, state)
        self._may_be_links(usage.folders[:1], state)
        if usage.doubts or self.record.reads_operands:
            self._record_words(name.text, args, usage, inside)
        if _GIT.fullmatch(name.text):
            for folder in inside.folders:
                self.record.repositories.setdefault(folder)
        self._touch_paths(usage, state, inside)
        if not usage.described:
            self._read_piped(inside)
            self.record.fed += [each.text for each in args if " " in each.text]
        if self.record.number in self.record.writers and may_be_code(name.text):
            self.record.prints(" ".join(each.text for each in args))
        self._record_more(usage, inside)
        inserted = self.record.inserted
        if usage.parameters:
            self._bind(usage.parameters)
            self._insert_parameters(usage.parameters, state)
        self._guess_input(name.text, args, usage, inside)
        for text in usage.texts:
            self.nested(text.text, inside if name.text == "eval" else inside.without_variables())
        self.record.inserted = inserted
        after: ExitStates | None = None
        for inner in usage.inner:
            after = self.command(inner, inside)
        return after

    def _record_words(self, name: str, args: Sequence[Field], usage: CommandUsage, state: State) -> None:
        """Record the words of a command that is not fully analysed: as code, or as files, because each word may be
        the value of an option."""
        if usage.doubts and may_be_code(name):
            self.record.code(codes_of(name, args, self.record.input_texts), state.folders)
        else:
            self.record.code([each.text for each in args if usage.doubts and " " in each.text], state.folders)
            self._may_touch(args, state)
            self._may_name(args, state)

    def _touch_paths(self, usage: CommandUsage, state: State, inside: State) -> None:
        for path, kind in usage.paths:
            where = state if (path, kind) in _entered_directory(usage) else inside
            self.touch(path, kind, where, deep=usage.deep, hidden=usage.hidden, only=usage.only, follow=usage.follow)

    def _record_more(self, usage: CommandUsage, state: State) -> None:
        """Record files and commands that a command uses although they are not operands."""
        self._touch_trees(usage, state)
        self._touch_copies(usage.copies, state)
        self._may_touch(usage.possible, state)
        self._may_name(usage.words, state)
        self._may_follow(usage.follows, state)
        self._may_be_links((*usage.results, *usage.possible, *usage.words), state)
        self._read_in_repository(usage.of_repository, state, lists=usage.lists_revisions)
        self._print_names(usage.prints, state)
        found = (paths.join(folder, each.text) for folder in state.folders for each in usage.searches if each.known)
        self.record.code_folders |= dict.fromkeys(found)
        known = (each.text for each in usage.patches if each.known)
        self.record.patches |= {paths.join(folder, each): None for each in known for folder in state.folders}
        for revision, decider in usage.branches:
            name = revision.text if revision.known and revision.pattern is None else "*"
            for folder in state.folders or (self.record.root,):
                self.record.branches.setdefault(NewBranch(folder, name, decider))
        for link in usage.links:
            self._may_link(link, state)
        for link, target in usage.linked:
            self._leads_to(link, target, state)
        for copy, source in usage.copied_links:
            self._leads_to(copy, source, state, copied=True)
        if usage.task_files:
            self.record.task_files.append((state.folders, usage.task_files, self.record.number))
        for run in usage.runs:
            for folder in state.folders if run.known else ():
                self.record.run(paths.join(folder, run.text))

    def _name_tasks(self, usage: CommandUsage) -> None:
        for task in usage.tasks:
            self.record.pattern(_as_written(task))

    def _inside(self, usage: CommandUsage, state: State) -> State:
        for folder in usage.folders:
            if not folder.known or folder.pattern is not None:
                self.record.doubt(f"it is not known which directory `{folder.source}` is")
                return state.in_folders(())
            state = state.in_folders(tuple(paths.join(each, folder.text) for each in state.folders))
        return state

    def _name(self, written: str, fields: Sequence[Field]) -> None:
        """Record a command's text in normal form: rules match it even if it was written with quotes or directories.

        The text as written is also recorded if both texts begin with the same word.
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


def _entered_directory(usage: CommandUsage) -> list[tuple[Field, ArgumentKind]]:
    """Return the first directory that the command changes to (`git -C a`), relative to the working directory."""
    return [(folder, "enter") for folder in usage.folders[:1]]


def _as_written(fields: Sequence[Field]) -> str:
    return " ".join(map(_usual_spelling, fields))


def quoted(field: Field) -> str:
    return shlex.quote(field.text)


def _usual_spelling(field: Field) -> str:
    """Return the usual spelling of this word, without unnecessary quotes."""
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
