"""Forgotten and changed passwords: reset once by e-mail, and the sign-ins that a new password ends."""

from urllib.parse import unquote

import pytest

from agentsite.tenancy.actions import email_quota
from agentsite.tenancy.actions.tokens import create_token
from tests.support.account_browser import AccountBrowser, key_in, letters, make_account
from tests.support.builders import PASSWORD

pytestmark = pytest.mark.django_db
NEXT = "gulls-over-the-harbour"


def _asked_for(email: str) -> str:
    AccountBrowser().ask("POST", "auth/password/request", {"email": email})
    return unquote(key_in(letters()[-1].body, "reset-password"))


def test_the_mailed_link_sets_a_password_once() -> None:
    make_account("ada@example.org")
    key = _asked_for("ada@example.org")
    browser = AccountBrowser()
    assert browser.ask("GET", "auth/password/reset", **{"X-Password-Reset-Key": key}).status_code == 200
    browser.ask("POST", "auth/password/reset", {"key": key, "password": NEXT})
    assert browser.sign_in("ada@example.org", PASSWORD).status_code == 400
    assert browser.sign_in("ada@example.org", NEXT).status_code == 200
    again = AccountBrowser().ask("POST", "auth/password/reset", {"key": key, "password": "another-one-of-these"})
    assert (again.status_code, again.json()["errors"][0]["code"]) == (400, "invalid_password_reset")


def test_asking_for_an_unknown_address_looks_the_same() -> None:
    make_account("ada@example.org")
    answers = [
        AccountBrowser().ask("POST", "auth/password/request", {"email": email})
        for email in ("ada@example.org", "nobody@example.org")
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert [letter.subject for letter in letters()] == [
        "Set a new password",
        "There is no account with this e-mail address",
    ]


def test_a_password_set_by_letter_ends_every_session() -> None:
    make_account("ada@example.org")
    here = AccountBrowser()
    here.sign_in("ada@example.org")
    AccountBrowser().ask("POST", "auth/password/reset", {"key": _asked_for("ada@example.org"), "password": NEXT})
    assert not here.is_signed_in


def test_changing_the_password_wants_the_current_one_and_ends_the_other_sessions() -> None:
    make_account("ada@example.org")
    here, there = AccountBrowser(), AccountBrowser()
    here.sign_in("ada@example.org")
    there.sign_in("ada@example.org")
    wrong = here.ask("POST", "account/password/change", {"current_password": "no", "new_password": NEXT})
    assert (wrong.status_code, wrong.json()["errors"][0]["message"]) == (400, "The current password is wrong.")
    change = here.ask("POST", "account/password/change", {"current_password": PASSWORD, "new_password": NEXT})
    assert change.status_code == 200
    assert here.is_signed_in
    assert not there.is_signed_in
    assert letters()[-1].subject == "Your password was changed"


def test_a_new_password_like_ones_own_name_is_refused() -> None:
    make_account("grace.hopper@example.org", name="Grace Hopper")
    here = AccountBrowser()
    here.sign_in("grace.hopper@example.org")
    body = {"current_password": PASSWORD, "new_password": "grace.hopper1"}
    answer = here.ask("POST", "account/password/change", body)
    assert "too similar" in answer.json()["errors"][0]["message"]


def test_tokens_outlive_a_new_password() -> None:
    """API tokens stay valid after a change of the password. They are separate secrets, listed on the account page, and
    programs must not stop."""
    user = make_account("ada@example.org")
    secret = create_token(actor=user, name="ci").secret
    AccountBrowser().ask("POST", "auth/password/reset", {"key": _asked_for("ada@example.org"), "password": NEXT})
    answer = AccountBrowser().client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200


def test_a_new_address_is_taken_when_its_letter_was_answered() -> None:
    user = make_account("ada@example.org")
    here = AccountBrowser()
    here.sign_in("ada@example.org")
    assert here.ask("POST", "account/email", {"email": "ada@example.net"}).status_code == 401
    here.confirm()
    assert here.ask("POST", "account/email", {"email": "ada@example.net"}).status_code == 200
    user.refresh_from_db()
    assert user.email == "ada@example.org"
    (letter,) = [letter for letter in letters() if letter.to == ["ada@example.net"]]
    here.ask("POST", "auth/email/verify", {"key": unquote(key_in(letter.body, "verify-email"))})
    user.refresh_from_db()
    assert user.email == "ada@example.net"
    assert {(tuple(one.to), one.subject) for one in letters()[1:]} == {
        (("ada@example.org",), "Your e-mail address was changed")
    }


def test_an_address_gets_so_many_letters_a_day_and_the_answer_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(email_quota, "MAX_PER_KIND_TO_ADDRESS", 2)
    make_account("ada@example.org")
    for email in ("ada@example.org", "nobody@example.org"):
        asked = [AccountBrowser().ask("POST", "auth/password/request", {"email": email}) for _ in range(4)]
        assert {answer.status_code for answer in asked} == {200}
    sent = [letter.to[0] for letter in letters()]
    assert sorted(sent) == ["ada@example.org"] * 2 + ["nobody@example.org"] * 2


def test_links_that_a_sign_in_has_ended_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Password reset links that became invalid by a sign-in do not count towards the limit of e-mails. Otherwise, a
    thief of a password could keep its owner from setting another one for the rest of the day."""
    monkeypatch.setattr(email_quota, "MAX_PER_KIND_TO_ADDRESS", 1)
    make_account("ada@example.org")
    ended = _asked_for("ada@example.org")
    AccountBrowser().sign_in("ada@example.org")
    body = {"key": ended, "password": NEXT}
    assert AccountBrowser().ask("POST", "auth/password/reset", body).status_code == 400
    AccountBrowser().ask("POST", "auth/password/reset", {**body, "key": _asked_for("ada@example.org")})
    assert AccountBrowser().sign_in("ada@example.org", NEXT).status_code == 200
