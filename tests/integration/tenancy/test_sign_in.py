"""Signing in from a browser, through allauth's headless API and under our CSRF rule."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from tests.support.account_browser import make_account
from tests.support.builders import PASSWORD, browser_of, make_user

pytestmark = pytest.mark.django_db
LOGIN = "/_allauth/browser/v1/auth/login"


def _fresh_browser() -> Client:
    """Return a browser that has loaded the page and thus has the CSRF cookie."""
    browser = Client(enforce_csrf_checks=True)
    browser.get("/")
    return browser


def _headers(browser: Client) -> Mapping[str, str]:
    return {"X-CSRFToken": browser.cookies["csrftoken"].value}


def _sign_in(browser: Client, email: str, password: str) -> Any:
    body = {"email": email, "password": password}
    return browser.post(LOGIN, body, content_type="application/json", headers=_headers(browser))


def test_e_mail_and_password_sign_in_whatever_the_case_of_the_address() -> None:
    user, browser = make_account("ada@example.org"), _fresh_browser()
    assert _sign_in(browser, "Ada@Example.org", PASSWORD).status_code == 200
    assert browser.get("/api/v1/me").json()["user"]["id"] == user.public_id


def test_a_wrong_password_is_refused_and_leaves_nobody_signed_in() -> None:
    make_user("ada@example.org")
    browser = _fresh_browser()
    assert _sign_in(browser, "ada@example.org", "wrong-password").status_code == 400
    assert browser.get("/api/v1/me").status_code == 401


def test_signing_in_without_the_csrf_token_is_refused() -> None:
    make_user("ada@example.org")
    body = {"email": "ada@example.org", "password": PASSWORD}
    answer = _fresh_browser().post(LOGIN, body, content_type="application/json")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "csrf_failed"


def test_signing_out_ends_the_session() -> None:
    make_account("ada@example.org")
    browser = _fresh_browser()
    _sign_in(browser, "ada@example.org", PASSWORD)
    browser.delete("/_allauth/browser/v1/auth/session", headers=_headers(browser))
    assert browser.get("/api/v1/me").status_code == 401


def test_a_write_from_the_browser_needs_the_csrf_token() -> None:
    browser = browser_of(make_user(), csrf=True)
    answer = browser.post("/api/v1/tokens", {"name": "x"}, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "csrf_failed")


def test_a_read_from_the_browser_does_not() -> None:
    assert browser_of(make_user(), csrf=True).get("/api/v1/me").status_code == 200


def test_the_address_is_kept_in_lower_case() -> None:
    assert make_user("Grace@Example.ORG").email == "grace@example.org"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"email":' + "[" * 5000, 400),
        ('{"email":' + "[" * 100_000, 413),
        ("no json", 400),
        ("\x00", 400),
        ('["email"]', 400),
        ('{"email": "a\\u0000@example.org", "password": "x"}', 400),
        ('{"email": "a@example.org", "password": "\\ud800"}', 400),
    ],
)
def test_a_body_that_no_form_sends_is_refused_with_words(body: str, status: int) -> None:
    answer = Client().post(LOGIN, body, content_type="application/json")
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
