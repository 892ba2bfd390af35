"""Invitations over the API: rights to invite, the role that a link gives, and the end of its validity."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from agentsite.base.errors import TooMany
from agentsite.tenancy.actions import email_quota
from agentsite.tenancy.actions.invitations import accept_invitation, invite, open_invitation
from agentsite.tenancy.models import AuditEntry, Invitation, Membership, OutgoingMail, Team, User
from agentsite.tenancy.roles import Role
from tests.support.builders import browser_of, join, make_member, make_team, make_user
from tests.support.rest_api import RestApi
from tests.support.threads import race

pytestmark = pytest.mark.django_db


def ask(team: Team, by: User, email: str = "new@example.org", **more: Any) -> dict[str, Any]:
    path = f"/teams/{team.public_id}/invitations"
    made: dict[str, Any] = RestApi(by)("post", path, {"email": email, **more}, expect=201)
    return made


def accept(user: User, secret: str, *, expect: int = 200) -> Any:
    """Accept an invitation in a browser, because API tokens cannot accept one."""
    body = {"secret": secret}
    answer = browser_of(user).post("/api/v1/invitations/accept", body, content_type="application/json")
    assert answer.status_code == expect, answer.content
    return answer.json()


def secret_of(issued: dict[str, Any]) -> str:
    return str(issued["link"]).rpartition("/")[2]


def test_who_was_invited_joins_with_the_role_they_were_asked_for() -> None:
    team = make_team()
    admin, newcomer = make_member(team, Role.ADMIN), make_user("new@example.org")
    issued = ask(team, admin, "New@Example.org ", role="member", may_approve=False)

    joined = accept(newcomer, secret_of(issued))

    assert (joined["role"], joined["may_approve"]) == ("member", False)
    assert Membership.objects.filter(team=team, user=newcomer, may_approve=False).exists()
    recorded = AuditEntry.objects.filter(chain__team=team, action__startswith="invitation.")
    assert set(recorded.values_list("action", flat=True)) == {"invitation.created", "invitation.accepted"}


def test_the_link_in_the_letter_is_another_one_and_shows_whose_the_address_is() -> None:
    team = make_team()
    admin = make_member(team, Role.ADMIN)
    issued = invite(actor=admin, team=team, email="new@example.org", role="member")
    letter = OutgoingMail.objects.get(to="new@example.org")

    assert issued.mailed_secret in letter.text
    assert issued.secret not in letter.text
    by_mail, by_hand = open_invitation(issued.mailed_secret), open_invitation(issued.secret)
    assert by_mail is not None
    assert by_hand is not None
    assert (by_mail.by_mail, by_hand.by_mail) == (True, False)


def test_anybody_with_the_link_may_see_what_it_is_for() -> None:
    team = make_team()
    issued = ask(team, make_member(team, Role.OWNER))
    seen = RestApi(make_user())("post", "/invitations/open", {"secret": secret_of(issued)})
    assert (seen["team_name"], seen["email"], seen["role"]) == (team.name, "new@example.org", "member")


def test_a_link_works_once() -> None:
    team = make_team()
    person = make_user("new@example.org")
    secret = secret_of(ask(team, make_member(team, Role.OWNER)))
    accept_invitation(actor=person, secret=secret)
    Membership.objects.filter(user=person).delete()
    assert open_invitation(secret) is None
    assert accept(person, secret, expect=404)["error"]["code"] == "invitation_closed"


def test_a_link_is_for_its_address_alone() -> None:
    team = make_team()
    secret = secret_of(ask(team, make_member(team, Role.OWNER)))
    assert accept(make_user(), secret, expect=403)["error"]["code"] == "other_address"
    assert open_invitation(secret) is not None


def test_an_expired_or_revoked_link_opens_nothing() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    first, second = ask(team, owner, "a@example.org"), ask(team, owner, "b@example.org")
    Invitation.objects.filter(email="a@example.org").update(expires_at=timezone.now() - timedelta(seconds=1))
    RestApi(owner)("delete", f"/invitations/{second['id']}", expect=204)
    assert [open_invitation(secret_of(issued)) for issued in (first, second)] == [None, None]


def test_sending_again_makes_a_new_link_and_closes_the_old_one() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    first = ask(team, owner)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    again = RestApi(owner)("post", f"/invitations/{first['id']}/resend", {})
    assert again["state"] == "open"
    assert open_invitation(secret_of(first)) is None
    assert open_invitation(secret_of(again)) is not None
    assert OutgoingMail.objects.filter(to="new@example.org").count() == 2


def test_only_owners_invite_owners() -> None:
    team = make_team()
    path, body = f"/teams/{team.public_id}/invitations", {"email": "new@example.org", "role": "owner"}
    RestApi(make_member(team, Role.ADMIN)).error("post", path, body, expect=403)
    RestApi(make_member(team, Role.OWNER))("post", path, body, expect=201)


@pytest.mark.parametrize("email", ["nobody", "a@b", "a b@example.org", "x" * 250 + "@example.org"])
def test_what_is_no_address_is_a_named_field(email: str) -> None:
    team = make_team()
    path = f"/teams/{team.public_id}/invitations"
    error = RestApi(make_member(team, Role.OWNER)).error("post", path, {"email": email}, expect=400)
    assert "email" in error["fields"]


def test_a_member_or_somebody_who_was_asked_already_is_not_asked_again() -> None:
    team = make_team()
    owner = make_member(team, Role.OWNER)
    path = f"/teams/{team.public_id}/invitations"
    assert RestApi(owner).error("post", path, {"email": owner.email}, expect=409)["code"] == "already_member"
    ask(team, owner)
    error = RestApi(owner).error("post", path, {"email": "NEW@example.org"}, expect=409)
    assert error["code"] == "already_invited"


def test_who_is_sent_away_leaves_no_invitation_open() -> None:
    team = make_team()
    owner, admin = make_member(team, Role.OWNER), make_member(team, Role.ADMIN)
    secret = secret_of(ask(team, admin))
    member = Membership.objects.get(team=team, user=admin)
    RestApi(owner)("delete", f"/members/{member.public_id}", expect=204)
    assert open_invitation(secret) is None


@pytest.mark.django_db(transaction=True)
def test_two_who_accept_at_once_are_one_member() -> None:
    team = make_team()
    person = make_user("new@example.org")
    issued = invite(actor=join(team, make_user(), Role.OWNER).user, team=team, email=person.email, role="member")
    both = (issued.secret, issued.mailed_secret)
    outcomes = race(*(lambda secret=secret: accept_invitation(actor=person, secret=secret) for secret in both))
    assert sum(isinstance(outcome, Membership) for outcome in outcomes) == 1
    assert Membership.objects.filter(team=team, user=person).count() == 1


def test_an_address_and_a_team_have_their_letters_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    team, other = make_team(), make_team()
    owner, theirs = make_member(team, Role.OWNER), make_member(other, Role.OWNER)
    monkeypatch.setattr(email_quota, "MAX_INVITATIONS_TO_ADDRESS", 2)
    path = f"/invitations/{ask(team, owner)['id']}/resend"
    opens = secret_of(RestApi(owner)("post", path, {}))
    assert RestApi(owner).error("post", path, {}, expect=429)["code"] == "letters_to_address"
    assert open_invitation(opens) is not None

    with pytest.raises(TooMany, match="This e-mail address"):
        invite(actor=theirs, team=other, email="NEW@example.org", role="member")
    monkeypatch.setattr(email_quota, "MAX_INVITATIONS_OF_TEAM", 3)
    ask(team, owner, "third@example.org")
    with pytest.raises(TooMany, match="This team"):
        invite(actor=owner, team=team, email="fourth@example.org", role="member")
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        invite(actor=owner, team=team, email="fourth@example.org", role="member")
