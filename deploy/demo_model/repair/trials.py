"""Candidates for a program that cannot be worked through on paper: one after another, judged by pytest. Pure."""

import ast
import re
from collections.abc import Mapping
from typing import Final

from deploy.demo_model.outputs import TestRun
from deploy.demo_model.repair.candidates import Hints, as_edit, candidates, describe
from deploy.demo_model.repair.diagnosis import Repair, is_test_file
from deploy.demo_model.repair.source import parse

MOST_TRIALS: Final = 6
PLACE: Final = re.compile(r"^(?:/workspace/)?([\w./-]+\.py):(\d+): ", re.MULTILINE)
UNEQUAL: Final = re.compile(r"assert (-?\d+) == (-?\d+)")


def trials(sources: Mapping[str, str], run: TestRun) -> list[Repair]:
    """Changes in the functions that the failing tests call, and on the lines of the traceback; most likely first."""
    gaps = frozenset(abs(int(left) - int(right)) for left, right in UNEQUAL.findall(run.output)) - {0}
    suspects = _called_lines(sources, run)
    for path, line in PLACE.findall(run.output):
        if path in sources and not is_test_file(path):
            suspects.setdefault(path, set()).add(int(line))
    found = [
        (candidate.rank, Repair(path, candidate.line, *as_edit(text, candidate), describe(candidate, text)))
        for path, lines in sorted(suspects.items())
        if (text := sources[path])
        for candidate in candidates(path, text, lines, Hints(gaps))
    ]
    return [repair for _, repair in sorted(found, key=lambda one: one[0])][:MOST_TRIALS]


def _called_lines(sources: Mapping[str, str], run: TestRun) -> dict[str, set[int]]:
    """Lines of functions and methods whose names the failing tests mention."""
    trees = {path: tree for path, text in sources.items() if (tree := parse(text)) is not None}
    names = {name for path, test in run.failing if path in trees for name in _mentions(trees[path], test)}
    lines: dict[str, set[int]] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name in names and not is_test_file(path):
                lines.setdefault(path, set()).update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def _mentions(tree: ast.Module, test: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == test:
            found |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            found |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    return found
