"""Sign-ins of a person are listed with time and address, and can be ended one by one or all others at once."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.utils import timezone
from time_machine import travel

from tests.support.account_browser import AccountBrowser, make_account

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.org"


@pytest.fixture
def here() -> AccountBrowser:
    make_account(EMAIL)
    return _signed_in("192.0.2.1", "Firefox on a desk")


def _signed_in(address: str, agent: str) -> AccountBrowser:
    browser = AccountBrowser(address=address, agent=agent)
    browser.sign_in(EMAIL)
    return browser


def _list(browser: AccountBrowser) -> dict[str, Any]:
    return {row["user_agent"]: row for row in browser.ask("GET", "auth/sessions").json()["data"]}


def test_each_browser_is_listed_with_its_address(here: AccountBrowser) -> None:
    _signed_in("198.51.100.7", "Safari on a phone")
    rows = _list(here)
    assert {(row["ip"], row["is_current"]) for row in rows.values()} == {("192.0.2.1", True), ("198.51.100.7", False)}


def test_another_device_is_ended_at_once(here: AccountBrowser) -> None:
    there = _signed_in("198.51.100.7", "Safari on a phone")
    answer = here.ask("DELETE", "auth/sessions", {"sessions": [_list(here)["Safari on a phone"]["id"]]})
    assert answer.status_code == 200
    assert not there.is_signed_in
    assert here.is_signed_in


def test_a_device_of_somebody_else_is_not_there(here: AccountBrowser) -> None:
    make_account("eve@example.org")
    eve = AccountBrowser()
    eve.sign_in("eve@example.org")
    answer = eve.ask("DELETE", "auth/sessions", {"sessions": [_list(here)["Firefox on a desk"]["id"]]})
    assert answer.status_code == 400
    assert here.is_signed_in


@pytest.mark.parametrize("ids", [[2**63], [2**200], ["x"], [None], "x", {"a": 1}, [[1]], [{}], [-1], [1.5], [True]])
def test_ids_that_are_none_are_bad_input_and_no_failure(here: AccountBrowser, ids: Any) -> None:
    assert here.ask("DELETE", "auth/sessions", {"sessions": ids}).status_code == 400


def test_when_it_was_last_seen_is_written_down_every_few_minutes(here: AccountBrowser, empty_valkey: str) -> None:
    first = UserSession.objects.get().last_seen_at
    with travel(timezone.now() + timedelta(hours=1)):
        here.client.get("/api/v1/me", REMOTE_ADDR="203.0.113.9")
        here.client.get("/api/v1/me", REMOTE_ADDR="203.0.113.10")
    row = UserSession.objects.get()
    assert row.last_seen_at > first + timedelta(minutes=59)
    assert row.ip == "203.0.113.9"
