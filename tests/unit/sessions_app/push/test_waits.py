"""The pauses that a push service may request before the next attempt."""

from datetime import UTC, datetime, timedelta

import pytest

from sessions_app.push.deliveries import MAX_ASKED_WAIT, asked_wait

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", timedelta(seconds=120)),
        ("Tue, 10 Mar 2026 12:05:00 GMT", timedelta(minutes=5)),
        ("Tue, 10 Mar 2026 11:00:00 GMT", timedelta(0)),
        ("999999999999", MAX_ASKED_WAIT),
        ("99999999999999999999999999", timedelta(0)),
        ("", timedelta(0)),
        ("-5", timedelta(0)),
        ("soon", timedelta(0)),
        ("Tue, 10 Mar 2026 12:05:00", timedelta(0)),
        ("²", timedelta(0)),
    ],
)
def test_the_header_is_read_in_both_forms_and_nonsense_asks_for_nothing(header: str, wait: timedelta) -> None:
    assert asked_wait(header, NOW) == wait
