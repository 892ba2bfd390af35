"""judge_names(), judge_contents(): decide whether a workspace may update refs of its repository. Pure functions.

Each update is one or more requests with the permission `git_push` (`tools_app.permission.pushes`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tools_app.network.git.requirements import Requirements
from tools_app.network.git.wire import RefUpdate
from tools_app.permission.model import STRICTNESS, Action, Layer, Rule
from tools_app.permission.pushes import ASK, PERMISSION, decide_push

UNREAD: Final = "It cannot be shown that the new commits have what the settings of the project want: {}."


@dataclass(frozen=True, slots=True)
class Inspected:
    """Findings about one ref update of a push, read from the pushed objects.

    `force`: the update replaces commits, or the door could not rule this out. `workflows` are the files for a CI
    service that it changes; `unread` says why these could not be determined. `lacks` says which requirements its new
    commits do not meet.
    """

    force: bool = False
    workflows: tuple[str, ...] = ()
    unread: str = ""
    lacks: str = ""


@dataclass(frozen=True, slots=True)
class DecidedPush:
    """A person's approval to push exactly this commit to a branch; with `workflows`, also if it changes files for a CI
    service. It is used where the rules ask, and never overrides what they deny."""

    branch: str
    commit: str
    workflows: bool = False

    def covers(self, update: RefUpdate, pattern: str) -> bool:
        """Return whether the person approved `update`. `pattern` is the rule pattern: the branch or
        `workflows:<branch>`."""
        if update.ref != f"refs/heads/{self.branch}" or update.new != self.commit:
            return False
        return pattern == self.branch or (self.workflows and pattern == f"workflows:{self.branch}")


@dataclass(frozen=True, slots=True)
class PushRules:
    """The rules that decide about the pushes of a workspace."""

    preferences: Sequence[Layer] = ()
    limits: Sequence[Layer] = ()
    default_branch: str = ""
    """Empty if it is the one that the server names."""
    protected: Sequence[str] = ()
    """Patterns of further branches that nobody may push to unless a rule names them."""
    decided: Sequence[DecidedPush] = ()
    """Decisions that people have just made."""
    requirements: Requirements = field(default_factory=Requirements)
    """Requirements for new commits."""


@dataclass(frozen=True, slots=True)
class JudgedPush:
    """The decision about one `git_push` pattern of a ref update. If the action is not "allow", `sentence` tells
    people and programs why."""

    ref: str
    pattern: str
    action: Action
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class PushVerdict:
    """The decision about a push: the strictest of the decisions about its parts."""

    judged: tuple[JudgedPush, ...] = field(default=())

    @property
    def action(self) -> Action:
        return max((each.action for each in self.judged), key=lambda action: STRICTNESS[action], default="allow")

    @property
    def refused(self) -> tuple[JudgedPush, ...]:
        """The updates that stop the push: the denied updates or, if none is denied, the updates that a person must
        approve."""
        return tuple(each for each in self.judged if each.action == self.action != "allow")


def judge_names(updates: Sequence[RefUpdate], rules: PushRules) -> PushVerdict:
    """Judge each update by the names of its refs, before its objects are read."""
    return PushVerdict(tuple(each for update in updates for each in _judge_name(update, rules)))


def judge_upload(ref: str, rules: PushRules) -> PushVerdict:
    """Judge an upload of files in Git LFS that belong to a push to a ref. Files are sent before git names the commit,
    so a person's approval of any commit of the branch covers them."""
    commit = next((each.commit for each in rules.decided if ref == f"refs/heads/{each.branch}"), "")
    return judge_names((RefUpdate(ref, "", commit),), rules)


def judge_contents(update: RefUpdate, found: Inspected, rules: PushRules) -> PushVerdict:
    """Judge an update by its commits and changed files."""
    lacks = found.lacks or (UNREAD.format(found.unread) if found.unread and rules.requirements.are_strict else "")
    if lacks:
        return PushVerdict((JudgedPush(update.ref, f"lacking:{update.name}", "deny", lacks),))
    return PushVerdict(tuple(_judge_content(update, found, rules)))


def push_defaults(rules: PushRules) -> Layer:
    """Return the default rules about pushes, which the policies can override."""
    branches = (rules.default_branch,) if rules.default_branch else ()
    return Layer(
        ASK.name,
        [
            *ASK.rules,
            *(Rule(PERMISSION, pattern, "deny") for pattern in (*branches, *rules.protected, "refs/*")),
            Rule(PERMISSION, "delete:*", "deny"),
            Rule(PERMISSION, "force:*", "deny"),
            Rule(PERMISSION, "workflows:*", "ask"),
        ],
    )


def _judge_name(update: RefUpdate, rules: PushRules) -> Iterator[JudgedPush]:
    is_tag = update.ref.startswith("refs/tags/")
    shown = f"the tag {update.ref.removeprefix('refs/tags/')}" if is_tag else update.name
    yield _judge(update, update.name, f"Pushing {shown}" if is_tag else f"Pushing to {shown}", rules)
    if update.deletes:
        yield _judge(update, f"delete:{update.name}", f"Deleting {shown}", rules)


def _judge_content(update: RefUpdate, found: Inspected, rules: PushRules) -> Iterator[JudgedPush]:
    if found.force:
        why = f" (it cannot be shown that it does not: {found.unread})" if found.unread else ""
        yield _judge(update, f"force:{update.name}", f"Replacing commits of {update.name}{why}", rules)
    if found.workflows or found.unread:
        what = ", ".join(found.workflows[:3]) or f"it cannot be shown that it does not: {found.unread}"
        yield _judge(
            update, f"workflows:{update.name}", f"Changing files for a CI service on {update.name} ({what})", rules
        )


def _judge(update: RefUpdate, pattern: str, text: str, rules: PushRules) -> JudgedPush:
    decision = decide_push(pattern, rules.preferences, rules.limits, defaults=push_defaults(rules))
    is_decided = decision.action == "ask" and any(each.covers(update, pattern) for each in rules.decided)
    if decision.action == "allow" or is_decided:
        return JudgedPush(update.ref, pattern, "allow")
    if decision.action == "ask":
        sentence = f"{text} needs a person's permission."
    elif decision.layer == ASK.name:
        sentence = f"{text} is not allowed. Only a rule for `{PERMISSION}` with the pattern `{pattern}` allows it."
    else:
        sentence = f"{text} is denied by a rule ({decision.layer})."
    return JudgedPush(update.ref, pattern, decision.action, sentence)
