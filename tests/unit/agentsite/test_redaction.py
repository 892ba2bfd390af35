"""No line of a log contains a secret, in any form."""

import sqlite3
from typing import Any, Final

import pytest

from agentsite.base.redaction import HIDDEN, find_key, redact_names, redactor

SECRET: Final = "hunter2-hunter2-hunter2"

TEXTS: Final = (
    f"token ags_{SECRET} was used",
    f"asked with sk-{SECRET}",
    f"asked with sk-ant-api03-{SECRET}",
    f"Authorization: Bearer {SECRET}",
    f"authorization=Basic {SECRET}",
    f"Cookie: a=b; agentsite_session={SECRET}; c=d",
    f"Cookie: __Host-agentsite_session={SECRET}",
    f"csrftoken={SECRET}",
    f"GET /ws/me?ticket={SECRET} 101",
    f"GET /ws/sessions/ses_1?after=3&ticket={SECRET} 101",
    f"GET /callback?code={SECRET}&state=running",
    f"GET /invitations/{SECRET} 200",
    f"POST /api/v1/invitations/{SECRET}/accept",
    f"GET /share/{SECRET}",
    f"GET /shared/{SECRET}?x=1",
    f"https://example.org/reset-password/{SECRET}",
    f"https://example.org/verify-email/{SECRET}",
    f"could not connect to postgres://agentsite:{SECRET}@db/agentsite",
    f"redis://:{SECRET}@cache:6379/0 is away",
    f"otpauth://totp/agentsite:ada?secret={SECRET}&issuer=agentsite",
    f"eyJhbGciOiJIUzI1NiJ9.{SECRET}.{SECRET}",
    f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{SECRET} cut off",
    f"pbkdf2_sha256$1000000$salt${SECRET}",
    f"argon2$argon2id$v=19$m=102400$c2FsdA${SECRET}",
    f"{{'password': '{SECRET}', 'email': 'ada@example.org'}}",
    f'{{"api_key": "{SECRET}", "name": "x"}}',
    f"password={SECRET}",
    f"Failing row contains (1, ada@example.org, {SECRET}).",
    f"DETAIL:  Key (secret_hash)=({SECRET}) already exists.",
    f"INSERT INTO x (secret_hash) VALUES (...) params secret_hash='{SECRET}'",
    f"Task failed: args=['ses_1', 'ags_{SECRET}'] kwargs={{'token': '{SECRET}'}}",
    f"whsec_{SECRET}",
    f"git clone https://x-access-token:{SECRET}@github.com/a/b",
    f"ghp_{SECRET.replace('-', '')}hunter2",
)

VALUES: Final[tuple[Any, ...]] = (
    {"password": SECRET},
    {"headers": {"Authorization": SECRET, "Set-Cookie": SECRET}},
    {"deep": [{"api_key": SECRET}, ("x", {"otp": SECRET})]},
    {"error": ValueError(f"Bearer {SECRET}")},
    {"error": sqlite3.IntegrityError(f"Key (password)=({SECRET})")},
    {"bytes": f"token=ags_{SECRET}".encode()},
    {"set": {f"ags_{SECRET}"}},
    {"recovery_codes": SECRET, "ticket": SECRET, "private_key": SECRET, "aws_secret_access_key": SECRET},
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_holds_a_secret_loses_it(text: str) -> None:
    found = redactor()(text)
    assert "hunter2" not in found
    assert HIDDEN in found


@pytest.mark.parametrize("value", VALUES, ids=lambda value: next(iter(value)))
def test_whatever_holds_texts_loses_it_too(value: Any) -> None:
    assert "hunter2" not in str(redact_names(value, redactor()))


def test_what_this_process_knows_is_hidden_wherever_it_stands() -> None:
    known = redactor(["tea-is-at-four-oclock", "tea", ""])
    assert known("it said tea-is-at-four-oclock") == f"it said {HIDDEN}"
    assert known("tea time") == "tea time"


@pytest.mark.parametrize(
    "text",
    [
        "GET /api/v1/sessions/ses_019012345678 200",
        "session ses_01a2033f3ee77b5b86b27c5a0399c60 is running",
        "step took 12 tokens, 30 ms",
        "GET /share/x",
        "the task was skipped",
        "GET /projects?state=open&cursor=cur_1".replace("state=open&", ""),
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_ordinary_lines_stay_as_they_are(text: str) -> None:
    assert redactor()(text) == text


def test_numbers_and_nothing_stay_what_they_are() -> None:
    assert redactor()({"tokens": {"input": 3}, "done": True, "cost": 0.5, "error": None}) == {
        "tokens": {"input": 3}, "done": True, "cost": 0.5, "error": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use ghp_0123456789abcdefghij for pushes.", "ghp_01"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIO"),
        ("-----BEGIN PRIVATE KEY-----\nabc", "-----B"),
        ("The index pk_orders_by_day is slow; sk-learn-contrib is not used.", ""),
        ("The password is in the vault, token: see there.", ""),
    ],
)
def test_a_key_is_found_by_its_form_and_a_name_with_such_a_prefix_is_none(text: str, found: str) -> None:
    assert find_key(text) == found
