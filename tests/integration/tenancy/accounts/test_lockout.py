"""Repeated wrong passwords lock an account for one IP address, for a stated time; resetting the password by e-mail ends
the lock."""

from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings
from time_machine import travel

from tests.support.account_browser import AccountBrowser, key_in, letters, make_account
from tests.support.builders import PASSWORD

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.org"


def _guess(browser: AccountBrowser, times: int = 5) -> None:
    for _ in range(times):
        browser.sign_in(EMAIL, "not-the-password")


def test_after_five_wrong_passwords_the_right_one_does_not_help_and_the_answer_says_how_long() -> None:
    make_account(EMAIL)
    browser = AccountBrowser()
    _guess(browser)
    answer = browser.sign_in(EMAIL)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (429, "locked_out")
    assert "15 minutes" in error["message"]
    assert 0 < int(answer.headers["Retry-After"]) <= 900
    assert not browser.is_signed_in


def test_asking_meanwhile_does_not_make_it_longer() -> None:
    make_account(EMAIL)
    browser = AccountBrowser()
    _guess(browser)
    with travel(timezone.now() + timedelta(minutes=10)):
        assert "5 minutes" in browser.sign_in(EMAIL).json()["error"]["message"]
    with travel(timezone.now() + timedelta(minutes=16)):
        assert browser.sign_in(EMAIL).status_code == 200


def test_it_holds_for_that_account_and_that_address_only() -> None:
    make_account(EMAIL)
    make_account("bob@example.org")
    browser = AccountBrowser(address="192.0.2.1")
    _guess(browser)
    assert browser.sign_in("bob@example.org").status_code == 200
    assert AccountBrowser(address="192.0.2.2").sign_in(EMAIL).status_code == 200


def test_guesses_from_many_addresses_end_too() -> None:
    make_account(EMAIL)
    for number in range(5):
        _guess(AccountBrowser(address=f"192.0.2.{number + 10}"), times=2)
    answer = AccountBrowser(address="192.0.2.99").sign_in(EMAIL)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "too_many_login_attempts")


def test_a_new_password_by_letter_lets_in_at_once() -> None:
    make_account(EMAIL)
    browser = AccountBrowser()
    _guess(browser)
    browser.ask("POST", "auth/password/request", {"email": EMAIL})
    key = unquote(key_in(letters()[-1].body, "reset-password"))
    browser.ask("POST", "auth/password/reset", {"key": key, "password": "gulls-over-the-harbour"})
    assert browser.sign_in(EMAIL, "gulls-over-the-harbour").status_code == 200


def test_behind_a_proxy_the_address_is_what_the_proxy_saw(settings: Settings) -> None:
    settings.PROXY_COUNT = 1
    make_account(EMAIL)
    proxy = AccountBrowser(address="10.0.0.1")
    for number in range(5):  # an address that the attacker puts into the header has no effect
        body = {"email": EMAIL, "password": "not-the-password"}
        proxy.ask("POST", "auth/login", body, **{"X-Forwarded-For": f"198.51.100.{number}, 203.0.113.7"})
    body = {"email": EMAIL, "password": PASSWORD}
    same = proxy.ask("POST", "auth/login", body, **{"X-Forwarded-For": "198.51.100.99, 203.0.113.7"})
    other = proxy.ask("POST", "auth/login", body, **{"X-Forwarded-For": "203.0.113.8"})
    assert (same.status_code, other.status_code) == (429, 200)
