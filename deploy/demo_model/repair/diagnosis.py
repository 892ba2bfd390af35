"""Which tests fail on paper, and which small change makes them pass without breaking another. Pure."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from deploy.demo_model.repair.allowed import Unsupported
from deploy.demo_model.repair.candidates import Candidate, Hints, as_edit, candidates, describe, numbers_in
from deploy.demo_model.repair.interpreter import Interpreter
from deploy.demo_model.repair.scope import Scope
from deploy.demo_model.repair.source import parse

MOST_CANDIDATES: Final = 300
MOST_REPAIRS: Final = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that fails on paper; `why` is half a sentence."""

    path: str
    test: str
    why: str


@dataclass(frozen=True, slots=True)
class Repair:
    """`old` occurs once in the file; `change` says for people what becomes what."""

    path: str
    line: int
    old: str
    new: str
    change: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`unclear`: tests that could not be worked through. `repairs`: best first, each makes every clear test pass."""

    failures: tuple[Failure, ...] = ()
    passed: int = 0
    unclear: int = 0
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class _Outcome:
    path: str
    test: str
    error: Exception | None
    lines: frozenset[tuple[str, int]]

    @property
    def unclear(self) -> bool:
        return isinstance(self.error, Unsupported)

    @property
    def failed(self) -> bool:
        return self.error is not None and not self.unclear


def is_test_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def diagnose(sources: Mapping[str, str]) -> Diagnosis:
    """`sources`: the project's Python files by path; those that do not parse are left out."""
    trees = {path: tree for path, text in sources.items() if (tree := parse(text)) is not None}
    outcomes = list(_outcomes(trees))
    failed = [one for one in outcomes if one.failed]
    repairs = _repairs(sources, trees, outcomes, failed) if failed else ()
    return Diagnosis(
        failures=tuple(Failure(one.path, one.test, _why(one.error)) for one in failed),
        passed=sum(one.error is None for one in outcomes),
        unclear=sum(one.unclear for one in outcomes),
        repairs=tuple(repairs),
    )


def _repairs(
    sources: Mapping[str, str], trees: Mapping[str, ast.Module], outcomes: list[_Outcome], failed: list[_Outcome]
) -> list[Repair]:
    clear = {(one.path, one.test) for one in outcomes if not one.unclear}
    wanted = {(one.path, one.test) for one in failed}
    found: list[Repair] = []
    for candidate in _all_candidates(sources, trees, failed)[:MOST_CANDIDATES]:
        tree = parse(candidate.apply(sources[candidate.path]))
        if tree is not None and _passes({**trees, candidate.path: tree}, wanted, clear):
            found.append(_as_repair(candidate, sources[candidate.path]))
        if len(found) == MOST_REPAIRS:
            break
    return found


def _as_repair(candidate: Candidate, source: str) -> Repair:
    old, new = as_edit(source, candidate)
    return Repair(candidate.path, candidate.line, old, new, describe(candidate, source))


def _all_candidates(
    sources: Mapping[str, str], trees: Mapping[str, ast.Module], failed: list[_Outcome]
) -> list[Candidate]:
    """On the lines that the failing tests walk, outside of tests."""
    walked = set().union(*(one.lines for one in failed))
    hints = Hints(
        gaps=frozenset(gap for one in failed if (gap := _gap(one.error))),
        numbers=frozenset().union(*(numbers_in_test(trees[one.path], one.test) for one in failed)),
    )
    found: list[Candidate] = []
    for path in sorted({path for path, _ in walked if not is_test_file(path)}):
        found += candidates(path, sources[path], {line for other, line in walked if other == path}, hints)
    return sorted(found, key=lambda one: one.rank)


def numbers_in_test(tree: ast.Module, test: str) -> frozenset[int]:
    """`test` as pytest names it: function, Class::method, function[case]."""
    name = test.rpartition("::")[2].partition("[")[0]
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name)
    return frozenset().union(*map(numbers_in, functions))


def _passes(trees: Mapping[str, ast.Module], wanted: set[tuple[str, str]], clear: set[tuple[str, str]]) -> bool:
    """The failing tests first: most candidates end there."""
    return all(one.error is None for one in _outcomes(trees, wanted)) and all(
        one.error is None for one in _outcomes(trees, clear - wanted)
    )


def _outcomes(trees: Mapping[str, ast.Module], only: set[tuple[str, str]] | None = None) -> Iterator[_Outcome]:
    for path in sorted(filter(is_test_file, trees)):
        if only is None or any(path == one for one, _ in only):
            yield from _file_outcomes(trees, path, only)


def _file_outcomes(trees: Mapping[str, ast.Module], path: str, only: set[tuple[str, str]] | None) -> Iterator[_Outcome]:
    interpreter = Interpreter(trees)
    try:
        tests = list(_tests(interpreter, trees[path], interpreter.module(path)))
    except Exception as error:  # noqa: BLE001 - whatever the interpreted module raises
        reason = Unsupported(str(error))
        yield from (_Outcome(path, node.name, reason, frozenset()) for node in _test_functions(trees[path].body))
        return
    at_import = frozenset(interpreter.lines)
    for name, test in tests:
        if only is None or (path, name) in only:
            interpreter.lines = set()
            result = _try(partial(interpreter.run, test))
            yield _Outcome(path, name, result, frozenset(interpreter.lines) | at_import)


def _tests(interpreter: Interpreter, tree: ast.Module, scope: Scope) -> Iterator[tuple[str, Callable[[], Any]]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            kind = scope.names[node.name]
            for method in _test_functions(node.body):
                yield f"{node.name}::{method.name}", partial(_call_method, kind, method.name)
    for function in _test_functions(tree.body):
        yield from _cases(interpreter, function, scope)


def _cases(interpreter: Interpreter, node: ast.FunctionDef, scope: Scope) -> Iterator[tuple[str, Callable[[], Any]]]:
    function = scope.names[node.name]
    marks = [mark for mark in node.decorator_list if ast.unparse(mark).startswith("pytest.mark.parametrize(")]
    if not marks:
        yield node.name, function
        return
    call = marks[0]
    if len(marks) > 1 or not isinstance(call, ast.Call) or len(call.args) < 2:
        raise Unsupported("several parametrize marks")
    names = interpreter.evaluate(call.args[0], scope)
    keys = [key.strip() for key in names.split(",")] if isinstance(names, str) else list(names)
    for number, values in enumerate(interpreter.evaluate(call.args[1], scope)):
        row = values if len(keys) > 1 else (values,)
        yield f"{node.name}[{number}]", partial(function, **dict(zip(keys, row, strict=True)))


def _call_method(kind: Any, name: str) -> Any:
    return getattr(kind(), name)()


def _test_functions(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    return [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]


def _try(test: Callable[[], Any]) -> Exception | None:
    try:
        test()
    except Exception as error:  # noqa: BLE001 - whatever the interpreted test raises is its outcome
        return Unsupported(str(error)) if _is_fixture_error(error) else error
    return None


def _is_fixture_error(error: Exception) -> bool:
    """A test with arguments wants fixtures, which we do not have."""
    return isinstance(error, TypeError) and str(error) == "wrong arguments"


def _why(error: Exception | None) -> str:
    arguments = error.args if error else ()
    if isinstance(error, AssertionError) and len(arguments) == 3:
        expression, actual, expected = arguments
        left, equal, _ = expression.partition(" == ")
        if equal:
            return f"`{left}` gives {_short(actual)}, not {_short(expected)}"
        return f"`{expression}` does not hold for {_short(actual)} and {_short(expected)}"
    if isinstance(error, AssertionError):
        return f"`{_short(arguments[0])}` does not hold" if arguments else "an assertion does not hold"
    return f"it raises {type(error).__name__}"


def _gap(error: Exception | None) -> int:
    match error:
        case AssertionError(args=(_, int() as actual, int() as expected)):
            return abs(expected - actual)
    return 0


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
