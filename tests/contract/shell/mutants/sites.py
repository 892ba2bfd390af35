"""A copy of the analysis in which each mutation site can be switched off: `keeps(site)` is false for the site that is
left out.

A site is a statement that rejects a text as not understood, a statement that records paths or programs of a command,
or one alternative of a condition (`a or b`). A programmer could have forgotten each of them.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Final

PACKAGE: Final = "tools_app.permission.shell"
REFUSAL: Final = "Unreadable"
NOTES: Final = frozenset(
    {
        "doubt", "touch", "path", "link", "run", "nested", "list_globs", "only_names", "command", "check_links",
        "check_runs", "_substitutions", "_substitutions_of", "_redirections", "_name_is_set", "_assignments_before",
        "_may_link", "_runs_file", "_touch_path_like", "_check_doubtful", "_open",
    }
)  # fmt: skip
"""Functions that record something."""
LISTS: Final = frozenset(
    {"paths", "doubts", "links", "texts", "inner", "folders", "runs", "loose", "commands", "options"}
)
MOST_SHOWN: Final = 70  # characters of the source in a site's name


@dataclass(slots=True)
class Mutants:
    """An imported copy of the analysis, its mutation sites, and the site that is currently left out."""

    analyze: Callable[..., object] = field(default=print)
    modules: list[ModuleType] = field(default_factory=list)
    sites: dict[str, None] = field(default_factory=dict)
    left_out: str = ""
    reached: set[str] = field(default_factory=set)

    def keeps(self, site: str) -> bool:
        self.reached.add(site)
        return site != self.left_out


def load() -> Mutants:
    """Import a second copy of the shell analysis in which each mutation site can be switched off. The modules that are
    already imported stay unchanged."""
    made = Mutants()
    with _without_package():
        sys.meta_path.insert(0, _Finder(made))
        try:
            package = __import__(PACKAGE, fromlist=["analyze"])
            made.analyze = package.analyze
            made.modules = [module for name, module in sys.modules.items() if name.startswith(PACKAGE)]
        finally:
            del sys.meta_path[0]
    return made


@contextmanager
def _without_package() -> Iterator[None]:
    own = {name: module for name, module in sys.modules.items() if name == PACKAGE or name.startswith(f"{PACKAGE}.")}
    for name in own:
        del sys.modules[name]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name == PACKAGE or name.startswith(f"{PACKAGE}.")]:
            del sys.modules[name]
        sys.modules.update(own)


class _Finder(MetaPathFinder):
    def __init__(self, mutants: Mutants) -> None:
        self._mutants = mutants

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path, target) if name.startswith(PACKAGE) else None  # type: ignore[arg-type]
        if found is None or found.origin is None:
            return None
        loader = _Loader(name, found.origin, self._mutants)
        return spec_from_loader(name, loader, is_package=found.submodule_search_locations is not None)


class _Loader(SourceLoader):
    def __init__(self, name: str, path: str, mutants: Mutants) -> None:
        self._name, self._path, self._mutants = name, path, mutants

    def get_filename(self, fullname: str) -> str:
        return self._path

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def get_code(self, fullname: str) -> "object":  # type: ignore[override]
        tree = ast.parse(Path(self._path).read_bytes())
        marker = _Marker(self._name.rpartition(".")[2], self._mutants.sites)
        return compile(ast.fix_missing_locations(marker.visit(tree)), self._path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["_keeps"] = self._mutants.keeps
        super().exec_module(module)


class _Marker(ast.NodeTransformer):
    """A transformer that makes each mutation site depend on a call of `keeps`."""

    def __init__(self, module: str, sites: dict[str, None]) -> None:
        self._where = [module]
        self._sites = sites

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._where.append(node.name)
        self.generic_visit(node)
        self._where.pop()
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if node.exc is None or REFUSAL not in ast.unparse(node.exc):
            return node
        return ast.If(self._kept(node), [node], [])

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        if not _records(node.value):
            return self.generic_visit(node)
        kept = self._kept(node)
        return ast.If(kept, [self.generic_visit(node)], [])  # type: ignore[list-item]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not (isinstance(node.target, ast.Attribute) and node.target.attr in LISTS):
            return self.generic_visit(node)
        return ast.If(self._kept(node), [node], [])

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if not (
            isinstance(node.value, ast.Call) and _records(node.value) and isinstance(node.value.func, ast.Attribute)
        ):
            return self.generic_visit(node)
        return ast.Return(ast.IfExp(self._kept(node), node.value, node.value.func.value))

    def visit_If(self, node: ast.If) -> ast.AST:
        for each in ast.walk(node.test):
            if isinstance(each, ast.BoolOp) and isinstance(each.op, ast.Or):
                each.values = [ast.BoolOp(ast.And(), [self._kept(one, "or"), one]) for one in each.values]
        return self.generic_visit(node)

    def _kept(self, node: ast.AST, kind: str = "") -> ast.expr:
        source = " ".join(ast.unparse(node).split())[:MOST_SHOWN]
        name = f"{'.'.join(self._where)}: {kind} {source}".replace(":  ", ": ")
        number = 2
        while name in self._sites:
            name = f"{name.removesuffix(f' #{number - 1}')} #{number}"
            number += 1
        self._sites[name] = None
        return ast.Call(ast.Name("_keeps", ast.Load()), [ast.Constant(name)], [])


def _records(call: ast.expr) -> bool:
    if not isinstance(call, ast.Call):
        return False
    function = call.func
    if isinstance(function, ast.Name):
        return function.id in NOTES
    if not isinstance(function, ast.Attribute):
        return False
    if function.attr in {"append", "extend", "setdefault"}:
        return isinstance(function.value, ast.Attribute) and function.value.attr in LISTS
    return function.attr in NOTES
