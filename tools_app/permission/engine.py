"""Decide what may happen. Deterministic, total, and never looser than a limit."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final

from tools_app.permission.model import STRICTNESS, Decision, Layer, Match, Request, Rule
from tools_app.permission.wildcard import is_literal, match

_LAYERS_INDEXED: Final = 256
_PERMISSIONS_INDEXED: Final = 64


def decide(request: Request, preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> Decision:
    """The last matching rule of the preferences decides, and none means ask. A layer that only tightens is passed over
    where it would make the answer of the layers before it looser.

    Each layer of limits is read by itself, its last matching rule counts, and none means no limit. The strictest of
    all answers wins, so a limit can tighten and never loosen, and one limit cannot loosen another.
    """
    preferred = [list(_matches(request, layer, limit=False)) for layer in preferences]
    limiting = [list(_matches(request, layer, limit=True)) for layer in limits]
    preference = _preference(request, preferences, preferred)
    voices = [found[-1] for found in limiting if found]
    if preference is None:
        voices = [voice for voice in voices if voice.rule.action != "allow"]
    else:
        voices.insert(0, preference)
    decider = max(voices, key=lambda voice: STRICTNESS[voice.rule.action], default=None)
    trace = tuple(found for found in chain(*preferred, *limiting) if found is not decider)
    if decider is None:
        return Decision("ask", None, None, trace)
    return Decision(decider.rule.action, decider.rule, decider.layer, trace)


def hidden_tools(
    tool_permissions: Mapping[str, str], preferences: Sequence[Layer], limits: Sequence[Layer] = ()
) -> frozenset[str]:
    """The tools (id -> permission) that a model need not hear of, because every use of them would be denied.

    A tool is hidden when the last rule that names its permission is a deny of everything: in the preferences taken
    together, or in any one layer of limits.
    """
    return frozenset(
        tool
        for tool, permission in tool_permissions.items()
        if _closed(permission, preferences) or any(_closed(permission, [layer]) for layer in limits)
    )


class _Index:
    """The rules of one layer that speak about one permission, found by how their patterns begin.

    A pattern without wildcards matches one text. Any other can match only texts that begin with what stands before
    its first wildcard; by its first characters most rules are passed over without a look.
    """

    KEY: Final = 4

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._literal: dict[str, list[tuple[int, Rule]]] = {}
        self._beginning: dict[str, list[tuple[int, Rule]]] = {}
        self._any: list[tuple[int, Rule]] = []
        for number, rule in enumerate(rules):
            before = rule.pattern.removesuffix(" *") if rule.pattern.endswith(" *") else rule.pattern
            before = before.partition("*")[0].partition("?")[0]
            if is_literal(rule.pattern):
                self._literal.setdefault(rule.pattern, []).append((number, rule))
            elif len(before) >= self.KEY:
                self._beginning.setdefault(before[: self.KEY], []).append((number, rule))
            else:
                self._any.append((number, rule))

    def matching(self, text: str) -> list[Rule]:
        """In the order of the layer."""
        candidates = [*self._any, *self._beginning.get(text[: self.KEY], ())]
        found = [(number, rule) for number, rule in candidates if match(text, rule.pattern)]
        found += self._literal.get(text, ())
        return [rule for _, rule in sorted(found, key=lambda each: each[0])]


_known: dict[int, tuple[tuple[Rule, ...], dict[str, _Index]]] = {}
"""Indexes by permission, found by the identity of a layer's rules, which never change. The rules are kept beside
them, so that no other rules can have that identity meanwhile. Threads at worst make an index twice."""


def _indexes(rules: tuple[Rule, ...]) -> dict[str, _Index]:
    found = _known.get(id(rules))
    if found is None or found[0] is not rules:
        if len(_known) >= _LAYERS_INDEXED:
            _known.clear()
        found = _known[id(rules)] = (rules, {})
    return found[1]


def _index(layer: Layer, permission: str) -> _Index:
    indexes = _indexes(layer.rules)
    found = indexes.get(permission)
    if found is None:
        if len(indexes) >= _PERMISSIONS_INDEXED:
            indexes.clear()
        found = indexes[permission] = _Index(rule for rule in layer.rules if match(permission, rule.permission))
    return found


def _matches(request: Request, layer: Layer, *, limit: bool) -> Iterator[Match]:
    for rule in _index(layer, request.permission).matching(request.pattern):
        yield Match(rule, layer.name, limit)


def _preference(request: Request, layers: Sequence[Layer], matches: Sequence[Sequence[Match]]) -> Match | None:
    """The match that decides among the preferences; None when no layer has a say."""
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
    """A layer that only tightens closes a tool and opens none, unless it may loosen something of it."""
    for layer in reversed(layers):
        last = next((rule for rule in reversed(layer.rules) if match(permission, rule.permission)), None)
        if last is None:
            continue
        closes = last.action == "deny" and last.pattern == "*"
        if closes or not layer.tightens_only or any(match(permission, loose) for loose, _ in layer.may_loosen):
            return closes
    return False
