"""decide(): the action for a request, from preferences and limits. Deterministic, and never looser than a limit."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from tools_app.permission.model import STRICTNESS, Decision, Layer, Match, Request, Rule
from tools_app.permission.wildcard import is_literal, match

_WILDCARDS: Final = re.compile(r"[*?]")
_MAX_INDEXED_LAYERS: Final = 256
_MAX_INDEXED_PERMISSIONS: Final = 64  # for each layer


def decide(request: Request, preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> Decision:
    """Return the decision for `request`.

    `preferences` and `limits` are layers of rules. The last matching rule of the preferences decides; if none matches,
    the action is "ask". A layer that only tightens is skipped where it would loosen the result of the layers before it.

    Each layer of limits is evaluated separately: its last matching rule decides; if no rule matches, the layer sets no
    limit. The strictest of all results wins, so a limit can tighten but never loosen, and one limit cannot loosen
    another.
    """
    preferred = [list(_matches(request, layer, limit=False)) for layer in preferences]
    limiting = [list(_matches(request, layer, limit=True)) for layer in limits]
    preference = _preference(request, preferences, preferred)
    candidates = [found[-1] for found in limiting if found]
    if preference is None:
        candidates = [found for found in candidates if found.rule.action != "allow"]
    else:
        candidates.insert(0, preference)
    decider = max(candidates, key=lambda found: STRICTNESS[found.rule.action], default=None)
    trace = tuple(found for found in chain(*preferred, *limiting) if found is not decider)
    if decider is None:
        return Decision("ask", None, None, trace)
    return Decision(decider.rule.action, decider.rule, decider.layer, trace)


def hidden_tools(
    tool_permissions: Mapping[str, str], preferences: Sequence[Layer], limits: Sequence[Layer] = ()
) -> frozenset[str]:
    """Return the ids of tools that are not offered to the model, because every use of them would be denied.

    `tool_permissions` maps tool ids to permissions. A tool is hidden if the last rule that matches its permission
    denies the pattern `*`: the last of all rules in `preferences`, or the last rule in any one layer of `limits`.
    """
    return frozenset(
        tool
        for tool, permission in tool_permissions.items()
        if _closed(permission, preferences) or any(_closed(permission, [layer]) for layer in limits)
    )


class _Index:
    """The rules of one layer for one permission, indexed by literal parts of their patterns.

    A pattern without wildcards matches exactly one text. Any other pattern matches only texts that begin with its part
    before the first wildcard and end with its part after the last one, so most rules are skipped by comparing a few
    characters.
    """

    BEGINNINGS: Final = (4, 2)  # characters that are compared, the largest number that the pattern has
    ENDING: Final = 4

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._any: list[tuple[int, Rule]] = []
        self._by_key: dict[tuple[str, str], list[tuple[int, Rule]]] = {}
        for number, rule in enumerate(rules):
            key = self._key_of(rule.pattern)
            (self._by_key.setdefault(key, []) if key else self._any).append((number, rule))

    def matching(self, text: str) -> list[Rule]:
        """Return the rules that match `text`, in the order of the layer."""
        candidates = list(self._any)
        for key in self._keys_of(text):
            candidates += self._by_key.get(key, ())
        return [rule for _, rule in sorted(candidates, key=itemgetter(0)) if match(text, rule.pattern)]

    def _key_of(self, pattern: str) -> tuple[str, str] | None:
        if is_literal(pattern):
            return "is", pattern
        literals = _WILDCARDS.split(pattern.removesuffix(" *"))
        begins = next((size for size in self.BEGINNINGS if len(literals[0]) >= size), None)
        if begins is not None:
            return "begins", literals[0][:begins]
        if len(literals[-1]) >= self.ENDING and not pattern.endswith(" *"):
            return "ends", literals[-1][-self.ENDING :]
        return None

    def _keys_of(self, text: str) -> Iterator[tuple[str, str]]:
        yield "is", text
        for size in self.BEGINNINGS:
            if len(text) >= size:  # of a shorter text, both beginnings would be the same, and a rule be found twice
                yield "begins", text[:size]
        yield "ends", text[-self.ENDING :]


_indexed: dict[int, tuple[tuple[Rule, ...], dict[str, _Index]]] = {}
"""`id()` of a layer's rules -> the rules, and their indexes by permission. The tuple of rules is immutable, and keeping
it here ensures that its id is not reused. Two threads may at worst build the same index twice."""


def _indexes(rules: tuple[Rule, ...]) -> dict[str, _Index]:
    found = _indexed.get(id(rules))
    if found is None or found[0] is not rules:
        if len(_indexed) >= _MAX_INDEXED_LAYERS:
            _indexed.clear()
        found = _indexed[id(rules)] = (rules, {})
    return found[1]


def _index(layer: Layer, permission: str) -> _Index:
    indexes = _indexes(layer.rules)
    found = indexes.get(permission)
    if found is None:
        if len(indexes) >= _MAX_INDEXED_PERMISSIONS:
            indexes.clear()
        found = indexes[permission] = _Index(rule for rule in layer.rules if match(permission, rule.permission))
    return found


def _matches(request: Request, layer: Layer, *, limit: bool) -> Iterator[Match]:
    for rule in _index(layer, request.permission).matching(request.pattern):
        yield Match(rule, layer.name, limit)


def _preference(request: Request, layers: Sequence[Layer], matches: Sequence[Sequence[Match]]) -> Match | None:
    """Return the match that decides among the preferences, or None if no layer decides."""
    deciding: Match | None = None
    for layer, found in zip(layers, matches, strict=True):
        if not found:
            continue
        before = deciding.rule.action if deciding else "ask"
        looser = STRICTNESS[found[-1].rule.action] < STRICTNESS[before]
        if not (looser and layer.tightens_only) or _may_loosen(layer, request):
            deciding = found[-1]
    return deciding


def _may_loosen(layer: Layer, request: Request) -> bool:
    return any(
        match(request.permission, permission) and match(request.pattern, pattern)
        for permission, pattern in layer.may_loosen
    )


def _closed(permission: str, layers: Sequence[Layer]) -> bool:
    """Return whether all layers together deny every use of `permission`.

    A layer with `tightens_only` is skipped unless it denies every use or has a rule in `may_loosen` for the permission.
    """
    for layer in reversed(layers):
        last = next((rule for rule in reversed(layer.rules) if match(permission, rule.permission)), None)
        if last is None:
            continue
        closes = last.action == "deny" and last.pattern == "*"
        if closes or not layer.tightens_only or any(match(permission, loose) for loose, _ in layer.may_loosen):
            return closes
    return False
