"""Sign-up: people who may create an account, rules for passwords, and no access before the address is confirmed."""

from typing import Any
from urllib.parse import unquote

import pytest
from pytest_django import Settings

from agentsite.tenancy.actions.invitations import invite, revoke_invitation
from agentsite.tenancy.models import Membership, User
from agentsite.tenancy.roles import Role
from tests.support.account_browser import AccountBrowser, codes_wanted, key_in, letters, make_account
from tests.support.builders import make_member, make_team

pytestmark = pytest.mark.django_db
NEW = {"email": "New@Example.org", "password": "rain-on-tin-roofs", "name": "Nell New"}


@pytest.fixture
def _open(settings: Settings) -> None:
    settings.SIGN_UP = "open"


@pytest.mark.parametrize("rule", ["closed", "invitation"])
def test_nobody_signs_up_without_being_asked_in(rule: str, settings: Settings) -> None:
    settings.SIGN_UP = rule
    assert AccountBrowser().ask("POST", "auth/signup", NEW).status_code == 403
    assert not User.objects.exists()


@pytest.mark.usefixtures("_open")
def test_signing_in_waits_for_the_address() -> None:
    browser = AccountBrowser()
    answer = browser.ask("POST", "auth/signup", NEW)
    assert (answer.status_code, codes_wanted(answer)) == (401, ["verify_email"])
    assert not browser.is_signed_in
    again = AccountBrowser()
    assert codes_wanted(again.sign_in("new@example.org", NEW["password"])) == ["verify_email"]
    assert not again.is_signed_in


@pytest.mark.usefixtures("_open")
def test_the_mailed_link_confirms_the_address_and_signs_in_the_browser_that_signed_up() -> None:
    browser = AccountBrowser()
    browser.ask("POST", "auth/signup", NEW)
    (letter,) = letters()
    assert letter.to == ["new@example.org"]
    key = unquote(key_in(letter.body, "verify-email"))
    assert AccountBrowser().ask("GET", "auth/email/verify", **{"X-Email-Verification-Key": key}).status_code == 200
    assert browser.ask("POST", "auth/email/verify", {"key": key}).status_code == 200
    assert browser.is_signed_in
    assert User.objects.get().name == "Nell New"


@pytest.mark.usefixtures("_open")
def test_the_link_in_another_browser_confirms_and_signs_nobody_in() -> None:
    AccountBrowser().ask("POST", "auth/signup", NEW)
    other = AccountBrowser()
    other.ask("POST", "auth/email/verify", {"key": unquote(key_in(letters()[0].body, "verify-email"))})
    assert not other.is_signed_in
    assert other.sign_in("new@example.org", NEW["password"]).status_code == 200


@pytest.mark.usefixtures("_open")
@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short", "at least 12 characters"),
        ("123456789012345", "entirely numeric"),
        ("1qaz2wsx3edc", "too common"),
        ("nell.new@example.org", "too similar"),
    ],
)
def test_a_weak_password_is_refused_with_the_reason(password: str, reason: str) -> None:
    body = {"email": "nell.new@example.org", "password": password, "name": "Nell New"}
    answer = AccountBrowser().ask("POST", "auth/signup", body)
    assert answer.status_code == 400
    assert reason in " ".join(error["message"] for error in answer.json()["errors"])
    assert {error["param"] for error in answer.json()["errors"]} == {"password"}


@pytest.mark.usefixtures("_open")
def test_who_has_an_account_learns_it_by_letter_and_nobody_else_does() -> None:
    make_account("new@example.org")
    taken = AccountBrowser().ask("POST", "auth/signup", NEW)
    free = AccountBrowser().ask("POST", "auth/signup", {**NEW, "email": "free@example.org"})
    assert (taken.status_code, codes_wanted(taken)) == (free.status_code, codes_wanted(free))
    assert [letter.subject for letter in letters()] == ["You already have an account", "Confirm your e-mail address"]


def test_the_wrong_link_confirms_nothing() -> None:
    answer = AccountBrowser().ask("POST", "auth/email/verify", {"key": "nonsense"})
    assert answer.status_code == 400
    assert "no longer valid" in answer.json()["errors"][0]["message"]


def _invited(email: str = "new@example.org") -> Any:
    team = make_team()
    return invite(actor=make_member(team, Role.OWNER), team=team, email=email, role="member")


def test_the_mailed_invitation_lets_its_address_in_and_into_the_team_at_once() -> None:
    issued = _invited()
    browser = AccountBrowser()
    answer = browser.ask("POST", "auth/signup", {**NEW, "invitation": issued.mailed_secret})
    assert answer.status_code == 200
    assert browser.is_signed_in
    assert Membership.objects.get(team=issued.invitation.team, user__email="new@example.org").role == "member"


def test_a_link_that_was_handed_on_lets_in_after_the_address_is_confirmed() -> None:
    issued = _invited()
    browser = AccountBrowser()
    answer = browser.ask("POST", "auth/signup", {**NEW, "invitation": issued.secret})
    assert (answer.status_code, codes_wanted(answer)) == (401, ["verify_email"])
    assert not Membership.objects.filter(user__email="new@example.org").exists()
    browser.ask("POST", "auth/email/verify", {"key": unquote(key_in(letters()[-1].body, "verify-email"))})
    accepted = browser.ask("POST", "/api/v1/invitations/accept", {"secret": issued.secret})
    assert accepted.status_code == 200


def test_an_invitation_is_for_its_own_address_only() -> None:
    issued = _invited("somebody.else@example.org")
    answer = AccountBrowser().ask("POST", "auth/signup", {**NEW, "invitation": issued.mailed_secret})
    assert answer.status_code == 403
    assert not User.objects.filter(email="new@example.org").exists()


def test_an_invitation_that_was_taken_back_lets_nobody_in() -> None:
    issued = _invited()
    owner = issued.invitation.invited_by
    revoke_invitation(actor=owner, invitation=issued.invitation)
    answer = AccountBrowser().ask("POST", "auth/signup", {**NEW, "invitation": issued.mailed_secret})
    assert answer.status_code == 403


def test_a_closed_site_lets_in_nobody_invited_either(settings: Settings) -> None:
    settings.SIGN_UP = "closed"
    issued = _invited()
    answer = AccountBrowser().ask("POST", "auth/signup", {**NEW, "invitation": issued.mailed_secret})
    assert answer.status_code == 403
