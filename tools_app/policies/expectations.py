"""Check that a policy results in the actions that its expectations require."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools_app.gate import Judged, Verdict, judge
from tools_app.permission.model import Action
from tools_app.policies.current import Policies
from tools_app.policies.documents import Expectation
from tools_app.policies.dry_run import imagined_needs
from tools_app.spec import PermissionNeed


@dataclass(frozen=True, slots=True)
class ExpectationResult:
    """The result of one expectation. `judged` is the decided pattern of the call that determined `action`."""

    index: int
    expect: Action
    action: Action
    judged: Judged | None

    @property
    def ok(self) -> bool:
        return self.action == self.expect

    @property
    def problem(self) -> str:
        """The reason why the expectation is not met, for the person who saves the policy."""
        because = f": {_source(self.judged)}" if self.judged else ""
        return f"expected {self.expect}, would be {self.action}{because}"


def check_expectations(expectations: Sequence[Expectation], policies: Policies) -> list[ExpectationResult]:
    """Check each expectation against the policies alone: without session rules, grants and project files."""
    results = []
    for index, expectation in enumerate(expectations):
        verdict = _judge(expectation, policies)
        results.append(ExpectationResult(index, expectation.expect, verdict.action, verdict.deciding))
    return results


def _judge(expectation: Expectation, policies: Policies) -> Verdict:
    preferences, limits = policies.layers(agent=expectation.agent)
    return judge(_needs(expectation), preferences, limits)


def _needs(expectation: Expectation) -> Sequence[PermissionNeed]:
    if expectation.command:
        return imagined_needs("bash", {"command": expectation.command}, agent=expectation.agent)
    return [PermissionNeed(expectation.permission, (expectation.pattern,))]


def _source(judged: Judged) -> str:
    rule = judged.decision.rule
    if rule is None:
        return f"no rule matches {judged.permission} `{judged.pattern[:200]}`"
    return f"rule `{rule.action} {rule.permission} {rule.pattern[:200]}` of {judged.decision.layer}"
