"""The retry policy: five retries, after pauses that double from two to thirty seconds, or as the provider requests."""

import pytest

from sessions_app.llm.port import LlmError, LlmOverflow, LlmRefused, LlmUnavailable
from sessions_app.llm.retry import GiveUp, Retry, decide_retry


@pytest.mark.parametrize(("failures", "delay"), [(1, 2), (2, 4), (3, 8), (4, 16), (5, 30)])
def test_waits_double_up_to_the_cap(failures: int, delay: float) -> None:
    assert decide_retry(LlmUnavailable("busy"), failures=failures, jitter=0) == Retry(failures, delay)


def test_jitter_adds_at_most_a_quarter() -> None:
    assert decide_retry(LlmUnavailable("busy"), failures=2, jitter=1.0) == Retry(2, 5.0)


def test_jitter_never_passes_the_cap() -> None:
    assert decide_retry(LlmUnavailable("busy"), failures=5, jitter=0.99) == Retry(5, 30.0)


def test_the_sixth_failure_ends_it() -> None:
    assert isinstance(decide_retry(LlmUnavailable("busy"), failures=6, jitter=0), GiveUp)


@pytest.mark.parametrize(("retries", "failures"), [(0, 1), (2, 3)])
def test_a_provider_can_want_fewer_retries(retries: int, failures: int) -> None:
    error = LlmUnavailable("busy")
    assert isinstance(decide_retry(error, failures=failures, jitter=0, retries=retries), GiveUp)
    if retries:
        assert isinstance(decide_retry(error, failures=retries, jitter=0, retries=retries), Retry)


@pytest.mark.parametrize("seconds", [0.5, 45.0, 600.0])
def test_a_wait_that_is_asked_for_is_obeyed_to_the_letter(seconds: float) -> None:
    error = LlmUnavailable("busy", retry_after=seconds)
    assert decide_retry(error, failures=1, jitter=0.7) == Retry(1, seconds)


def test_a_wait_of_hours_ends_it_with_a_reason() -> None:
    verdict = decide_retry(LlmUnavailable("busy", retry_after=7200), failures=1, jitter=0)
    assert isinstance(verdict, GiveUp)
    assert "7200" in verdict.reason


@pytest.mark.parametrize("error", [LlmRefused("no"), LlmOverflow("too long"), LlmError("?")])
def test_what_would_fail_again_is_not_tried_again(error: LlmError) -> None:
    assert isinstance(decide_retry(error, failures=1, jitter=0), GiveUp)
