"""REST: how one hears that something waits."""

from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema

from agentsite.tenancy.authentication import current_user
from sessions_app.actions.reminders import LONGEST_DELAY, SHORTEST_DELAY, choose_mail
from sessions_app.events.schema import View
from sessions_app.models import MailChoice

router = Router(tags=["together"])

What = Literal["off", "own", "all"]


class NotificationsView(View):
    """`mail`: letters about nothing, about one's own sessions and turns, or about all that one may answer, each when it
    has waited for `delay_minutes` and one does not have the session open."""

    mail: What
    delay_minutes: int


class NotificationsChange(Schema):
    mail: What
    delay_minutes: int = Field(default=5, ge=SHORTEST_DELAY, le=LONGEST_DELAY)


@router.get("/me/notifications", response=NotificationsView, operation_id="get_notifications")
def get_notifications(request: HttpRequest) -> NotificationsView:
    return _view(MailChoice.objects.filter(user=current_user(request)).first() or MailChoice())


@router.put("/me/notifications", response=NotificationsView, operation_id="set_notifications")
def put_notifications(request: HttpRequest, payload: NotificationsChange) -> NotificationsView:
    user = current_user(request)
    return _view(choose_mail(actor=user, what=payload.mail, delay_minutes=payload.delay_minutes))


def _view(choice: MailChoice) -> NotificationsView:
    return NotificationsView(mail=choice.what, delay_minutes=choice.delay_minutes)
