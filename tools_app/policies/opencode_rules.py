"""Parse permission rules in the formats of OpenCode's files: both generations of rules, and the older form {tool: true
or false}. Pure."""

from collections.abc import Mapping
from typing import Any, Final

NEW_NAMES: Final[Mapping[str, str]] = {"shell": "bash", "subagent": "task"}
"""Names of permissions in OpenCode's second generation, and our names for them."""

_SHARED: Final[Mapping[str, str]] = {
    "write": "edit", "edit": "edit", "patch": "edit", "apply_patch": "edit", "multiedit": "edit",
}  # fmt: skip


def rules_block(value: Any) -> Any:
    """Return permission rules as {permission: action or {pattern: action}}: a list of rules of OpenCode's second
    generation, {action, resource, effect}, in which the last match decides, is converted. Other values are returned
    unchanged."""
    if not isinstance(value, list):
        return value
    block: dict[str, dict[str, Any]] = {}
    for rule in value:
        if not isinstance(rule, dict) or not all(isinstance(rule.get(name), str) for name in ("action", "effect")):
            return value
        name = NEW_NAMES.get(rule["action"], rule["action"])
        patterns = block.pop(name, {})
        pattern = str(rule.get("resource") or "*")
        patterns.pop(pattern, None)
        block[name] = {**patterns, pattern: rule["effect"]}
    return block


def rules_of_tools(tools: Any) -> dict[str, str]:
    """Convert OpenCode's older format {tool: true or false} to rules {permission: action}. Returns {} if `tools` is not
    a dict."""
    if not isinstance(tools, dict):
        return {}
    return {_SHARED.get(str(name), str(name)): "allow" if on else "deny" for name, on in tools.items()}
