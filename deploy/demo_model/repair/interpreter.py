"""A walker of syntax trees that knows enough of Python to work through small programs and their tests.

Interpreted classes become real classes whose methods call back into the walker, so instances, properties, data classes
and exceptions behave as usual. Everything it does not know raises Unsupported.
"""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from deploy.demo_model.repair.allowed import KNOWN_MODULES, Raises, Unknown, Unsupported, words
from deploy.demo_model.repair.expressions import Expressions
from deploy.demo_model.repair.scope import Scope

STEP_LIMIT: Final = 60_000
DEPTH_LIMIT: Final = 30
SPECIAL_METHODS: Final = words(
    "__init__ __post_init__ __len__ __iter__ __contains__ __getitem__ __setitem__ __eq__ __lt__ __le__ __gt__ __ge__"
    " __add__ __sub__ __mul__ __bool__ __str__ __repr__ __hash__ __call__ __neg__"
)


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class Interpreter(Expressions):
    """One program: its sources by path. `lines` collects the (path, line) pairs that were walked."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees
        self._paths = {module_name(path): path for path in trees}
        self._modules: dict[str, Scope] = {}
        self._steps = 0
        self._depth = 0
        self.lines: set[tuple[str, int]] = set()

    def module(self, path: str) -> Scope:
        """The module's names after its top level was walked."""
        if path not in self._modules:
            scope = self._modules[path] = Scope(path)
            self._block(self._trees[path].body, scope)
        return self._modules[path]

    def run(self, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Calls an interpreted function with a fresh budget of steps."""
        self._steps = self._depth = 0
        try:
            return function(*arguments, **named)
        except RecursionError:
            raise Unsupported("very deep recursion") from None

    def tick(self, node: ast.AST, scope: Scope) -> None:
        self._steps += 1
        if self._steps > STEP_LIMIT:
            raise Unsupported("it takes too many steps")
        if isinstance(node, ast.stmt):
            self.lines.add((scope.path, node.lineno))

    def _block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self.tick(statement, scope)
            walk = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if walk is None:
                raise Unsupported(f"a {type(statement).__name__} statement")
            walk(statement, scope)

    def _expr(self, node: ast.Expr, scope: Scope) -> None:
        self.evaluate(node.value, scope)

    def _pass(self, _node: ast.Pass, _scope: Scope) -> None:
        return

    def _break(self, _node: ast.Break, _scope: Scope) -> None:
        raise _Break

    def _continue(self, _node: ast.Continue, _scope: Scope) -> None:
        raise _Continue

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise _Return(self.evaluate(node.value, scope) if node.value else None)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.evaluate(node.value, scope)
        for target in node.targets:
            self.bind(target, value, scope)

    def _annassign(self, node: ast.AnnAssign, scope: Scope) -> None:
        if isinstance(node.target, ast.Name):
            scope.annotations[node.target.id] = None
        if node.value is not None:
            self.bind(node.target, self.evaluate(node.value, scope), scope)

    def _augassign(self, node: ast.AugAssign, scope: Scope) -> None:
        old = self.evaluate(as_load(node.target), scope)
        self.bind(node.target, self.binary(node.op, old, self.evaluate(node.value, scope)), scope)

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                raise Unsupported("del of a name")
            del self.evaluate(target.value, scope)[self.evaluate(target.slice, scope)]

    def _if(self, node: ast.If, scope: Scope) -> None:
        self._block(node.body if self.evaluate(node.test, scope) else node.orelse, scope)

    def _while(self, node: ast.While, scope: Scope) -> None:
        while self.evaluate(node.test, scope):
            try:
                self._block(node.body, scope)
            except _Break:
                return
            except _Continue:
                continue
        self._block(node.orelse, scope)

    def _for(self, node: ast.For, scope: Scope) -> None:
        for value in self.iterate(self.evaluate(node.iter, scope)):
            self.bind(node.target, value, scope)
            try:
                self._block(node.body, scope)
            except _Break:
                return
            except _Continue:
                continue
        self._block(node.orelse, scope)

    def _assert(self, node: ast.Assert, scope: Scope) -> None:
        if not self.evaluate(node.test, scope):
            raise AssertionError(*self._compared(node.test, scope))

    def _compared(self, test: ast.expr, scope: Scope) -> tuple[Any, ...]:
        """(expression, actual, expected) of a failed `assert actual == expected`."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return (ast.unparse(test),)
        return ast.unparse(test), self.evaluate(test.left, scope), self.evaluate(test.comparators[0], scope)

    def _raise(self, node: ast.Raise, scope: Scope) -> None:
        if node.exc is None:
            raise Unsupported("raise without an exception")
        error = self.evaluate(node.exc, scope)
        if not (isinstance(error, Exception) or (isinstance(error, type) and issubclass(error, Exception))):
            raise Unsupported("raise of something that is no exception")
        raise error

    def _try(self, node: ast.Try, scope: Scope) -> None:
        try:
            self._block(node.body, scope)
        except (Unsupported, _Return, _Break, _Continue):
            raise
        except Exception as error:
            handler = self._handler_for(node, error, scope)
            if handler is None:
                raise
            if handler.name:
                scope.names[handler.name] = error
            self._block(handler.body, scope)
        else:
            self._block(node.orelse, scope)
        finally:
            self._block(node.finalbody, scope)

    def _handler_for(self, node: ast.Try, error: Exception, scope: Scope) -> ast.ExceptHandler | None:
        for handler in node.handlers:
            if handler.type is None or isinstance(error, self.evaluate(handler.type, scope)):
                return handler
        return None

    def _with(self, node: ast.With, scope: Scope) -> None:
        manager = self.evaluate(node.items[0].context_expr, scope)
        if len(node.items) != 1 or not isinstance(manager, Raises) or manager.match or node.items[0].optional_vars:
            raise Unsupported("a with statement")
        try:
            self._block(node.body, scope)
        except manager.kinds:
            return
        raise AssertionError("DID NOT RAISE")

    def _functiondef(self, node: ast.FunctionDef, scope: Scope) -> None:
        scope.names[node.name] = self._decorated(node, self.function(node, scope), scope)

    def function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Callable[..., Any]:
        defaults = [self.evaluate(value, scope) for value in node.args.defaults]
        keyword_defaults = [value and self.evaluate(value, scope) for value in node.args.kw_defaults]

        def interpreted(*arguments: Any, **named: Any) -> Any:
            inner = Scope(scope.path, parent=scope)
            inner.bind_arguments(node.args, arguments, named, defaults, keyword_defaults)
            self._depth += 1
            try:
                if self._depth > DEPTH_LIMIT:
                    raise Unsupported("very deep recursion")
                return self._body(node, inner)
            finally:
                self._depth -= 1

        return interpreted

    def _body(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Any:
        if isinstance(node, ast.Lambda):
            return self.evaluate(node.body, scope)
        if any(isinstance(one, ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal) for one in ast.walk(node)):
            raise Unsupported("a generator, or a global")
        try:
            self._block(node.body, scope)
        except _Return as result:
            return result.value
        return None

    def _classdef(self, node: ast.ClassDef, scope: Scope) -> None:
        inner = Scope(scope.path, parent=scope, is_class=True)
        self._block(node.body, inner)
        bases = tuple(self.evaluate(base, scope) for base in node.bases)
        if node.keywords or any(not isinstance(base, type) for base in bases):
            raise Unsupported("a special class")
        if any(name.startswith("__") and name not in SPECIAL_METHODS for name in inner.names):
            raise Unsupported("a class with special methods")
        body = {**inner.names, "__annotations__": dict.fromkeys(inner.annotations, object), "__module__": "interpreted"}
        scope.names[node.name] = self._decorated(node, type(node.name, bases, body), scope)

    def _decorated(self, node: ast.FunctionDef | ast.ClassDef, value: Any, scope: Scope) -> Any:
        for decorator in reversed(node.decorator_list):
            if not ast.unparse(decorator).startswith("pytest."):
                value = self.evaluate(decorator, scope)(value)
        return value

    def _import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            if "." in alias.name and not alias.asname:
                raise Unsupported("import of a dotted name")
            scope.names[alias.asname or alias.name] = self._imported_module(alias.name)

    def _importfrom(self, node: ast.ImportFrom, scope: Scope) -> None:
        base = node.module or ""
        if node.level:
            package = module_name(scope.path).split(".")
            keep = len(package) - node.level + scope.path.endswith("__init__.py")
            base = ".".join([*package[:keep], *([base] if base else [])])
        for alias in node.names:
            scope.names[alias.asname or alias.name] = self._imported_name(base, alias.name)

    def _imported_module(self, name: str) -> Any:
        return self.module(self._paths[name]) if name in self._paths else KNOWN_MODULES.get(name, Unknown())

    def _imported_name(self, module: str, name: str) -> Any:
        if f"{module}.{name}" in self._paths:
            return self.module(self._paths[f"{module}.{name}"])
        source = self._imported_module(module)
        if isinstance(source, Scope):
            return source.names.get(name, Unknown())
        return getattr(source, name, Unknown())


def module_name(path: str) -> str:
    """src/shop/prices.py -> shop.prices"""
    return path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def as_load(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body
