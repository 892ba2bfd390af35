"""The end of quiet hours in the person's own time zone."""

from datetime import UTC, datetime

import pytest

from sessions_app.models import MailChoice
from sessions_app.queries.quiet_hours import end_of_quiet_hours, minute_of_day, time_text, zone_of


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=UTC)


def choice(begin: str = "22:00", end: str = "07:00", zone: str = "Europe/Berlin") -> MailChoice:
    return MailChoice(quiet_from=minute_of_day(begin), quiet_until=minute_of_day(end), time_zone=zone)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        (at(10, 20, 59), None),  # 21:59 in Berlin
        (at(10, 21), at(11, 6)),
        (at(11, 5, 59), at(11, 6)),
        (at(11, 6), None),
        (at(28, 22), at(29, 5)),  # summer time begins that night
    ],
)
def test_quiet_hours_over_midnight(now: datetime, end: datetime | None) -> None:
    assert end_of_quiet_hours(choice(), now) == end


def test_quiet_hours_within_a_day() -> None:
    noon = choice("12:00", "13:30", "Asia/Kolkata")
    assert end_of_quiet_hours(noon, at(10, 6, 30)) == at(10, 8)
    assert end_of_quiet_hours(noon, at(10, 8)) is None


def test_without_quiet_hours_no_time_is_quiet() -> None:
    assert end_of_quiet_hours(MailChoice(), at(10, 3)) is None


def test_a_zone_that_is_gone_counts_as_utc() -> None:
    assert end_of_quiet_hours(choice(zone="Mars/Base"), at(10, 22)) == at(11, 7)


@pytest.mark.parametrize("text", ["", "7", "24:00", "07:60", "-1:00", "aa:bb", "07:3x", "١٢:٠٠", "07:30:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    assert minute_of_day(text) is None


def test_times_are_read_as_they_are_written() -> None:
    assert [time_text(minute_of_day(text) or 0) for text in ("00:00", "07:30", "23:59")] == ["00:00", "07:30", "23:59"]


@pytest.mark.parametrize("name", ["", "../etc/passwd", "/etc/localtime", "Mars/Base", "x" * 64])
def test_what_is_no_zone_is_refused(name: str) -> None:
    assert zone_of(name) is None
