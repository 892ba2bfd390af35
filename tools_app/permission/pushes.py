"""decide_push(): the rules about updates of a repository's refs. A pure function.

Patterns of the permission `git_push` are a branch (`agentsite/x`), the whole ref of everything else (`refs/tags/v1`),
and one of these with `delete:`, `force:` or `workflows:` in front for an update that deletes, replaces commits, or
changes files that tell a CI service what to run.
"""

from collections.abc import Sequence
from typing import Final, Literal

from tools_app.permission.engine import decide
from tools_app.permission.model import Decision, Layer, Request, Rule

PERMISSION: Final = "git_push"
Kind = Literal["", "delete", "force", "workflows"]
KINDS: Final[tuple[Kind, ...]] = ("delete", "force", "workflows")
ASK: Final = Layer("defaults for pushes", [Rule(PERMISSION, "*", "ask")])


def decide_push(
    pattern: str, preferences: Sequence[Layer], limits: Sequence[Layer] = (), *, defaults: Layer = ASK
) -> Decision:
    """Return the decision about one pattern. `defaults` are the rules before those of the policies.

    Only rules that name `git_push` can allow a push, so `* *` of a policy does not. Rules that loosen must name what
    they loosen: deletion, force and workflows by the prefix, and what the defaults deny by more than `*`.
    """
    kind = kind_of(pattern)
    is_protected = decide(Request(PERMISSION, pattern), [defaults]).action == "deny"
    counting = [
        Layer(
            layer.name,
            [rule for rule in layer.rules if _counts(rule, kind, is_protected=is_protected)],
            tightens_only=layer.tightens_only,
            may_loosen=layer.may_loosen,
        )
        for layer in preferences
    ]
    return decide(Request(PERMISSION, pattern), [defaults, *counting], limits)


def kind_of(pattern: str) -> Kind:
    """Return how an update differs from moving a ref forward, as the prefix of its pattern. No ref contains a colon."""
    return next((kind for kind in KINDS if pattern.startswith(f"{kind}:")), "")


def _counts(rule: Rule, kind: Kind, *, is_protected: bool) -> bool:
    """Return whether a rule of the preferences is about such a push."""
    if rule.action == "deny":
        return True
    if rule.permission != PERMISSION:
        return False
    if kind:
        return rule.pattern.startswith(f"{kind}:")
    return not is_protected or rule.pattern.strip("*") != ""
