"""The gate: decide whether a tool call may run, from the permissions that it needs and the layers of rules, and which
paths a tool may show. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Any, Final

from tools_app.granted_actions import OF_PEOPLE, is_granted
from tools_app.permission.engine import decide
from tools_app.permission.model import STRICTNESS, Action, Decision, Layer, Request, Rule
from tools_app.permission.pushes import PERMISSION as GIT_PUSH
from tools_app.permission.pushes import decide_push
from tools_app.permission.shell.other_names import is_same_command
from tools_app.permission.trees import guards_below, weighed_with_folder
from tools_app.permission.wildcard import is_literal
from tools_app.spec import PathRule, PermissionNeed

BY_NAME_ONLY: Final = frozenset({"pull_request", "setup", "changed_tool", "mcp_account"})
"""Permissions that a rule for every permission (`*`) cannot allow: without a rule that names the permission, a person
is asked. The reasons: a script of a repository runs with the network of set-up, a pull request leaves the site, a tool
that its MCP server changed may do something else than what was allowed, and an account belongs to one person."""

MAX_WORDS: Final = 3
"""The most words of a rule that are used as the name of a command."""
_GLOB: Final = re.compile(r"[*?\[]")
_LETTER: Final = re.compile(r"[A-Za-z]")
_NO_RULE: Final = "no rule"
ANY_COMMAND: Final = "\0"
"""Stands for a command that could not be found in a text. Only rules about every command match it: no rule may contain
a NUL."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The decision about one pattern of one permission need."""

    permission: str
    pattern: str
    decision: Decision

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form for the API: {action, permission, pattern, rule, layer}."""
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
    """The decision about a whole call."""

    action: Action
    """The strictest of the decisions."""
    decisions: tuple[Judged, ...]
    """One decision for each permission need and pattern, in order."""
    asked: tuple[PermissionNeed, ...]
    """The permission needs that a person must decide about, each reduced to the patterns that are asked."""

    @property
    def denied(self) -> tuple[Judged, ...]:
        return tuple(judged for judged in self.decisions if judged.decision.action == "deny")

    @property
    def deciding(self) -> Judged | None:
        """The first decision with the verdict's action; None if there was nothing to decide."""
        return next((judged for judged in self.decisions if judged.decision.action == self.action), None)


def judge(needs: Sequence[PermissionNeed], preferences: Sequence[Layer], limits: Sequence[Layer] = ()) -> Verdict:
    """Decide whether a call may run, from the permissions that it needs and the layers of rules.

    The call is denied if any pattern is denied, and allowed if all are allowed. Otherwise a person is asked.
    """
    decisions: list[Judged] = []
    asked: list[PermissionNeed] = []
    for need in sorted(needs, key=_comes_along):
        judged = _judge_need(need, preferences, limits)
        if _comes_along(need) and (not asked or _strictest(judged) != "ask"):
            continue
        decisions.extend(judged)
        open_patterns = tuple(each.pattern for each in judged if each.decision.action == "ask")
        if open_patterns:
            asked.append(replace(need, patterns=open_patterns))
    return Verdict(_strictest(decisions), tuple(decisions), tuple(asked))


def _comes_along(need: PermissionNeed) -> bool:
    """Return whether the permission is requested only together with another permission of the same call. Otherwise it
    is decided while the call runs."""
    return bool(need.metadata.get("along"))


def uncovered(needs: Iterable[PermissionNeed], approved: Collection[PermissionNeed]) -> tuple[PermissionNeed, ...]:
    """Return the permission needs of a call that an earlier "once" decision does not cover.

    A call is prepared again after the decision, and files, links or folders may have changed meanwhile. A decision only
    covers the permission, the patterns and the diff that the person saw.
    """
    return tuple(need for need in needs if not any(_same(need, other) for other in approved))


def grant_rules(needs: Iterable[PermissionNeed]) -> tuple[Rule, ...]:
    """Return the rules that the decision "always" about these permissions adds to the grants, without duplicates."""
    rules = (Rule(need.permission, pattern, "allow") for need in needs for pattern in need.always)
    return tuple(dict.fromkeys(rules))


def denial_reasons(verdict: Verdict) -> list[str]:
    """Return why a call is denied, for people: each permission with the rule that denies it."""
    return [_denial_reason(judged) for judged in verdict.denied]


def denial_text(verdict: Verdict) -> str:
    """Return the message to the model about a denied call."""
    lines = [f"- {reason}" for reason in denial_reasons(verdict)]
    return "\n".join(
        [
            "This call was not made: the permission rules deny it.",
            *lines,
            "Do not try to reach the same thing in another way. Go on without it, or tell the user what you needed.",
        ]
    )


def need_as_dict(need: PermissionNeed) -> dict[str, Any]:
    """Return the JSON form of a permission need in a permission request; `need_from_dict` is the inverse."""
    return {
        "permission": need.permission,
        "patterns": list(need.patterns),
        "always": list(need.always),
        "metadata": dict(need.metadata),
    }


def need_from_dict(data: Mapping[str, Any]) -> PermissionNeed:
    return PermissionNeed(data["permission"], tuple(data["patterns"]), tuple(data["always"]), data["metadata"])


def _judge_need(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> list[Judged]:
    if need.metadata.get("if_unasked") and not _runs_incomplete("bash", preferences, limits):
        return []
    if "trees" in need.metadata:
        return [judged for tree in need.metadata["trees"] for judged in _judge_tree(need, tree, preferences, limits)]
    patterns = need.patterns or ("*",)
    if need.permission == GIT_PUSH:
        return [Judged(GIT_PUSH, each, decide_push(each, preferences, limits)) for each in patterns]
    decisions = [decide(Request(need.permission, pattern), preferences, limits) for pattern in patterns]
    if need.permission in BY_NAME_ONLY:
        decisions = [_decide_by_name(decision) for decision in decisions]
    unasked = not need.metadata.get("too_long") and _runs_incomplete(need.permission, preferences, limits)
    if not need.metadata.get("complete", True) and not unasked:
        exact = _exact_allow(need, preferences, limits)
        decisions = [_decide_incomplete(decision, exact, limits) for decision in decisions]
    judged = [Judged(need.permission, each, decision) for each, decision in zip(patterns, decisions, strict=True)]
    if need.metadata.get("by_name"):
        judged = [each for each in judged if _names_something(each.decision)]
    if need.metadata.get("asks_at_most"):
        judged = [_asked_at_most(each) for each in judged]
    judged += _judge_spellings(need, preferences, limits)
    return [*judged, *_judge_mentions(need, preferences, limits)]


def _asked_at_most(judged: Judged) -> Judged:
    decision = judged.decision
    return replace(judged, decision=replace(decision, action="ask")) if decision.action == "deny" else judged


def _decide_by_name(decision: Decision) -> Decision:
    """Return the decision; but change "allow" to "ask" unless the deciding rule names one of the permissions
    `BY_NAME_ONLY` itself. A wildcard such as `*` is not enough."""
    is_named = decision.rule is not None and decision.rule.permission in BY_NAME_ONLY
    return decision if is_named or decision.action != "allow" else replace(decision, action="ask")


def _runs_incomplete(permission: str, preferences: Sequence[Layer], limits: Sequence[Layer]) -> bool:
    """Return whether a command may run although its analysis is incomplete, so that rules apply only to the parts that
    were found.

    A policy must enable this, and the rules must allow every command, because the parts that were not found may be any
    command.
    """
    if not any(layer.runs_incomplete for layer in preferences):
        return False
    return decide(Request(permission, ANY_COMMAND), preferences, limits).action == "allow"


def _judge_tree(
    need: PermissionNeed, tree: Mapping[str, Any], preferences: Sequence[Layer], limits: Sequence[Layer]
) -> Iterator[Judged]:
    """Yield the strictest decision about possible files below a folder whose names are not known.

    Files that were found are judged separately. So a rule is skipped if the files of its pattern were searched for
    (`searched`), and rules of presets are only applied if the names of the files could not be known (`presets`).
    """
    folder, names = tree["folder"], tree["names"] or ("*",)
    found = (
        guard
        for name in names
        for guard in guards_below(
            need.permission, folder, tuple(preferences), tuple(limits), name=name, flat=tree.get("flat", False)
        )
        if guard.pattern not in tree["searched"]
        and (tree["presets"] or not guard.is_preset)
        and not weighed_with_folder(guard.decision, folder)
    )
    decisions = [guard.decision for guard in found if _is_meant(guard.decision, need)]
    if decisions:
        strictest = max(decisions, key=lambda decision: STRICTNESS[decision.action])
        below = "*" if folder == "." else f"{folder.rstrip('/')}/*"
        yield Judged(need.permission, below, strictest)


def _is_meant(decision: Decision, need: PermissionNeed) -> bool:
    return not need.metadata.get("by_name") or _names_something(decision)


def _names_something(decision: Decision) -> bool:
    """Return whether the deciding rule asks about or denies a pattern that is more specific than `*`."""
    return decision.action != "allow" and decision.rule is not None and decision.rule.pattern != "*"


def _judge_spellings(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> Iterator[Judged]:
    """Yield decisions about other spellings of a command, if a rule denies one or asks about it by name.

    Rules with the pattern `*` are ignored here. A person who always allows `python3 -m pytest` also means `python -m
    pytest`, so a rule that asks about that spelling is then ignored, too; see also `is_granted`.
    """
    for spelling in _with_names(need.metadata.get("spellings", ()), preferences, limits):
        decision = decide(Request(need.permission, spelling), preferences, limits)
        if _names_something(decision) and not (
            decision.action == "ask"
            and any(each(spelling, need, preferences, limits) for each in (_is_decided, is_granted))
        ):
            yield Judged(need.permission, spelling, decision)


def _is_decided(spelling: str, need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> bool:
    """Return whether rules already decide about the command as it is spelled in the text: a rule asks or denies, or a
    rule that people wrote allows it."""
    same = [each for each in need.patterns if is_same_command(spelling, each)]
    decisions = [decide(Request(need.permission, each), preferences, limits) for each in same]
    return any(each.action != "allow" or each.layer in OF_PEOPLE for each in decisions)


def _judge_mentions(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> Iterator[Judged]:
    """Yield the decisions that ask about or deny commands which a text mentions without being known to run them.

    They apply if the text could not be analysed completely, because it may run such a command undetected. Rules that
    ask are applied only if they name a command by at least two words, because a single word may occur in any text.
    """
    if not need.metadata.get("mentions") or not _runs_incomplete(need.permission, preferences, limits):
        return
    for mention in _with_names(need.metadata["mentions"], preferences, limits):
        decision = decide(Request(need.permission, mention), preferences, limits)
        named = decision.rule.pattern.partition("*")[0].split() if decision.rule else ()
        if _names_something(decision) and (decision.action == "deny" or len(named) > 1):
            yield Judged(need.permission, mention, decision)


def _with_names(mentions: Iterable[str], preferences: Sequence[Layer], limits: Sequence[Layer]) -> Iterator[str]:
    """Yield each mention unchanged, and with its globs replaced by words of each rule that they may match.

    For example, `git pus?` also yields `git push`. Only globs in the first `MAX_WORDS` words are replaced. If the name
    of the command is a glob (`/bin/r?`), it is replaced by names from rules that deny, and from rules that ask if all
    further words of the rule are in the mention.
    """
    for mention in mentions:
        yield mention
        words = mention.split(" ")
        if not any(map(_GLOB.search, words[:MAX_WORDS])):
            continue
        for denies, named in _named_commands((*preferences, *limits)):
            its = words[: len(named)]
            by_action = len(named) > 1 and its[1:] == [*named[1:]] and _LETTER.search(words[0])
            of_any = _GLOB.search(words[0]) and (denies or by_action)
            is_meant = of_any or (named[0] == words[0] and _may_mean(its, named))
            if is_meant and len(its) == len(named) and all(map(fnmatchcase, named, its)):
                yield " ".join([*named, *words[len(named) :]])


def _may_mean(words: Sequence[str], named: Sequence[str]) -> bool:
    """Return whether a command's first words may mean the two or more words `named`: each word is equal or contains a
    letter. A word without letters, such as the glob `*`, matches anything, so it is not counted as a certain word."""
    return len(named) > 1 and all(
        word == name or _LETTER.search(word) for word, name in zip(words, named, strict=False)
    )


def _named_commands(rule_layers: Iterable[Layer]) -> dict[tuple[bool, tuple[str, ...]], None]:
    """Return the commands that rules ask about or deny, as (whether the rule denies, first words of its pattern)."""
    found: dict[tuple[bool, tuple[str, ...]], None] = {}
    for rule in (rule for layer in rule_layers for rule in layer.rules):
        if rule.permission == "bash" and rule.action != "allow":
            words = tuple(takewhile(is_literal, rule.pattern.split(" ")))[:MAX_WORDS]
            found |= {(rule.action == "deny", words): None} if words else {}
    return found


def _exact_allow(need: PermissionNeed, preferences: Sequence[Layer], limits: Sequence[Layer]) -> Decision | None:
    """Return the decision "allow" if the rule behind it has exactly the command's whole text as its pattern, without
    wildcards; otherwise None."""
    text = need.metadata.get("text", need.patterns[0] if len(need.patterns) == 1 else "")
    decision = decide(Request(need.permission, text), preferences, limits)
    by_name = decision.rule is not None and decision.rule.pattern == text and is_literal(text)
    return decision if decision.action == "allow" and by_name else None


def _decide_incomplete(decision: Decision, exact: Decision | None, limits: Sequence[Layer]) -> Decision:
    """Return the decision about a command that could not be analysed completely: "ask" instead of "allow".

    `exact` is the decision of a rule that matches the whole text of the command. It can allow the command, unless a
    limit requires that a person is asked.
    """
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


def _denial_reason(judged: Judged) -> str:
    rule = judged.decision.rule
    source = f" (rule `{rule.permission}: {rule.pattern}` of {judged.decision.layer})" if rule else ""
    return f"{judged.permission} `{judged.pattern}`{source}"


class SessionPathRules:
    """The rules of a session, as layers `preferences` and `limits`, that decide which paths a tool may show.
    Immutable."""

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
