"""REST endpoints: e-mail notifications about requests that wait for a person."""

from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router

from agentsite.http.request_body import RequestBody
from agentsite.tenancy.authentication import current_user
from sessions_app.actions.reminders import MAX_DELAY_MINUTES, MIN_DELAY_MINUTES, set_reminder_preferences
from sessions_app.events.schema import View
from sessions_app.models import MailChoice

router = Router(tags=["together"])

What = Literal["off", "own", "all"]


class NotificationsView(View):
    """The e-mails that you get. `mail` is `off` for none, `own` for your own sessions and turns, `all` for everything
    that you may answer. An e-mail is sent when a request has waited for `delay_minutes` and you do not have the session
    open."""

    mail: What
    delay_minutes: int


class NotificationsChange(RequestBody):
    mail: What
    delay_minutes: int = Field(default=5, ge=MIN_DELAY_MINUTES, le=MAX_DELAY_MINUTES)


@router.get("/me/notifications", response=NotificationsView, operation_id="get_notifications")
def get_notifications(request: HttpRequest) -> NotificationsView:
    """Return which e-mail notifications you get."""
    return _view(MailChoice.objects.filter(user=current_user(request)).first() or MailChoice())


@router.put("/me/notifications", response=NotificationsView, operation_id="set_notifications")
def put_notifications(request: HttpRequest, payload: NotificationsChange) -> NotificationsView:
    """Choose which e-mail notifications you get."""
    user = current_user(request)
    return _view(set_reminder_preferences(actor=user, what=payload.mail, delay_minutes=payload.delay_minutes))


def _view(choice: MailChoice) -> NotificationsView:
    return NotificationsView(mail=choice.what, delay_minutes=choice.delay_minutes)
