"""Arrange the routes of the API as a tree, so that Django finds the route of a request without trying all routes.

Django tries the routes of a list one after the other. With 360 routes in one list, this search took a quarter of the
CPU time of a request; in the tree, a request tries only routes whose first parts match its path.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, include, path

Node = URLPattern | URLResolver


class _Route(NamedTuple):
    rest: str
    pattern: Node


def tree_of(patterns: Iterable[Node]) -> list[Node]:
    """Arrange URL patterns as a tree that matches the same paths, with unchanged views, names and arguments.

    Routes with a common first part keep their order; parts with a parameter that may contain slashes are not split.
    """
    return _tree([_Route(str(pattern.pattern), pattern) for pattern in patterns])


def _tree(routes: Sequence[_Route]) -> list[Node]:
    groups: dict[tuple[str, int], list[_Route]] = {}
    for position, route in enumerate(routes):
        part, slash, _ = route.rest.partition("/")
        shares = bool(slash) and "<path:" not in part and isinstance(route.pattern, URLPattern)
        groups.setdefault((part, -1 if shares else position), []).append(route)
    return [_node(part, group) for (part, _), group in groups.items()]


def _node(part: str, group: Sequence[_Route]) -> Node:
    if len(group) == 1:
        return _with_route(*group[0])
    inside = [_Route(rest.removeprefix(f"{part}/"), pattern) for rest, pattern in group]
    return path(f"{part}/", include(_tree(inside)))


def _with_route(route: str, pattern: Node) -> Node:
    if isinstance(pattern, URLResolver):
        return pattern
    arguments: dict[str, Any] = pattern.default_args
    return path(route, pattern.callback, arguments, pattern.name)
