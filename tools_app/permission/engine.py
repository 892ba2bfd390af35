"""Decide what may happen. Deterministic, total, and never looser than a limit."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from tools_app.permission.model import STRICTNESS, Decision, Layer, Match, Request
from tools_app.permission.wildcard import match


def decide(request: Request, preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> Decision:
    """The last matching rule of the preferences decides, and none means ask.

    Each layer of limits is read by itself, its last matching rule counts, and none means no limit. The strictest of
    all answers wins, so a limit can tighten and never loosen, and one limit cannot loosen another.
    """
    preferred = list(_matches(request, preferences, limit=False))
    limiting = [list(_matches(request, [layer], limit=True)) for layer in limits]
    voices = [found[-1] for found in (preferred, *limiting) if found]
    if not preferred:
        voices = [voice for voice in voices if voice.rule.action != "allow"]
    decider = max(voices, key=lambda voice: STRICTNESS[voice.rule.action], default=None)
    trace = tuple(found for found in chain(preferred, *limiting) if found is not decider)
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


def _matches(request: Request, layers: Sequence[Layer], *, limit: bool) -> Iterator[Match]:
    for layer in layers:
        for rule in layer.rules:
            if match(request.permission, rule.permission) and match(request.pattern, rule.pattern):
                yield Match(rule, layer.name, limit)


def _closed(permission: str, layers: Sequence[Layer]) -> bool:
    for layer in reversed(layers):
        for rule in reversed(layer.rules):
            if match(permission, rule.permission):
                return rule.action == "deny" and rule.pattern == "*"
    return False
