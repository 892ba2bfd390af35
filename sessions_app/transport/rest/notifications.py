"""REST endpoints: a person's settings for notices."""

from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.notification_choices import (
    MAX_DELAY_MINUTES,
    MIN_DELAY_MINUTES,
    WayChange,
    set_reminder_preferences,
)
from sessions_app.events.schema import View
from sessions_app.models import MailChoice
from sessions_app.queries.quiet_hours import time_text

router = Router(tags=["together"])

What = Literal["off", "own", "all"]
News = Literal["turn_ended", "turn_failed", "comment", "checks_failed", "budget"]
PageNews = Literal["turn_ended", "budget"]


class QuietHours(View):
    """The hours of each day without e-mails and push notices, such as `22:00` until `07:00`, in your time zone. Notices
    that are still due when the quiet hours end are sent together, in one e-mail and one push notice."""

    begin: str
    end: str


class NotificationsView(View):
    """The notices that you get. `mail` selects the waiting requests and questions that you get e-mails about: `off`
    (none), `own` (in your own sessions and turns) or `all` (all that you may answer). An e-mail is sent when a request
    has waited for `delay_minutes` and you do not have the session open. `news` are the other kinds: a turn that you
    started has ended or failed, somebody commented on changes of your session, checks of its pull request failed, a
    budget is nearly or fully used.

    `push` and `push_news` are the same for push notices, which the browsers of `GET /me/push` get at once. `page` and
    `page_news` are the same for the notices that open pages of the site show, in browsers where these notices are on;
    in `page_news`, `turn_ended` includes turns that failed.
    """

    mail: What
    delay_minutes: int
    news: list[News]
    push: What
    push_news: list[News]
    page: What
    page_news: list[PageNews]
    quiet_hours: QuietHours | None
    time_zone: str


class QuietHoursChange(RequestBody):
    begin: str = Field(max_length=5)
    end: str = Field(max_length=5)


class NotificationsChange(RequestBody):
    """The notices that you want. Omitted fields stay unchanged, except `delay_minutes`, which then gets its default;
    `mail` is required. `quiet_hours` null turns quiet hours off. `time_zone` is a name such as `Europe/Berlin`."""

    mail: What
    delay_minutes: int = Field(default=5, ge=MIN_DELAY_MINUTES, le=MAX_DELAY_MINUTES)
    news: list[News] | None = None
    push: What | None = None
    push_news: list[News] | None = None
    page: What | None = None
    page_news: list[PageNews] | None = None
    quiet_hours: QuietHoursChange | None = None
    time_zone: str = Field(default="UTC", max_length=64)


@router.get("/me/notifications", response=NotificationsView, operation_id="get_notifications")
def get_notifications(request: HttpRequest) -> NotificationsView:
    """Return your settings for notices."""
    return _view(MailChoice.objects.filter(user=current_user(request)).first() or MailChoice())


@router.put("/me/notifications", response=NotificationsView, operation_id="set_notifications")
def put_notifications(request: HttpRequest, payload: NotificationsChange) -> NotificationsView:
    """Change your settings for notices."""
    user, given = current_user(request), payload.model_fields_set
    before = _view(MailChoice.objects.filter(user=user).first() or MailChoice())
    quiet = payload.quiet_hours if "quiet_hours" in given else before.quiet_hours
    row = set_reminder_preferences(
        actor=user,
        what=payload.mail,
        delay_minutes=payload.delay_minutes,
        news=payload.news,
        quiet=None if quiet is None else (quiet.begin, quiet.end),
        time_zone=payload.time_zone if "time_zone" in given else before.time_zone,
        push=WayChange(payload.push, payload.push_news),
        page=WayChange(payload.page, payload.page_news),
    )
    return _view(row)


def _view(choice: MailChoice) -> NotificationsView:
    begin, end = choice.quiet_from, choice.quiet_until
    quiet = None if begin is None or end is None else QuietHours(begin=time_text(begin), end=time_text(end))
    return NotificationsView(
        mail=choice.what, delay_minutes=choice.delay_minutes, news=choice.news,
        push=choice.push_what, push_news=choice.push_news, page=choice.page_what, page_news=choice.page_news,
        quiet_hours=quiet, time_zone=choice.time_zone,
    )  # fmt: skip
