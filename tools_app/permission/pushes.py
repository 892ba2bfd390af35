"""decide_push(): apply the rules about updates of a repository's refs. A pure function.

A pattern of the permission `git_push` is a branch (`agentsite/x`) or, for any other ref, its full name
(`refs/tags/v1`). The prefix `delete:`, `force:` or `workflows:` stands for an update that deletes the ref, replaces
commits, or changes files that tell a CI service what to run.
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
    """Return the decision about one pattern of a push. `defaults` is the layer of rules below all policies.

    Only rules that name `git_push` can allow a push, so the rule `* *` of a policy cannot. A rule can allow a deletion,
    a forced push or a change of workflows only if its pattern has that prefix, and can allow a push that the defaults
    deny only if its pattern is more specific than `*`.
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
    """Return the prefix of a push pattern, which says how the update differs from moving a ref forward. No ref contains
    a colon."""
    return next((kind for kind in KINDS if pattern.startswith(f"{kind}:")), "")


def _counts(rule: Rule, kind: Kind, *, is_protected: bool) -> bool:
    """Return whether a rule of the preferences applies to a push of this kind."""
    if rule.action == "deny":
        return True
    if rule.permission != PERMISSION:
        return False
    if kind:
        return rule.pattern.startswith(f"{kind}:")
    return not is_protected or rule.pattern.strip("*") != ""
