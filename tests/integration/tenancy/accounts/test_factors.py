"""MFA: TOTP and recovery codes are encrypted at rest, and changed only after the person has authenticated again."""

from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.utils import timezone
from pytest_django.fixtures import Settings
from time_machine import travel

from agentsite.tenancy.accounts.mfa_reencryption import reseal_factors
from tests.support.account_browser import AccountBrowser, codes_wanted, letters, make_account

pytestmark = pytest.mark.django_db
EMAIL = "ada@example.org"


def _code(secret: str) -> str:
    code: str = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))
    return code


@pytest.fixture(autouse=True)
def _within_one_code() -> Iterator[None]:
    """Stop the clock, so that no code expires between being read and being typed."""
    with travel(timezone.now().replace(second=10), tick=False):
        yield


@pytest.fixture
def here() -> AccountBrowser:
    make_account(EMAIL)
    browser = AccountBrowser()
    browser.sign_in(EMAIL)
    return browser


def _switch_on(here: AccountBrowser) -> str:
    """Switch TOTP on; return its secret."""
    here.confirm()
    secret: str = here.ask("GET", "account/authenticators/totp").json()["meta"]["secret"]
    assert here.ask("POST", "account/authenticators/totp", {"code": _code(secret)}).status_code == 200
    return secret


def _recovery_codes(here: AccountBrowser) -> list[str]:
    codes: list[str] = here.ask("GET", "account/authenticators/recovery-codes").json()["data"]["unused_codes"]
    return codes


def test_codes_are_switched_on_only_after_showing_who_one_is(here: AccountBrowser) -> None:
    refused = here.ask("POST", "account/authenticators/totp", {"code": "000000"})
    assert refused.status_code in {400, 401}
    secret = here.ask("GET", "account/authenticators/totp").json()["meta"]["secret"]
    unconfirmed = here.ask("POST", "account/authenticators/totp", {"code": _code(secret)})
    assert (unconfirmed.status_code, unconfirmed.json()["data"]["flows"][0]["id"]) == (401, "reauthenticate")


@pytest.mark.django_db(transaction=True)
def test_switching_codes_on_is_told_by_letter(here: AccountBrowser) -> None:
    _switch_on(here)
    assert "Authenticator app turned on" in [letter.subject for letter in letters()]


def test_the_password_alone_lets_nobody_in_any_more(here: AccountBrowser) -> None:
    secret = _switch_on(here)
    there = AccountBrowser()
    answer = there.sign_in(EMAIL)
    assert (answer.status_code, codes_wanted(answer)) == (401, ["mfa_authenticate"])
    assert not there.is_signed_in
    assert there.ask("POST", "auth/2fa/authenticate", {"code": "000000"}).status_code == 400
    assert not there.is_signed_in
    assert there.ask("POST", "auth/2fa/authenticate", {"code": _code(secret)}).status_code == 200
    assert there.is_signed_in


def test_a_code_that_was_used_does_not_let_in_again(here: AccountBrowser) -> None:
    code = _code(_switch_on(here))
    for status in (200, 400):
        there = AccountBrowser()
        there.sign_in(EMAIL)
        assert there.ask("POST", "auth/2fa/authenticate", {"code": code}).status_code == status


def test_a_recovery_code_works_once(here: AccountBrowser) -> None:
    _switch_on(here)
    code, *rest = _recovery_codes(here)
    assert len(rest) == 9
    for status in (200, 400):
        there = AccountBrowser()
        there.sign_in(EMAIL)
        assert there.ask("POST", "auth/2fa/authenticate", {"code": code}).status_code == status
    assert _recovery_codes(here) == rest


def test_secrets_are_sealed_at_rest(here: AccountBrowser) -> None:
    secret = _switch_on(here)
    kept = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in kept
    assert kept.count("gAAAA") == 2


def test_secrets_open_with_a_former_secret_key(here: AccountBrowser, settings: Settings) -> None:
    _switch_on(here)
    codes = _recovery_codes(here)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the-next-" * 8
    there = AccountBrowser()
    there.sign_in(EMAIL)
    assert there.ask("POST", "auth/2fa/authenticate", {"code": codes[0]}).status_code == 200


def test_switching_off_takes_the_recovery_codes_along(here: AccountBrowser) -> None:
    _switch_on(here)
    assert here.ask("DELETE", "account/authenticators/totp").status_code == 200
    assert not Authenticator.objects.exists()
    assert AccountBrowser().sign_in(EMAIL).status_code == 200


def test_guessing_codes_ends(here: AccountBrowser) -> None:
    _switch_on(here)
    there = AccountBrowser()
    there.sign_in(EMAIL)
    answers: list[Any] = [there.ask("POST", "auth/2fa/authenticate", {"code": "000000"}) for _ in range(12)]
    last = answers[-1].json()["errors"][0]
    assert "Wait five minutes" in last["message"]


def test_after_a_rotation_the_former_key_can_go(here: AccountBrowser, settings: Settings) -> None:
    _switch_on(here)
    codes = _recovery_codes(here)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the-next-" * 8
    report = reseal_factors()
    assert (report.resealed, report.lost) == (2, [])
    settings.SECRET_KEY_FALLBACKS = []
    there = AccountBrowser()
    there.sign_in(EMAIL)
    assert there.ask("POST", "auth/2fa/authenticate", {"code": codes[0]}).status_code == 200
    assert (reseal_factors().resealed, reseal_factors().newest) == (0, 2)


def test_a_second_factor_that_no_key_opens_is_named(here: AccountBrowser, settings: Settings) -> None:
    _switch_on(here)
    settings.SECRET_KEY = "the-next-" * 8
    assert [place.split()[2] for place in reseal_factors().lost] == ["secret", "seed"]
