"""ScriptWalker: walks a syntax tree in the order of execution and records what each command touches."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.conditions import FILE_COMPARISONS, FILE_TESTS, doubts_of_test
from tools_app.permission.shell.model import Mode, PathUse, Redirect
from tools_app.permission.shell.outcome import ExitStates, or_not_run
from tools_app.permission.shell.record import Record, may_be_code_file
from tools_app.permission.shell.simple import SimpleCommandWalker
from tools_app.permission.shell.state import MAX_VALUES, State, merged, without_differences
from tools_app.permission.shell.syntax import (
    Arithmetic,
    Calculation,
    Case,
    Chain,
    CommandGroup,
    Condition,
    For,
    Function,
    If,
    Node,
    Parameter,
    Part,
    Pipeline,
    Redirection,
    Script,
    SimpleCommand,
    Substitution,
    While,
    Word,
)
from tools_app.permission.shell.words import Field, Value, expand, values_of

_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_DESCRIPTOR: Final = re.compile(r"[0-9]+-?|-")
_MAX_COMBINATIONS: Final = 16  # of the values of variables in one command
_MAX_LOOP_PASSES: Final = 100
"""Additional passes over loop bodies, for all loops of a text together."""
_PASSING: Final = (SimpleCommand, Pipeline, While, For)
"""Constructs in which one command may run the output of another one, or a here-document."""
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,15})")


class ScriptWalker(SimpleCommandWalker):
    """Walker for all syntax nodes. Methods take the state before a node and return the states after it."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._loop_passes = 0
        self._loops = 0
        self._left: State | None = None
        """The known state if `break` or `continue` leaves one of the loops around the current node."""

    def script(self, script: Script, state: State) -> ExitStates:
        outcome = ExitStates(state, state)
        ended = False
        for node, background in script.items:
            if background:
                self.run(node, state)
            else:
                outcome = self.run(node, state)
                ended = ended or (outcome.success is None and outcome.failure is None)
                state = outcome.after(state)
        if ended:
            return ExitStates(None, None)
        return outcome if script.items and not script.items[-1][1] else ExitStates(state, state)

    def run(self, node: Node, state: State) -> ExitStates:
        step = self._steps().get(type(node))
        if step is None:
            raise TypeError(f"ScriptWalker does not support {type(node).__name__}")
        doubts, printed = self.record.doubts, len(self.record.printed)
        outcome = step(node, state)
        if self.record.doubts > doubts and len(self.record.printed) > printed and isinstance(node, _PASSING):
            self.record.code(self.record.printed[printed:], state.folders)
        return outcome

    def _steps(self) -> "dict[type, Callable[..., ExitStates]]":
        return {
            SimpleCommand: self._simple, Condition: self._condition, Calculation: self._calculation,
            Pipeline: self._pipeline, Chain: self._chain, CommandGroup: self._group, If: self._if, While: self._while,
            For: self._for, Case: self._case, Function: self._function,
        }  # fmt: skip

    # Structure

    def _pipeline(self, node: Pipeline, state: State) -> ExitStates:
        if len(node.commands) == 1:
            outcome = self.run(node.commands[0], state)
            return ExitStates(outcome.failure, outcome.success) if node.negated else outcome
        piped, texts, printed = self.record.piped, self.record.input_texts, len(self.record.printed)
        for command in node.commands:
            mark = self.record.mark()
            self.record.input_texts = (*texts, *self.record.printed[printed:])
            inserted = self.record.inserted
            if isinstance(command, While):
                self.record.inserted = (*inserted, *self.record.piped)
            self.run(command, state)
            self.record.inserted = inserted
            # Each program may pass on the names that it gets: without this, they double with each one.
            self.record.piped = tuple(dict.fromkeys((*self.record.piped, *self.record.names_since(mark))))
        self.record.piped, self.record.input_texts = piped, texts
        return ExitStates(state, state)

    def _chain(self, node: Chain, state: State) -> ExitStates:
        outcome = self.run(node.first, state)
        for operator, following in node.rest:
            start = outcome.success if operator == "&&" else outcome.failure
            second = self.run(following, start or state)
            if start is None:
                continue
            if operator == "&&":
                outcome = ExitStates(second.success, merged(outcome.failure, second.failure))
            else:
                outcome = ExitStates(merged(outcome.success, second.success), second.failure)
        return outcome

    def _group(self, node: CommandGroup, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        outcome = self.script(node.body, state)
        self._write_printed(node.redirections)
        return ExitStates(state, state) if node.subshell else or_not_run(outcome, node.redirections, state)

    def _if(self, node: If, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        ends: list[ExitStates] = []
        current: State | None = state
        for condition, body in node.branches:
            tested = self.script(condition, current or state)
            ends.append(self.script(body, tested.success or state))
            current = tested.failure if current is not None else None
        otherwise = self.script(node.otherwise, current or state)
        if current is not None:
            ends.append(otherwise)
        return or_not_run(_any_of(ends), node.redirections, state)

    def _while(self, node: While, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        start = self._repeated(node.repeat.assigned, state, moves=node.repeat.moves)

        def once(before: State) -> ExitStates:
            tested = self.script(node.condition, before)
            body = self.script(node.body, merged(tested.success, tested.failure) or before)
            return _settled(before, tested, body)

        outcome = self._loop(start, once)
        self._write_printed(node.redirections)
        return or_not_run(outcome, node.redirections, state)

    def leave_loop(self, state: State) -> None:
        if self._loops:
            self._left = merged(self._left, state)

    def _loop(self, start: State, once: Callable[[State], ExitStates]) -> ExitStates:
        """Walk a loop. `break 2` leaves two loops, so the state at a `break` matters to all loops that it leaves."""
        self._loops += 1
        outcome = self._until_stable(start, lambda before: _settled(before, once(before), self._left_loop()))
        self._loops -= 1
        if not self._loops:
            self._left = None
        return outcome

    def _left_loop(self) -> ExitStates:
        return ExitStates(self._left, self._left)

    def _until_stable(self, start: State, once: Callable[[State], ExitStates]) -> ExitStates:
        """Walk a loop until another pass would not change the state. Each pass starts with the state after the previous
        one."""
        while True:
            outcome = once(start)
            weaker = without_differences(start, outcome.after(start))
            if weaker == start:
                return outcome
            self._loop_passes += 1
            if self._loop_passes > _MAX_LOOP_PASSES:
                self.record.doubt("its loops are too entangled to follow")
                return outcome
            start = weaker

    def _repeated(self, assigned: Iterable[str], state: State, *, moves: bool) -> State:
        for name in assigned:
            state = state.assigned(name, ())
        return state.in_folders(()) if moves else state

    def _for(self, node: For, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        inserted = self.record.inserted
        values: tuple[Value, ...] = ()
        self.record.guessed_values[node.name] = self.record.guessed_values.get("@", "")
        if node.words is not None:
            fields = [each for word in node.words for each in self._fields(word, state)]
            self.list_globs(fields, state)
            self._insert_globs(fields, state)
            self.evaluate_elements((each.text for each in fields), state)
            values = values_of(fields)
        self._name_is_set(node.name)
        start = self._repeated(node.repeat.assigned, state, moves=node.repeat.moves)
        if values and not node.repeat.again and len(values) <= MAX_VALUES:
            start = start.assigned(node.name, values)

        def once(before: State) -> ExitStates:
            each = before.assigned(node.name, start.variables.get(node.name, ()))
            return _settled(before, self.script(node.body, each))

        outcome = self._loop(start, once)
        self.record.inserted = inserted
        self._write_printed(node.redirections)
        return or_not_run(_settled(state, outcome), node.redirections, state)

    def _insert_globs(self, fields: Iterable[Field], state: State) -> None:
        """Record the files that a loop processes because a glob in its words matches their names."""
        mark = self.record.mark()
        for each in fields:
            if each.pattern is not None:
                self._print_names([each], state)
        self.record.inserted = (*self.record.inserted, *self.record.names_since(mark))

    def _case(self, node: Case, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        for word in (node.subject, *node.patterns):
            self._fields(word, state)
        ends = [ExitStates(state, state)]
        current = state
        for body in node.bodies:
            ends.append(self.script(body, current))
            current = merged(current, ends[-1].after(current)) or current
        return or_not_run(_any_of([*ends, ExitStates(current, current)]), node.redirections, state)

    def _function(self, node: Function, state: State) -> ExitStates:
        self.record.doubt(f"the command defines the function `{node.name}`, which may replace a program")
        self.run(node.body, state.unknown())
        self._functions[node.name] = node.body
        return ExitStates(state.unknown(), state.unknown())

    # Conditions and arithmetic commands

    def _condition(self, node: Condition, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        self.record_construct("[[", "[[ … ]]")
        for test in node.tests:
            operands = [list(self._fields(word, state)) for word in test.operands]
            for doubt in doubts_of_test(test, operands):
                self.record.doubt(doubt)
                for each in (each for fields in operands for each in fields):
                    self.evaluate_subscript(each.text, state)
            if test.operator in FILE_TESTS | FILE_COMPARISONS:
                for each in (each for fields in operands for each in fields):
                    self.touch(each, "names", state)
        return ExitStates(state, state)

    def _calculation(self, node: Calculation, state: State) -> ExitStates:
        self._redirections(node.redirections, state)
        self._part(node.value, state)
        self.record.doubt("an arithmetic expression sets or reads variables, whose values bash would evaluate")
        return ExitStates(state, state)

    # Words

    def fields_of(self, words: Sequence[Word], state: State) -> list[list[Field]]:
        """Return all combinations of the possible expansions of the words. If there are too many, words count as
        unknown."""
        combinations: list[list[Field]] = [[]]
        for word in words:
            self._substitutions(word.parts, state)
            found = expand(word, state.environment())
            if len(found) > 1 and len(combinations) * len(found) > _MAX_COMBINATIONS:
                found = [(Field(word.source, known=False, split=True, source=word.source),)]
            if len(found) == 1:
                for each in combinations:
                    each.extend(found[0])
            else:
                combinations = [[*each, *fields] for each in combinations for fields in found]
        return combinations

    def _fields(self, word: Word, state: State) -> Iterable[Field]:
        self._substitutions(word.parts, state)
        return [each for fields in expand(word, state.environment()) for each in fields]

    def _substitutions(self, parts: Iterable[Part], state: State) -> None:
        for part in parts:
            self._part(part, state)

    def _part(self, part: Part, state: State) -> None:
        if isinstance(part, Substitution):
            mark, printed = self.record.mark(), len(self.record.printed)
            self.script(part.script, state)
            self.record.inserted = (*self.record.inserted, *self.record.names_since(mark))
            if part.process == "<":  # a program that gets its name may read it like its input
                self.record.input_texts = (*self.record.input_texts, *self.record.printed[printed:])
        elif isinstance(part, Arithmetic):
            self._substitutions(part.inner, state)
            if part.doubt:
                self.record.doubt(part.doubt)
            values = [state.environment().lookup(name) for name in part.names]
            if not all(found and all(_NUMBER.fullmatch(each.text) for each in found) for found in values):
                self.record.doubt("an arithmetic expression reads variables, whose values bash would evaluate")
            if any(isinstance(each, Substitution) for each in part.inner):
                self.record.doubt("an arithmetic expression contains a command's output, which bash would evaluate")
            if any(isinstance(each, Parameter) and each.name not in "#?$!" for each in part.inner):
                self.record.doubt("an arithmetic expression reads variables, whose values bash would evaluate")
        elif isinstance(part, Parameter):
            self._substitutions(part.inner, state)
            if part.doubt:
                self.record.doubt(part.doubt)

    # Redirections

    def _write_printed(self, redirections: Iterable[Redirection]) -> None:
        """Record that the output of commands inside a construct may be written into a file."""
        if any(each.operator in _WRITES and may_be_code_file(each.target.source) for each in redirections):
            self.record.writers.setdefault(self.record.number)

    def _redirections(self, redirections: Iterable[Redirection], state: State) -> None:
        for each in redirections:
            if each.operator in {"<<", "<<-"}:
                self.record.prints(each.body_text)
                self._substitutions(each.body, state)
            elif each.operator == "<<<":
                for field in self._fields(each.target, state):
                    self.record.prints(field.text)
                    self.evaluate_elements([field.text], state)
            else:
                self._redirection(each, state)

    def _redirection(self, each: Redirection, state: State) -> None:
        mode: Mode = "write" if each.operator in _WRITES else "read"
        for target in self._fields(each.target, state):
            if each.operator in {">&", "<&"} and target.known and _DESCRIPTOR.fullmatch(target.text):
                self.record.redirects.append(Redirect(each.operator, target.text, None, mode))
                continue
            if each.operator == "<>":
                self.touch(target, "read", state)
            self._redirect_to(each, target, mode, state)

    def _redirect_to(self, each: Redirection, target: Field, mode: Mode, state: State) -> None:
        path = None
        text = target.text if target.known else each.target.source
        if not target.known or target.pattern is not None:
            self.record.doubt(f"the target of `{each.operator} {each.target.source}` is not known")
            self.touch(target, mode, state)
        elif paths.is_network(target.text):
            self.record.doubt(f"`{each.operator} {target.text}` opens a network connection")
        elif not state.folders and not target.text.startswith("/"):
            self.record.doubt("the working directory is not known when a file is opened")
            self.record.path(PathUse(paths.join(self.record.start, target.text), mode, opened=True))
        else:
            for folder in state.folders or ("/",):
                path = paths.join(folder, target.text)
                if not (paths.is_device(path) or self.is_through_process(path, mode)):
                    self.record.path(PathUse(path, mode, opened=True))
        self.record.redirects.append(Redirect(each.operator, text, path, mode))


def _any_of(outcomes: Sequence[ExitStates]) -> ExitStates:
    success: State | None = None
    failure: State | None = None
    for outcome in outcomes:
        success, failure = merged(success, outcome.success), merged(failure, outcome.failure)
    return ExitStates(success, failure)


def _settled(start: State, *outcomes: ExitStates) -> ExitStates:
    end: State | None = start
    for outcome in outcomes:
        end = merged(end, merged(outcome.success, outcome.failure))
    return ExitStates(end, end)
