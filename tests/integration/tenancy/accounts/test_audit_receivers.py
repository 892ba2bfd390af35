"""Events of accounts are recorded in the site's chain of the audit log, without any credential."""

import pytest

from agentsite.tenancy.audit import verify
from agentsite.tenancy.models import AuditChain, AuditEntry, User
from tests.support.account_browser import AccountBrowser, make_account
from tests.support.builders import PASSWORD

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.org"


def _entries() -> list[AuditEntry]:
    return list(AuditEntry.objects.filter(chain__key="site").order_by("seq"))


@pytest.fixture
def user() -> User:
    return make_account(EMAIL)


def test_signing_in_and_out(user: User) -> None:
    browser = AccountBrowser(address="203.0.113.7")
    browser.sign_in(EMAIL)
    browser.sign_out()
    told = [(entry.action, entry.actor, entry.data["address"]) for entry in _entries()]
    assert told == [
        ("account.signed_in", user.public_id, "203.0.113.7"),
        ("account.signed_out", user.public_id, "203.0.113.7"),
    ]
    assert _entries()[0].data["by"] == ["password"]


def test_wrong_passwords_and_being_kept_out(user: User) -> None:
    browser = AccountBrowser()
    for _ in range(5):
        browser.sign_in(EMAIL, "a-wrong-password")
    actions = [(entry.action, entry.actor, entry.subject) for entry in _entries()]
    assert actions.count(("account.sign_in_failed", "site", user.public_id)) == 5
    assert actions.count(("account.locked_out", "site", user.public_id)) == 1


def test_what_somebody_typed_is_not_kept() -> None:
    AccountBrowser().sign_in("my-password@example.org", "a-wrong-password")
    (entry,) = _entries()
    assert (entry.subject, entry.data["known"]) == ("", False)
    assert "password" not in str(entry.data)


def test_a_changed_password(user: User) -> None:
    browser = AccountBrowser()
    browser.sign_in(EMAIL)
    browser.ask(
        "POST", "account/password/change", {"current_password": PASSWORD, "new_password": "gulls-over-the-harbour"}
    )
    assert [entry.action for entry in _entries()] == ["account.signed_in", "account.password_changed"]


def test_the_chain_stays_whole(user: User) -> None:
    browser = AccountBrowser()
    browser.sign_in(EMAIL, "wrong")
    browser.sign_in(EMAIL)
    browser.sign_out()
    assert not list(verify(AuditChain.objects.get(key="site")))
