"""Expressions of the interpreter. What an interpreted program may touch is decided here and in `allowed`."""

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

from deploy.demo_model.repair.allowed import BINARY, COMPARE, LARGEST_SEQUENCE, METHODS, UNARY, Unknown, Unsupported
from deploy.demo_model.repair.scope import Scope

CONTAINERS: Final[Mapping[type[ast.expr], Callable[[Iterable[Any]], Any]]] = {
    ast.List: list,
    ast.Tuple: tuple,
    ast.Set: set,
    ast.ListComp: list,
    ast.SetComp: set,
    ast.GeneratorExp: list,
}


class Expressions:
    @abstractmethod
    def tick(self, node: ast.AST, scope: Scope) -> None: ...

    @abstractmethod
    def function(self, node: ast.FunctionDef | ast.Lambda, scope: Scope) -> Callable[..., Any]: ...

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        self.tick(node, scope)
        walk = getattr(self, f"_eval_{type(node).__name__.lower()}", None)
        if walk is None:
            raise Unsupported(f"a {type(node).__name__}")
        value = walk(node, scope)
        if isinstance(value, Unknown):
            raise Unsupported(f"{ast.unparse(node)} comes from a module that I do not know")
        return value

    def bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        match target:
            case ast.Name(id=name):
                scope.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                values = list(self.iterate(value))
                if len(values) != len(parts):
                    raise ValueError("not the right number of values to unpack")
                for part, one in zip(parts, values, strict=True):
                    self.bind(part, one, scope)
            case ast.Subscript(value=holder, slice=key):
                self.evaluate(holder, scope)[self.evaluate(key, scope)] = value
            case ast.Attribute(value=holder, attr=name) if not name.startswith("__"):
                owner = self.evaluate(holder, scope)
                if type(owner).__module__ != "interpreted":
                    raise Unsupported("an attribute of something built in is set")
                setattr(owner, name, value)
            case _:
                raise Unsupported("an unusual assignment")

    def iterate(self, values: Any) -> Iterator[Any]:
        for number, value in enumerate(values):
            if number > LARGEST_SEQUENCE:
                raise Unsupported("a very long loop")
            yield value

    def binary(self, operation: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(left, str) and isinstance(operation, ast.Mod):
            raise Unsupported("% formatting")
        if type(operation).__name__ not in BINARY:
            raise Unsupported("an unusual operator")
        return BINARY[type(operation).__name__](left, right)

    def _eval_constant(self, node: ast.Constant, _scope: Scope) -> Any:
        return node.value

    def _eval_name(self, node: ast.Name, scope: Scope) -> Any:
        return scope.find(node.id)

    def _eval_binop(self, node: ast.BinOp, scope: Scope) -> Any:
        return self.binary(node.op, self.evaluate(node.left, scope), self.evaluate(node.right, scope))

    def _eval_unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        return UNARY[type(node.op).__name__](self.evaluate(node.operand, scope))

    def _eval_boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        value: Any = None
        for part in node.values:
            value = self.evaluate(part, scope)
            if bool(value) is stops_at:
                break
        return value

    def _eval_compare(self, node: ast.Compare, scope: Scope) -> Any:
        left, result = self.evaluate(node.left, scope), True
        for operation, part in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(part, scope)
            result = COMPARE[type(operation).__name__](left, right)
            if not result:
                break
            left = right
        return result

    def _eval_ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.evaluate(node.body if self.evaluate(node.test, scope) else node.orelse, scope)

    def _eval_list(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Any:
        values: list[Any] = []
        for one in node.elts:
            if isinstance(one, ast.Starred):
                values.extend(self.iterate(self.evaluate(one.value, scope)))
            else:
                values.append(self.evaluate(one, scope))
        return CONTAINERS[type(node)](values)

    _eval_tuple = _eval_list
    _eval_set = _eval_list

    def _eval_dict(self, node: ast.Dict, scope: Scope) -> Any:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result |= self.evaluate(value, scope)
            else:
                result[self.evaluate(key, scope)] = self.evaluate(value, scope)
        return result

    def _eval_subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        return self.evaluate(node.value, scope)[self.evaluate(node.slice, scope)]

    def _eval_slice(self, node: ast.Slice, scope: Scope) -> slice:
        return slice(*(part and self.evaluate(part, scope) for part in (node.lower, node.upper, node.step)))

    def _eval_joinedstr(self, node: ast.JoinedStr, scope: Scope) -> str:
        return "".join(self._formatted(part, scope) for part in node.values)

    def _formatted(self, part: ast.expr, scope: Scope) -> str:
        if isinstance(part, ast.Constant):
            return str(part.value)
        if not isinstance(part, ast.FormattedValue) or part.conversion not in (-1, ord("r"), ord("s")):
            raise Unsupported("an unusual f-string")
        value = self.evaluate(part.value, scope)
        if not isinstance(value, str | int | float):
            raise Unsupported("an f-string of something else than text and numbers")
        spec = self._eval_joinedstr(part.format_spec, scope) if isinstance(part.format_spec, ast.JoinedStr) else ""
        if any(len(digits) > 3 for digits in "".join(c if c.isdigit() else " " for c in spec).split()):
            raise Unsupported("very wide formatting")
        return repr(value) if part.conversion == ord("r") else format(value, spec)

    def _eval_lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return self.function(node, scope)

    def _eval_listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Any:
        return CONTAINERS[type(node)](self.evaluate(node.elt, inner) for inner in self._rounds(node.generators, scope))

    _eval_setcomp = _eval_listcomp
    _eval_generatorexp = _eval_listcomp

    def _eval_dictcomp(self, node: ast.DictComp, scope: Scope) -> Any:
        rounds = self._rounds(node.generators, scope)
        return {self.evaluate(node.key, inner): self.evaluate(node.value, inner) for inner in rounds}

    def _rounds(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        if not generators:
            yield scope
            return
        first, *others = generators
        for value in self.iterate(self.evaluate(first.iter, scope)):
            inner = Scope(scope.path, parent=scope)
            self.bind(first.target, value, inner)
            if all(self.evaluate(test, inner) for test in first.ifs):
                yield from self._rounds(others, inner)

    def _eval_attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        owner, name = self.evaluate(node.value, scope), node.attr
        if isinstance(owner, Scope):
            return owner.find(name)
        if not name.startswith("__") and self._may_touch(owner, name):
            return getattr(owner, name)
        raise Unsupported(f"the attribute {name}")

    def _may_touch(self, owner: Any, name: str) -> bool:
        if isinstance(owner, SimpleNamespace):
            return hasattr(owner, name)
        if isinstance(owner, type):
            return owner.__module__ == "interpreted"
        if type(owner).__module__ == "interpreted" and not isinstance(owner, BaseException):
            return True
        return name in METHODS.get(type(owner), ()) or (isinstance(owner, Exception) and name == "args")

    def _eval_call(self, node: ast.Call, scope: Scope) -> Any:
        function = self.evaluate(node.func, scope)
        arguments: list[Any] = []
        for one in node.args:
            if isinstance(one, ast.Starred):
                arguments.extend(self.iterate(self.evaluate(one.value, scope)))
            else:
                arguments.append(self.evaluate(one, scope))
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, scope)
            named |= value if keyword.arg is None else {keyword.arg: value}
        return function(*arguments, **named)
