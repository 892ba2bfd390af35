"""Walks over what a text says, in the order in which bash would run it, and records what each command touches."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tools_app.permission.shell import paths
from tools_app.permission.shell.model import Redirect
from tools_app.permission.shell.names import names
from tools_app.permission.shell.outcome import Outcome, or_not_run
from tools_app.permission.shell.record import Record, path_use
from tools_app.permission.shell.simple import SimpleCommands
from tools_app.permission.shell.state import MOST_VALUES, State, merged, without_differences
from tools_app.permission.shell.syntax import (
    Arithmetic,
    Calculation,
    Case,
    Chain,
    Condition,
    For,
    Function,
    Group,
    If,
    Node,
    Parameter,
    Part,
    Pipeline,
    Redirection,
    Script,
    Simple,
    Substitution,
    While,
    Word,
)
from tools_app.permission.shell.words import Field, Value, expand

_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
_ARITHMETIC_TESTS: Final = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_DESCRIPTOR: Final = re.compile(r"[0-9]+-?|-")
_FILE_TESTS: Final = names("-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S")
_MOST_COMBINATIONS: Final = 16
_MOST_ROUNDS: Final = 100
"""How often all loops of a text together are walked once more."""
_NUMBER: Final = re.compile(r"-?[0-9]*")


class Walk(SimpleCommands):
    """`state` is what holds where the walk is; `record` collects."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._rounds = 0

    def script(self, script: Script, state: State) -> Outcome:
        outcome = Outcome(state, state)
        ended = False
        for node, background in script.items:
            if background:
                self.run(node, state)
            else:
                outcome = self.run(node, state)
                ended = ended or (outcome.good is None and outcome.bad is None)
                state = outcome.after(state)
        if ended:
            return Outcome(None, None)
        return outcome if script.items and not script.items[-1][1] else Outcome(state, state)

    def run(self, node: Node, state: State) -> Outcome:
        step = self._steps().get(type(node))
        if step is None:
            raise TypeError(f"no way to walk {type(node).__name__}")
        return step(node, state)

    def _steps(self) -> "dict[type, Callable[..., Outcome]]":
        return {
            Simple: self._simple, Condition: self._condition, Calculation: self._calculation, Pipeline: self._pipeline,
            Chain: self._chain, Group: self._group, If: self._if, While: self._while, For: self._for, Case: self._case,
            Function: self._function,
        }  # fmt: skip

    # Structure

    def _pipeline(self, node: Pipeline, state: State) -> Outcome:
        if len(node.commands) == 1:
            outcome = self.run(node.commands[0], state)
            return Outcome(outcome.bad, outcome.good) if node.negated else outcome
        for command in node.commands:
            self.run(command, state)
        return Outcome(state, state)

    def _chain(self, node: Chain, state: State) -> Outcome:
        outcome = self.run(node.first, state)
        for operator, following in node.rest:
            start = outcome.good if operator == "&&" else outcome.bad
            second = self.run(following, start or state)
            if start is None:
                continue
            if operator == "&&":
                outcome = Outcome(second.good, merged(outcome.bad, second.bad))
            else:
                outcome = Outcome(merged(outcome.good, second.good), second.bad)
        return outcome

    def _group(self, node: Group, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        outcome = self.script(node.body, state)
        return Outcome(state, state) if node.subshell else or_not_run(outcome, node.redirections, state)

    def _if(self, node: If, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        ends: list[Outcome] = []
        current: State | None = state
        for condition, body in node.branches:
            tested = self.script(condition, current or state)
            ends.append(self.script(body, tested.good or state))
            current = tested.bad if current is not None else None
        otherwise = self.script(node.otherwise, current or state)
        if current is not None:
            ends.append(otherwise)
        return or_not_run(_any_of(ends), node.redirections, state)

    def _while(self, node: While, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        start = self._repeated(node.repeat.assigned, state, moves=node.repeat.moves)

        def once(before: State) -> Outcome:
            tested = self.script(node.condition, before)
            body = self.script(node.body, merged(tested.good, tested.bad) or before)
            return _settled(before, tested, body)

        return or_not_run(self._again_and_again(start, once), node.redirections, state)

    def _again_and_again(self, start: State, once: Callable[[State], Outcome]) -> Outcome:
        """What repeats may begin with what its last round left: it is walked until no round leaves anything new."""
        while True:
            outcome = once(start)
            weaker = without_differences(start, outcome.after(start))
            if weaker == start:
                return outcome
            self._rounds += 1
            if self._rounds > _MOST_ROUNDS:
                self.record.doubt("its loops are too entangled to follow")
                return outcome
            start = weaker

    def _repeated(self, assigned: Iterable[str], state: State, *, moves: bool) -> State:
        for name in assigned:
            state = state.assigned(name, ())
        return state.moved(()) if moves else state

    def _for(self, node: For, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        values: tuple[Value, ...] = ()
        if node.words is not None:
            fields = [each for word in node.words for each in self._fields(word, state)]
            self.list_globs(fields, state)
            values = tuple(dict.fromkeys(Value(each.text, each.pattern) for each in fields))
            if not all(each.known for each in fields):
                values = ()
        self._name_is_set(node.name)
        start = self._repeated(node.repeat.assigned, state, moves=node.repeat.moves)
        if values and not node.repeat.again and len(values) <= MOST_VALUES:
            start = start.assigned(node.name, values)

        def once(before: State) -> Outcome:
            each = before.assigned(node.name, start.variables.get(node.name, ()))
            return _settled(before, self.script(node.body, each))

        outcome = self._again_and_again(start, once)
        return or_not_run(_settled(state, outcome), node.redirections, state)

    def _case(self, node: Case, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        for word in (node.subject, *node.patterns):
            self._fields(word, state)
        ends = [Outcome(state, state)]
        current = state
        for body in node.bodies:
            ends.append(self.script(body, current))
            current = merged(current, ends[-1].after(current)) or current
        return or_not_run(_any_of([*ends, Outcome(current, current)]), node.redirections, state)

    def _function(self, node: Function, state: State) -> Outcome:
        self.record.doubt(f"it defines the function `{node.name}`, which may take the place of a command")
        self.run(node.body, state.lost())
        return Outcome(state.lost(), state.lost())

    # Commands that are no words

    def _condition(self, node: Condition, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        self.seen("[[", "[[ … ]]")
        sources = [word.source for word in node.words]
        for index, word in enumerate(node.words):
            fields = list(self._fields(word, state))
            before = sources[index - 1] if index else ""
            after = sources[index + 1] if index + 1 < len(sources) else ""
            if word.source in {"-v", "-R"} or ({before, after} & _ARITHMETIC_TESTS and not _all_numbers(fields)):
                self.record.doubt("a condition calculates with a value that is not a plain number")
            if before in _FILE_TESTS:
                for each in fields:
                    self.touch(each, "names", state)
        return Outcome(state, state)

    def _calculation(self, node: Calculation, state: State) -> Outcome:
        self._redirections(node.redirections, state)
        self._part(node.value, state)
        self.record.doubt("a calculation sets or reads variables, whose values bash would evaluate")
        return Outcome(state, state)

    # Words

    def fields_of(self, words: Sequence[Word], state: State) -> list[list[Field]]:
        """All combinations of what the words may become; none when there are too many."""
        combinations: list[list[Field]] = [[]]
        for word in words:
            self._substitutions(word.parts, state)
            found = expand(word, state.environment())
            if len(found) > 1 and len(combinations) * len(found) > _MOST_COMBINATIONS:
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
            self.script(part.script, state)
        elif isinstance(part, Arithmetic):
            self._substitutions(part.inner, state)
            if part.doubt:
                self.record.doubt(part.doubt)
            values = [state.environment().lookup(name) for name in part.names]
            if not all(found and all(_NUMBER.fullmatch(each.text) for each in found) for found in values):
                self.record.doubt("a calculation reads variables, whose values bash would evaluate")
            if any(isinstance(each, Substitution) for each in part.inner):
                self.record.doubt("a calculation reads the output of a command, which bash would evaluate")
            if any(isinstance(each, Parameter) and each.name not in "#?$!" for each in part.inner):
                self.record.doubt("a calculation reads variables, whose values bash would evaluate")
        elif isinstance(part, Parameter):
            self._substitutions(part.inner, state)
            if part.doubt:
                self.record.doubt(part.doubt)

    # Redirections

    def _redirections(self, redirections: Iterable[Redirection], state: State) -> None:
        for each in redirections:
            if each.operator in {"<<", "<<-"}:
                self._substitutions(each.body, state)
            elif each.operator == "<<<":
                list(self._fields(each.target, state))
            else:
                self._redirection(each, state)

    def _redirection(self, each: Redirection, state: State) -> None:
        mode = "write" if each.operator in _WRITES else "read"
        for target in self._fields(each.target, state):
            if each.operator in {">&", "<&"} and target.known and _DESCRIPTOR.fullmatch(target.text):
                self.record.redirects.append(Redirect(each.operator, target.text, None, mode))  # type: ignore[arg-type]
                continue
            self._redirect_to(each, target, mode, state)

    def _redirect_to(self, each: Redirection, target: Field, mode: str, state: State) -> None:
        path = None
        if not target.known or target.pattern is not None:
            self.record.doubt(f"nobody knows where `{each.operator} {each.target.source}` leads")
        elif paths.is_network(target.text):
            self.record.doubt(f"`{each.operator} {target.text}` opens a connection")
        elif not state.folders and not target.text.startswith("/"):
            self.record.doubt("the folder is not known when a file is opened")
        else:
            for folder in state.folders or ("/",):
                path = paths.join(folder, target.text)
                if not paths.is_device(path):
                    self.record.path(path_use(path, mode))  # type: ignore[arg-type]
        self.record.redirects.append(Redirect(each.operator, target.text, path, mode))  # type: ignore[arg-type]


def _any_of(outcomes: Sequence[Outcome]) -> Outcome:
    good: State | None = None
    bad: State | None = None
    for outcome in outcomes:
        good, bad = merged(good, outcome.good), merged(bad, outcome.bad)
    return Outcome(good, bad)


def _settled(start: State, *outcomes: Outcome) -> Outcome:
    end: State | None = start
    for outcome in outcomes:
        end = merged(end, merged(outcome.good, outcome.bad))
    return Outcome(end, end)


def _all_numbers(fields: Sequence[Field]) -> bool:
    return all((each.number or each.known) and _NUMBER.fullmatch(each.text) for each in fields)
