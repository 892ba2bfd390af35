"""Names and their values while a program is walked."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deploy.demo_model.repair.allowed import BUILTINS, Unsupported


class Scope:
    """A module's, a class's or one function call's names. `path` is the file they belong to."""

    def __init__(self, path: str, *, parent: "Scope | None" = None, is_class: bool = False) -> None:
        self.path = path
        self.names: dict[str, Any] = {}
        self.annotations: dict[str, None] = {}
        self.parent = parent
        self.is_class = is_class

    def find(self, name: str) -> Any:
        for scope in self._outwards():
            if name in scope.names:
                return scope.names[name]
        if name not in BUILTINS:
            raise Unsupported(f"the name {name}")
        return BUILTINS[name]

    def _outwards(self) -> "Iterator[Scope]":
        """This scope and those around it; a class's names are not seen from inside its methods."""
        yield self
        around = self.parent
        while around is not None:
            if not around.is_class:
                yield around
            around = around.parent

    def bind_arguments(
        self,
        spec: ast.arguments,
        arguments: Sequence[Any],
        named: Mapping[str, Any],
        defaults: Sequence[Any],
        keyword_defaults: Sequence[Any],
    ) -> None:
        """As a call would; a wrong number of arguments is a TypeError of the program."""
        positional = [one.arg for one in (*spec.posonlyargs, *spec.args)]
        values = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
        values |= {
            one.arg: value for one, value in zip(spec.kwonlyargs, keyword_defaults, strict=True) if value is not None
        }
        values |= dict(zip(positional, arguments, strict=False))
        extra = {name: value for name, value in named.items() if name not in positional and name not in values}
        values |= {name: value for name, value in named.items() if name not in extra}
        missing = [name for name in positional if name not in values]
        surplus = len(arguments) > len(positional) and not spec.vararg
        if missing or surplus or (extra and not spec.kwarg and not self._only_keywords(spec, extra)):
            raise TypeError("wrong arguments")
        if spec.vararg:
            values[spec.vararg.arg] = tuple(arguments[len(positional) :])
        if spec.kwarg:
            values[spec.kwarg.arg] = {n: v for n, v in extra.items() if not self._only_keywords(spec, {n: v})}
        self.names |= values | {n: v for n, v in extra.items() if self._only_keywords(spec, {n: v})}

    @staticmethod
    def _only_keywords(spec: ast.arguments, extra: Mapping[str, Any]) -> bool:
        return {one.arg for one in spec.kwonlyargs}.issuperset(extra)
