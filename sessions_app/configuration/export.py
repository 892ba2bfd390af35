"""Write a configuration as a document that OpenCode itself loads. Pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sessions_app.configuration.keys import is_secret
from sessions_app.configuration.merging import Merged
from tools_app.permission.model import Layer, Rule

SCHEMA: Final = "https://opencode.ai/config.json"
_LEFT_OUT: Final = frozenset({"permission", "agent", "mode", "tools", "$schema"})


def exported(
    merged: Merged, *, agents: Mapping[str, Mapping[str, Any]], rules: Iterable[Rule], defaults: Mapping[str, str]
) -> str:
    """Return a configuration as the text of a document. `agents` and `rules` are all agents and rules in force, whether
    or not documents define them; `defaults` are values of keys that no document sets. API keys and passwords are left
    out."""
    document: dict[str, Any] = {"$schema": SCHEMA}
    document |= {name: value for name, value in defaults.items() if value}
    kept = {path: each for path, each in merged.effective.items() if path[0] not in _LEFT_OUT and not is_secret(path)}
    document |= Merged(kept).tree
    document["agent"] = {name: dict(fields) for name, fields in agents.items()}
    document["permission"] = permission_object(rules)
    return json.dumps({name: value for name, value in document.items() if value != {}}, indent=2, ensure_ascii=False)


def permission_object(rules: Iterable[Rule]) -> dict[str, Any]:
    """Return rules in OpenCode's form: {permission: action or {pattern: action}}, where the last match decides.

    A rule for everything makes the rules before it meaningless, so they are left out. The rules of one permission are
    listed together, in their order, at the position of the last of them.
    """
    block: dict[str, dict[str, str]] = {}
    for rule in rules:
        if rule.permission == "*" and rule.pattern == "*":
            block.clear()
        patterns = block.pop(rule.permission, {})
        if rule.pattern == "*":
            patterns = {}
        patterns.pop(rule.pattern, None)
        block[rule.permission] = {**patterns, rule.pattern: rule.action}
    return {name: patterns["*"] if list(patterns) == ["*"] else patterns for name, patterns in block.items()}


def flattened(preferences: Iterable[Layer], limits: Iterable[Layer]) -> list[Rule]:
    """Return layers of rules as one list in which the last matching rule decides.

    The list is at least as strict as the layers together. Rules that allow are left out if their layer may only make
    rules stricter. The rules of limits come last; rules of preferences that deny are repeated after rules of limits
    that ask.
    """
    wanted = [
        rule for layer in preferences for rule in layer.rules if not layer.tightens_only or rule.action != "allow"
    ]
    limiting = [rule for layer in limits for rule in layer.rules]
    asks = [rule for rule in limiting if rule.action == "ask"]
    denies = [rule for rule in wanted if rule.action == "deny"] if asks else []
    return [*wanted, *asks, *denies, *(rule for rule in limiting if rule.action == "deny")]
