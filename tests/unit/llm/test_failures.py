"""A provider's message about a failure is quoted briefly and without secrets."""

from datetime import UTC, datetime

import pytest

from sessions_app.llm import failures
from sessions_app.llm.port import LlmOverflow, LlmUnavailable, ModelEndpoint

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
ENDPOINT = ModelEndpoint(
    kind="openai_compatible",
    model="m",
    base_url="https://user:hunter2@models.example:8443/v1",
    api_key="abcd1234secret",
    headers={"X-Extra": "header-secret"},
)


@pytest.mark.parametrize(
    "text",
    [
        "key abcd1234secret",
        "sent header-secret",
        "sk-proj-abc***xyz is wrong",
        "Bearer eyJhbGciOi",
        "AIzaSyA1234567890",
    ],
)
def test_secrets_are_masked(text: str) -> None:
    masked = failures.redact(text, ENDPOINT)
    assert "***" in masked
    assert not any(secret in masked for secret in ("abcd1234secret", "header-secret", "proj", "eyJ", "SyA"))


def test_only_host_and_port_of_an_address_are_shown() -> None:
    assert failures.host_of(ENDPOINT) == "models.example:8443"


def test_long_words_are_cut() -> None:
    assert len(failures.provider_words("x" * 5000, ENDPOINT)) <= failures.MAX_QUOTED_LENGTH


def test_web_pages_are_not_quoted() -> None:
    assert failures.provider_words("<!DOCTYPE html><html>Oops</html>", ENDPOINT) == ""


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_waits_are_read_in_every_spelling(headers: dict[str, str], seconds: float | None) -> None:
    assert failures.retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 8192 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "Input is too long for requested model.",
        "The input token count (1200000) exceeds the maximum number of tokens allowed",
        "Please reduce the length of the messages",
        '{"error": {"code": "context_length_exceeded"}}',
    ],
)
def test_overflow_is_known_in_many_words(words: str) -> None:
    assert isinstance(failures.from_status(ENDPOINT, 400, words, {}), LlmOverflow)


def test_an_error_event_with_a_status_is_treated_as_that_status() -> None:
    error = failures.from_error_event(ENDPOINT, {"code": 429, "message": "slow down"})
    assert isinstance(error, LlmUnavailable)
    assert "too many requests" in error.message
