"""Rules about the people who may answer a permission request or decide "always", and about combining two approvals.
Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act, may
from tools_app.policies.documents import APPROVERS, Approvers, Scope

SCOPES: Final[tuple[Scope, ...]] = ("session", "project", "team")
"""The scopes of an "always" decision, from the narrowest to the widest."""

WHO_MAY_ANSWER: Final[Mapping[str, str]] = {
    "member": "members of the team who may approve requests",
    "starter": "the person who started this turn, or an admin of the team,",
    "admin": "an admin of the team",
    "two_people": "members of the team who may approve requests, two of them,",
}
WHO_MAY_GRANT: Final[Mapping[str, str]] = {
    "member": "Members of the team who may approve requests are.",
    "admin": "Admins of the team are.",
    "nobody": "The policy allows nobody to do so.",
}


@dataclass(frozen=True, slots=True)
class Answerer:
    """A team member's current rights to answer a permission request. `started`: the request belongs to a turn that this
    person started. Service accounts cannot be one of two people who must approve, because the other person may control
    the account."""

    may_answer: bool
    is_admin: bool
    started: bool
    is_person: bool = True

    def may_settle(self, approvers: str) -> bool:
        """Return whether the approver rule `approvers` accepts this person's answer. Under the rule "two_people", this
        is checked for each of the two people."""
        if approvers == "admin":
            return self.may_answer and self.is_admin
        if approvers == "two_people" and not self.is_person:
            return False
        return self.may_answer and (approvers != "starter" or self.started or self.is_admin)

    def may_grant(self, granter: str) -> bool:
        """Return whether this person may answer "always", which creates a grant.

        `granter` is the role that the policy requires for such an answer: "member", "admin" or "nobody".
        """
        return self.may_answer and (granter == "member" or (granter == "admin" and self.is_admin))

    def may_revoke(self, granter: str) -> bool:
        """Return whether this person may revoke a grant. `granter` is the role that may create such grants. Admins may
        always revoke, so that grants can be revoked that the policy lets nobody create any more."""
        return self.may_grant(granter) or self.is_admin


def answerer(membership: Membership, *, started: bool) -> Answerer:
    is_admin = may(membership.role, Act.MANAGE_TEAM)
    return Answerer(membership.may(Act.ANSWER), is_admin, started, is_person=not membership.user.is_service)


def stricter(one: str, other: str) -> Approvers:
    """Return the stricter of two approver rules. Used when a policy changes while a request waits: the request then
    never gets a weaker rule."""
    return max((each for each in APPROVERS if each in (one, other)), key=APPROVERS.index)


def unmet_rule(person: Answerer, approvers: str, others: Iterable[str]) -> str | None:
    """Return the first of the approver rules `approvers` and `others` that the person does not satisfy; None if the
    person satisfies all. A rule for two people does not replace a rule that needs an admin."""
    return next((each for each in (approvers, *sorted(others)) if not person.may_settle(each)), None)


def weaker_reply(approvals: Iterable[Mapping[str, Any]]) -> str:
    return "always" if all(given["reply"] == "always" for given in approvals) else "once"


def narrower_scope(approvals: Sequence[Mapping[str, Any]]) -> str:
    """Return the narrowest scope among a request's approvals; "" if an approval is only for "once"."""
    if weaker_reply(approvals) == "once":
        return ""
    scopes = [given["scope"] for given in approvals]
    return next(scope for scope in SCOPES if scope in scopes)
