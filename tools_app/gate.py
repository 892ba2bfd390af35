"""The gate between what a tool wants to do and doing it. Pure: needs and rules in, a verdict out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tools_app.permission.engine import decide
from tools_app.permission.model import STRICTNESS, Action, Decision, Layer, Request, Rule
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PermissionNeed


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about one pattern of one need."""

    permission: str
    pattern: str
    decision: Decision

    def as_dict(self) -> dict[str, Any]:
        """The shape of the interface: {action, permission, pattern, rule, layer}."""
        rule = self.decision.rule
        return {
            "action": self.decision.action,
            "permission": self.permission,
            "pattern": self.pattern,
            "rule": rule.as_dict() if rule else None,
            "layer": self.decision.layer or "",
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The strictest decision is the verdict's. `asked` are the needs a person must answer, cut down to the patterns
    in question; `decisions` has one entry per need and pattern, in order."""

    action: Action
    decisions: tuple[Judged, ...]
    asked: tuple[PermissionNeed, ...]

    @property
    def denied(self) -> tuple[Judged, ...]:
        return tuple(judged for judged in self.decisions if judged.decision.action == "deny")

    @property
    def deciding(self) -> Judged | None:
        """The one that gave the verdict its action; None when there was nothing to decide."""
        return next((judged for judged in self.decisions if judged.decision.action == self.action), None)


def judge(needs: Sequence[PermissionNeed], preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> Verdict:
    """Any denied part denies the call, all allowed lets it run silently, otherwise it waits for a person."""
    decisions: list[Judged] = []
    asked: list[PermissionNeed] = []
    for need in needs:
        judged = _judge_need(need, preferences, limits)
        decisions.extend(judged)
        open_patterns = tuple(each.pattern for each in judged if each.decision.action == "ask")
        if open_patterns:
            asked.append(replace(need, patterns=open_patterns))
    return Verdict(_strictest(decisions), tuple(decisions), tuple(asked))


def uncovered(needs: Iterable[PermissionNeed], approved: Collection[PermissionNeed]) -> tuple[PermissionNeed, ...]:
    """The needs of a call that an earlier "once" answer does not speak about.

    A call is prepared again after the answer; a file, a link or a directory may have changed meanwhile. An answer
    holds only for the same permission, the same patterns and the same diff that the person saw.
    """
    return tuple(need for need in needs if not any(_same(need, other) for other in approved))


def grant_rules(needs: Iterable[PermissionNeed]) -> tuple[Rule, ...]:
    """What an "always" answer to these needs adds to the grants, each rule once."""
    rules = (Rule(need.permission, pattern, "allow") for need in needs for pattern in need.always)
    return tuple(dict.fromkeys(rules))


def denial_text(verdict: Verdict) -> str:
    """What the model reads when its call was denied."""
    lines = [f"- {_because(judged)}" for judged in verdict.denied]
    return "\n".join(
        [
            "This call was not made: the permission rules deny it.",
            *lines,
            "Do not try to reach the same thing in another way. Go on without it, or tell the user what you needed.",
        ]
    )


def need_as_dict(need: PermissionNeed) -> dict[str, Any]:
    """The JSON shape of a need in a permission request; `need_from_dict` reads it back."""
    return {
        "permission": need.permission,
        "patterns": list(need.patterns),
        "always": list(need.always),
        "metadata": dict(need.metadata),
    }


def need_from_dict(data: Mapping[str, Any]) -> PermissionNeed:
    return PermissionNeed(data["permission"], tuple(data["patterns"]), tuple(data["always"]), data["metadata"])


def _judge_need(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> list[Judged]:
    patterns = need.patterns or ("*",)
    decisions = [decide(Request(need.permission, pattern), preferences, limits) for pattern in patterns]
    if not need.metadata.get("complete", True):
        exact = _exact_allow(need, preferences, limits)
        decisions = [_of_incomplete(decision, exact, limits) for decision in decisions]
    judged = [Judged(need.permission, each, decision) for each, decision in zip(patterns, decisions, strict=True)]
    return [*judged, *_judge_spellings(need, preferences, limits)]


def _judge_spellings(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> Iterator[Judged]:
    """What else a command may be called: only a rule that denies it, or asks for it by name, counts."""
    for spelling in need.metadata.get("spellings", ()):
        decision = decide(Request(need.permission, spelling), preferences, limits)
        if decision.action != "allow" and decision.rule is not None and decision.rule.pattern != "*":
            yield Judged(need.permission, spelling, decision)


def _exact_allow(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> Decision | None:
    """The decision that allows the whole text of a command literally, if there is one."""
    text = need.metadata.get("text", need.patterns[0] if len(need.patterns) == 1 else "")
    decision = decide(Request(need.permission, text), preferences, limits)
    by_name = decision.rule is not None and decision.rule.pattern == text and is_literal(text)
    return decision if decision.action == "allow" and by_name else None


def _of_incomplete(decision: Decision, exact: Decision | None, limits: Sequence[Layer]) -> Decision:
    """A text that nobody understood fully is allowed only as a whole; what a limit asks for is asked nevertheless."""
    if decision.action == "deny":
        return decision
    if exact is not None and not (decision.action == "ask" and decision.layer in {each.name for each in limits}):
        return exact
    return replace(decision, action="ask")


def _strictest(decisions: Sequence[Judged]) -> Action:
    if not decisions:
        return "allow"
    return max((each.decision.action for each in decisions), key=lambda action: STRICTNESS[action])


def _same(need: PermissionNeed, other: PermissionNeed) -> bool:
    return (
        need.permission == other.permission
        and set(need.patterns) <= set(other.patterns)
        and need.metadata.get("diff") == other.metadata.get("diff")
    )


def _because(judged: Judged) -> str:
    rule = judged.decision.rule
    source = f" (rule `{rule.permission}: {rule.pattern}` of {judged.decision.layer})" if rule else ""
    return f"{judged.permission} `{judged.pattern}`{source}"
