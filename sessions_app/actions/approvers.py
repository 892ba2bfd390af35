"""Who may answer a permission request, who may give an "always", and what the yeses of two people come to. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act, may
from tools_app.policies.documents import APPROVERS, Approvers, Scope

SCOPES: Final[tuple[Scope, ...]] = ("session", "project", "team")
"""What an "always" can be given for, from the narrowest."""

WHO_ANSWERS: Final[Mapping[str, str]] = {
    "member": "members of the team who may approve requests",
    "starter": "the person who started this turn, or an admin of the team,",
    "admin": "an admin of the team",
    "two_people": "members of the team who may approve requests, two of them,",
}
WHO_GIVES: Final[Mapping[str, str]] = {
    "member": "Members of the team who may approve requests may.",
    "admin": "Admins of the team may.",
    "nobody": "The policy lets nobody do so.",
}


@dataclass(frozen=True, slots=True)
class Answerer:
    """Somebody of the team with the rights of this moment. `started`: the request belongs to a turn of theirs.
    A service account is no person: it is never one of two people, of whom one might have made it."""

    may_answer: bool
    is_admin: bool
    started: bool
    is_person: bool = True

    def may_settle(self, approvers: str) -> bool:
        """Whether an answer of theirs counts. Of two people, each must pass for one."""
        if approvers == "admin":
            return self.may_answer and self.is_admin
        if approvers == "two_people" and not self.is_person:
            return False
        return self.may_answer and (approvers != "starter" or self.started or self.is_admin)

    def may_give(self, granter: str) -> bool:
        """An "always" of a scope that the policy leaves to `granter`."""
        return self.may_answer and (granter == "member" or (granter == "admin" and self.is_admin))

    def may_take_back(self, granter: str) -> bool:
        """Whoever may give it; and an admin always, or else what nobody may give any more would stay for ever."""
        return self.may_give(granter) or self.is_admin


def answerer(membership: Membership, *, started: bool) -> Answerer:
    is_admin = may(membership.role, Act.MANAGE_TEAM)
    return Answerer(membership.may(Act.ANSWER), is_admin, started, is_person=not membership.user.is_service)


def stricter(one: str, other: str) -> Approvers:
    """A policy that became stricter while a request waits counts; one that became looser does not."""
    return max((each for each in APPROVERS if each in (one, other)), key=APPROVERS.index)


def unmet(person: Answerer, approvers: str, others: Iterable[str]) -> str | None:
    """What the person is not whom `approvers` or one of the others wants; None when the answer counts. Two people are
    no way around an admin."""
    return next((each for each in (approvers, *sorted(others)) if not person.may_settle(each)), None)


def weaker_reply(approvals: Iterable[Mapping[str, Any]]) -> str:
    return "always" if all(given["reply"] == "always" for given in approvals) else "once"


def narrower_scope(approvals: Sequence[Mapping[str, Any]]) -> str:
    """The scope of what all of them said; "" unless all said "always"."""
    if weaker_reply(approvals) == "once":
        return ""
    scopes = [given["scope"] for given in approvals]
    return next(scope for scope in SCOPES if scope in scopes)
