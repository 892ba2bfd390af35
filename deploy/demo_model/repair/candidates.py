"""Small changes that could be the repair, most likely first. Pure: text in, text out."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SWAPS: Final[Mapping[type[ast.AST], Sequence[tuple[str, str, int]]]] = {
    ast.Gt: [(">", ">=", 0), (">", "<", 3), (">", "<=", 4)],
    ast.GtE: [(">=", ">", 0), (">=", "<=", 3), (">=", "<", 4)],
    ast.Lt: [("<", "<=", 0), ("<", ">", 3), ("<", ">=", 4)],
    ast.LtE: [("<=", "<", 0), ("<=", ">=", 3), ("<=", ">", 4)],
    ast.Eq: [("==", "!=", 2)],
    ast.NotEq: [("!=", "==", 2)],
    ast.In: [("in", "not in", 3)],
    ast.NotIn: [("not in", "in", 3)],
    ast.Add: [("+", "-", 1), ("+", "*", 4)],
    ast.Sub: [("-", "+", 1), ("-", "*", 4)],
    ast.Mult: [("*", "/", 2), ("*", "//", 2), ("*", "+", 4)],
    ast.Div: [("/", "*", 2), ("/", "//", 2)],
    ast.FloorDiv: [("//", "/", 2), ("//", "*", 3), ("//", "%", 3)],
    ast.Mod: [("%", "//", 3)],
    ast.And: [("and", "or", 2)],
    ast.Or: [("or", "and", 2)],
}
TWINS: Final[Mapping[str, str]] = {
    one: other
    for pair in (
        ("min", "max"), ("upper", "lower"), ("startswith", "endswith"), ("lstrip", "rstrip"), ("keys", "values"),
        ("any", "all"), ("ceil", "floor"), ("append", "extend"), ("find", "rfind"), ("True", "False"), ("pop", "get"),
    )
    for one, other in (pair, pair[::-1])
}  # fmt: skip
OFF_BY_ONE: Final = 2
OTHER_NUMBER: Final = 5
OTHER_NAME: Final = 6
NEGATION: Final = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """Replace `before` (at `start` in the file's text) by `after`. A lower `rank` is more likely."""

    path: str
    line: int
    start: int
    before: str
    after: str
    rank: int

    def apply(self, source: str) -> str:
        return source[: self.start] + self.after + source[self.start + len(self.before) :]


@dataclass(frozen=True, slots=True)
class Hints:
    """What failing tests say about numbers: by how much results miss (`gaps`), and which they mention (`numbers`)."""

    gaps: frozenset[int] = frozenset()
    numbers: frozenset[int] = frozenset()

    def instead_of(self, number: int) -> list[int]:
        near = [other for gap in sorted(self.gaps) for other in (number + gap, number - gap)]
        return [other for other in dict.fromkeys([*near, *sorted(self.numbers)]) if other != number]


def numbers_in(tree: ast.AST) -> frozenset[int]:
    return frozenset(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is int
    )


def candidates(path: str, source: str, lines: Collection[int], hints: Hints) -> list[Candidate]:
    """Changes on the given lines."""
    finder = _Finder(path, source)
    found: list[Candidate] = []
    for node in ast.walk(ast.parse(source)):
        if getattr(node, "lineno", None) in lines:
            found.extend(finder.changes(node, hints))
    found.extend(finder.other_names(lines))
    return sorted(found, key=lambda one: (one.rank, one.line))


class _Finder:
    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._source = source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def changes(self, node: ast.AST, hints: Hints) -> Iterator[Candidate]:
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                yield from self._between([left, *others], ops)
            case ast.BinOp(left=left, op=operation, right=right):
                yield from self._between([left, right], [operation])
            case ast.BoolOp(op=operation, values=values):
                yield from self._between(values, [operation] * (len(values) - 1))
            case ast.AugAssign(target=target, op=operation, value=value):
                yield from self._between([target, value], [operation])
            case ast.Constant(value=bool()) | ast.Name() | ast.Attribute():
                yield from self._twin(node)
            case ast.Constant(value=int() as number):
                yield from self._numbers(node, number, hints)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._change(node, self._text(operand), NEGATION)
            case ast.If(test=test):
                yield self._change(test, f"not ({self._text(test)})", NEGATION)
            case _:
                yield from self._off_by_one(_counted(node))

    def other_names(self, lines: Collection[int]) -> Iterator[Candidate]:
        """One name of a function taken for another of its own names."""
        for function in ast.walk(ast.parse(self._source)):
            if isinstance(function, ast.FunctionDef):
                own = _own_names(function)
                uses = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id in own and n.lineno in lines]
                loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
                yield from (self._change(use, name, OTHER_NAME) for use in loads for name in own if name != use.id)

    def _between(self, parts: Sequence[ast.expr], operations: Sequence[ast.AST]) -> Iterator[Candidate]:
        for left, operation, right in zip(parts, operations, parts[1:], strict=False):
            start, end = self._span(left)[1], self._span(right)[0]
            for old, new, rank in SWAPS.get(type(operation), ()):
                if (place := self._source.find(old, start, end)) >= 0:
                    yield Candidate(self._path, left.end_lineno or left.lineno, place, old, new, rank)

    def _twin(self, node: ast.expr) -> Iterator[Candidate]:
        text = self._text(node)
        head, dot, name = text.rpartition(".")
        if name in TWINS:
            yield self._change(node, f"{head}{dot}{TWINS[name]}", OFF_BY_ONE)

    def _numbers(self, node: ast.Constant, number: int, hints: Hints) -> Iterator[Candidate]:
        for other in (number + 1, number - 1):
            yield self._change(node, str(other), OFF_BY_ONE)
        yield from (self._change(node, str(other), OTHER_NUMBER) for other in hints.instead_of(number))

    def _off_by_one(self, arguments: Sequence[ast.expr]) -> Iterator[Candidate]:
        for one in arguments:
            if not isinstance(one, ast.Constant | ast.Starred):
                yield self._change(one, f"{self._text(one)} + 1", OFF_BY_ONE)
                yield self._change(one, f"{self._text(one)} - 1", OFF_BY_ONE)

    def _change(self, node: ast.expr, after: str, rank: int) -> Candidate:
        start, end = self._span(node)
        return Candidate(self._path, node.lineno, start, self._source[start:end], after, rank)

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _span(self, node: ast.expr) -> tuple[int, int]:
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._offset(node.lineno, node.col_offset), self._offset(end_line, end_column)

    def _offset(self, line: int, column: int) -> int:
        """Syntax trees count UTF-8 bytes; we count characters."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode(errors="ignore"))


def _counted(node: ast.AST) -> Sequence[ast.expr]:
    """Expressions that count or point: bounds of a range, an index."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=arguments):
            return arguments
        case ast.Subscript(slice=index) if not isinstance(index, ast.Slice | ast.Tuple):
            return [index]
    return []


def _own_names(function: ast.FunctionDef) -> list[str]:
    arguments = [one.arg for one in function.args.args if one.arg != "self"]
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys([*arguments, *stored]))


def as_edit(source: str, candidate: Candidate) -> tuple[str, str]:
    """(old, new) texts of whole lines that are found exactly once in the source."""
    changed = candidate.apply(source)
    old_lines, new_lines = source.splitlines(keepends=True), changed.splitlines(keepends=True)
    first = source.count("\n", 0, candidate.start)
    last = first + candidate.before.count("\n") + 1
    grown = len(new_lines) - len(old_lines)
    while source.count("".join(old_lines[first:last])) > 1 and (first > 0 or last < len(old_lines)):
        first, last = max(0, first - 1), min(len(old_lines), last + 1)
    return "".join(old_lines[first:last]).rstrip("\n"), "".join(new_lines[first : last + grown]).rstrip("\n")


def describe(candidate: Candidate, source: str) -> str:
    """What changes, for people: `quantity > 10` becomes `quantity >= 10`."""
    number = candidate.line - 1
    old, new = source.splitlines()[number], candidate.apply(source).splitlines()[number]
    return f"`{_tidy(old)}` becomes `{_tidy(new)}`"


def _tidy(line: str) -> str:
    return re.sub(r"\s+", " ", line.strip())
