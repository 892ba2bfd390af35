"""Parse a policy's text in the notation of docs/permissions.md: the opposite of `policies.text.as_text`."""

import re
from typing import Any, Final

from tools_app.policies.documents import PolicyDocument

_FROM_ESCAPED: Final = {"\\\\": "\\", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
_ESCAPED: Final = re.compile(r"\\[\\nrt]")
_SETTING: Final = re.compile(r"(?!(?:allow|ask|deny) )(?P<key>[a-z_.]+) = (?P<value>.*)")
_RULE: Final = re.compile(r"(?P<mark>!?) *(?P<action>allow|ask|deny) +(?P<permission>\S+)(?: +(?P<pattern>.+))?")


def parse_text(text: str) -> PolicyDocument:
    """Parse the preset and the rules of a text. Comments, options and empty lines are ignored.

    Raises ValueError with the number of the line that cannot be parsed.
    """
    found: dict[str, Any] = {"rules": [], "enforced": []}
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if setting := _SETTING.fullmatch(stripped):
            found |= {"preset": setting["value"]} if setting["key"] == "preset" else {}
            continue
        if not (rule := _RULE.fullmatch(stripped)):
            raise ValueError(f"line {number}: expected an action, a permission and a pattern, got {stripped[:100]!r}")
        fields = {"permission": _plain(rule["permission"]), "pattern": _plain(rule["pattern"] or "*")}
        found["enforced" if rule["mark"] else "rules"].append({**fields, "action": rule["action"]})
    return PolicyDocument.model_validate(found)


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda found: _FROM_ESCAPED[found[0]], text)
