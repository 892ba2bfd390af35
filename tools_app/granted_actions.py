"""is_granted(): whether people allowed a command whose action counts as a usual command, such as `git push`."""

from collections.abc import Sequence
from typing import Final

from tools_app.permission.engine import decide
from tools_app.permission.harmless import READ_ONLY
from tools_app.permission.model import Layer, Request
from tools_app.permission.wildcard import match
from tools_app.spec import PermissionNeed

OF_PEOPLE: Final = frozenset({"session", "grants"})
"""Layers of rules that people added while they worked, for a session, a project or a team."""
_COUNTED_AS: Final = frozenset({"git push", "npm publish", "npm login", "serverless deploy", "pytest --pastebin"})
"""What commands count as whose actions push, publish, use an account or deploy. A login counts as `ssh` and a host."""


def is_granted(spelling: str, need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> bool:
    """Return whether rules that people wrote allow every command of the text that does not only read, and no limit
    asks about the usual command that one of them counts as.

    Who always allows `frob *` on a card of `frob push` is not asked again because `frob push` counts as `git push`.
    """
    if spelling not in _COUNTED_AS and not spelling.startswith("ssh "):
        return False
    if decide(Request(need.permission, spelling), (), limits).rule is not None:
        return False
    others = [each for each in need.patterns if not any(match(each, wildcard) for wildcard in READ_ONLY)]
    decisions = [decide(Request(need.permission, each), preferences, limits) for each in others]
    return bool(decisions) and all(
        each.action == "allow" and each.layer in OF_PEOPLE and each.rule is not None and each.rule.pattern != "*"
        for each in decisions
    )
