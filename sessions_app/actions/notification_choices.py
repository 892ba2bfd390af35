"""Store a person's settings for notices: by e-mail, as push notices and in open pages, and the quiet hours."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils import timezone

from agentsite.base.errors import BadInput
from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import User
from sessions_app.models import MailChoice
from sessions_app.models.notification import NEWS, PAGE_NEWS
from sessions_app.queries.quiet_hours import minute_of_day, zone_of

MIN_DELAY_MINUTES: Final = 1
MAX_DELAY_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class WayChange:
    """A change of a person's settings for one delivery channel of notices. None leaves a setting unchanged.

    `what` is the setting for requests and questions that wait, `news` are the kinds of other events to be notified
    about.
    """

    what: str | None = None
    news: Collection[str] | None = None


UNCHANGED: Final = WayChange()


def set_reminder_preferences(
    *,
    actor: User,
    what: str,
    delay_minutes: int,
    news: Collection[str] | None = None,
    quiet: tuple[str, str] | None = None,
    time_zone: str = "UTC",
    push: WayChange = UNCHANGED,
    page: WayChange = UNCHANGED,
) -> MailChoice:
    """Store the person's choices of e-mails (and after how many minutes), push notices and notices of open pages.
    `news` are kinds of `NEWS`; None leaves them as they are. `quiet` is begin and end of the quiet hours, such as
    ("22:00", "07:00"); None for no quiet hours."""
    begin, end = _checked(delay_minutes, news, quiet, time_zone)
    _require_known("push_news", push.news, NEWS)
    _require_known("page_news", page.news, PAGE_NEWS)
    with sqlite_write_lock(), transaction.atomic():
        MailChoice.objects.get_or_create(user=actor)
        row = MailChoice.objects.select_for_update(of=("self",)).get(user=actor)
        if news is not None and set(news) != set(row.news):
            row.news, row.news_since = [kind for kind in NEWS if kind in news], timezone.now()
        if push.news is not None and set(push.news) != set(row.push_news):
            row.push_news, row.push_since = [kind for kind in NEWS if kind in push.news], timezone.now()
        if page.news is not None:
            row.page_news = [kind for kind in PAGE_NEWS if kind in page.news]
        row.push_what = MailChoice.What(push.what or row.push_what)
        row.page_what = MailChoice.What(page.what or row.page_what)
        row.what, row.delay_minutes = MailChoice.What(what), delay_minutes
        row.quiet_from, row.quiet_until, row.time_zone = begin, end, time_zone
        row.save()
    return row


def _checked(
    delay_minutes: int, news: Collection[str] | None, quiet: tuple[str, str] | None, time_zone: str
) -> tuple[int | None, int | None]:
    """Check a person's choices, and return the minutes of the day at which the quiet hours begin and end. Raises
    BadInput."""
    if not MIN_DELAY_MINUTES <= delay_minutes <= MAX_DELAY_MINUTES:
        raise BadInput(
            f"The delay must be between {MIN_DELAY_MINUTES} and {MAX_DELAY_MINUTES:,} minutes.",
            fields={"delay_minutes": "out of range"},
        )
    _require_known("news", news, NEWS)
    if zone_of(time_zone) is None:
        raise BadInput(
            f"There is no time zone '{time_zone[:60]}'.",
            hint="Use a name such as Europe/Berlin.",
            fields={"time_zone": "unknown"},
        )
    if quiet is None:
        return None, None
    begin, end = minute_of_day(quiet[0]), minute_of_day(quiet[1])
    if begin is None or end is None:
        raise BadInput("Quiet hours are two times such as 22:00 and 07:00.", fields={"quiet_hours": "not a time"})
    if begin == end:
        raise BadInput(
            "Quiet hours cannot begin and end at the same time.",
            hint="To get no e-mails at all, switch them off.",
            fields={"quiet_hours": "empty"},
        )
    return begin, end


def _require_known(field: str, news: Collection[str] | None, known: Collection[str]) -> None:
    if unknown := sorted(set(news or ()) - set(known)):
        raise BadInput(
            f"'{unknown[0][:40]}' is not a kind of notice that '{field}' can list.",
            hint=f"The kinds are {', '.join(known)}.",
            fields={field: "unknown"},
        )
