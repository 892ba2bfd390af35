"""Quiet hours of people, in which neither e-mails nor push notices are sent."""

from datetime import UTC, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sessions_app.models import MailChoice

DAY_MINUTES: Final = 24 * 60


def end_of_quiet_hours(choice: MailChoice, now: datetime) -> datetime | None:
    """Return the time at which the person's present quiet hours end; None outside quiet hours."""
    begin, end = choice.quiet_from, choice.quiet_until
    if begin is None or end is None:
        return None
    local = now.astimezone(zone_of(choice.time_zone) or UTC)
    minute = local.hour * 60 + local.minute
    is_quiet = begin <= minute < end if begin <= end else minute >= begin or minute < end
    if not is_quiet:
        return None
    day = local.date() + timedelta(days=1 if end <= minute else 0)
    return datetime.combine(day, time(end // 60, end % 60), tzinfo=local.tzinfo).astimezone(UTC)


def zone_of(name: str) -> ZoneInfo | None:
    """Return the time zone with this IANA name; None if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def minute_of_day(text: str) -> int | None:
    """Return the minute of the day of a text such as "07:30"; None if it is not a time."""
    hours, colon, minutes = text.partition(":")
    if not (colon and hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit()):
        return None
    minute = int(hours[:3]) * 60 + int(minutes[:3])
    return minute if minute < DAY_MINUTES and int(minutes[:3]) < 60 else None


def time_text(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
