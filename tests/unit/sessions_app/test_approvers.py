"""The people who may answer permission requests and give or revoke grants, and the combined result when two people
answer."""

import pytest

from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from sessions_app.actions.approvers import Answerer, answerer, narrower_scope, stricter, weaker_reply

MEMBER = Answerer(may_answer=True, is_admin=False, started=False)
STARTER = Answerer(may_answer=True, is_admin=False, started=True)
ADMIN = Answerer(may_answer=True, is_admin=True, started=False)
VIEWER = Answerer(may_answer=False, is_admin=False, started=True)


@pytest.mark.parametrize(
    ("approvers", "who"),
    [
        ("member", {MEMBER, STARTER, ADMIN}),
        ("starter", {STARTER, ADMIN}),
        ("admin", {ADMIN}),
        ("two_people", {MEMBER, STARTER, ADMIN}),
    ],
)
def test_these_may_answer(approvers: str, who: set[Answerer]) -> None:
    assert {person for person in (MEMBER, STARTER, ADMIN, VIEWER) if person.may_settle(approvers)} == who


@pytest.mark.parametrize(
    ("granter", "give", "take_back"),
    [("member", {MEMBER, ADMIN}, {MEMBER, ADMIN}), ("admin", {ADMIN}, {ADMIN}), ("nobody", set(), {ADMIN})],
)
def test_these_may_give_and_take_back_an_always(granter: str, give: set[Answerer], take_back: set[Answerer]) -> None:
    people = (MEMBER, ADMIN, VIEWER)
    assert {person for person in people if person.may_grant(granter)} == give
    assert {person for person in people if person.may_revoke(granter)} == take_back


@pytest.mark.parametrize(
    ("role", "may_approve", "rights"),
    [
        (Role.OWNER, True, (True, True)),
        (Role.ADMIN, False, (True, True)),
        (Role.MEMBER, True, (True, False)),
        (Role.MEMBER, False, (False, False)),
        (Role.VIEWER, True, (False, False)),
    ],
)
def test_rights_come_from_the_membership(role: Role, may_approve: bool, rights: tuple[bool, bool]) -> None:
    person = answerer(Membership(user=User(), role=role.value, may_approve=may_approve), started=False)
    assert (person.may_answer, person.is_admin) == rights


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("member", "admin", "admin"), ("two_people", "starter", "two_people"), ("admin", "admin", "admin")],
)
def test_the_stricter_rule_holds(one: str, other: str, holds: str) -> None:
    assert stricter(one, other) == stricter(other, one) == holds


@pytest.mark.parametrize(
    ("said", "reply", "scope"),
    [
        ((("once", ""), ("always", "team")), "once", ""),
        ((("always", "team"), ("always", "session")), "always", "session"),
        ((("always", "project"), ("always", "team")), "always", "project"),
        ((("once", ""), ("once", "")), "once", ""),
    ],
)
def test_two_answers_count_as_the_weaker_reply_and_the_narrower_scope(
    said: tuple[tuple[str, str], ...], reply: str, scope: str
) -> None:
    approvals = [{"reply": given, "scope": place} for given, place in said]
    assert (weaker_reply(approvals), narrower_scope(approvals)) == (reply, scope)
