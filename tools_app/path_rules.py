"""SessionPathRules: the implementation of PathRules for tools, from the rules of a session."""

from collections.abc import Sequence
from typing import Final

from tools_app.permission.engine import decide
from tools_app.permission.model import STRICTNESS, Decision, Layer, Request
from tools_app.permission.trees import guards_below, weighed_with_folder
from tools_app.spec import PathRule

_NO_RULE: Final = "no rule"


class SessionPathRules:
    """The rules of `preferences` and `limits` about paths. Immutable."""

    def __init__(self, preferences: tuple[Layer, ...], limits: tuple[Layer, ...]) -> None:
        self._preferences = preferences
        self._limits = limits

    def hiding(self, permissions: Sequence[str], folder: str, path: str) -> PathRule | None:
        decisions = [decide(Request(each, path), self._preferences, self._limits) for each in permissions]
        if weighed_with_folder(decisions[0], folder):
            del decisions[0]
        strictest = max(decisions, key=lambda each: STRICTNESS[each.action], default=None)
        return _path_rule(strictest) if strictest and strictest.action != "allow" else None

    def below(
        self, permission: str, folder: str, names: Sequence[str] = (), *, judged: bool = True
    ) -> Sequence[PathRule]:
        found: dict[PathRule, None] = {}
        for name in names or ("*",):
            for guard in guards_below(permission, folder, self._preferences, self._limits, name=name):
                if not (judged and weighed_with_folder(guard.decision, folder)):
                    found.setdefault(_path_rule(guard.decision, is_preset=guard.is_preset))
        return tuple(found)


def _path_rule(decision: Decision, *, is_preset: bool = False) -> PathRule:
    pattern = decision.rule.pattern if decision.rule else "*"
    return PathRule(pattern, decision.action, rule_text(decision), is_preset)


def rule_text(decision: Decision) -> str:
    """Return the rule of a decision and the name of its layer of rules, as text for people and models."""
    rule = decision.rule
    return f"`{rule.action} {rule.permission} {rule.pattern}` of {decision.layer}" if rule else _NO_RULE
