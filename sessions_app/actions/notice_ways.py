"""The delivery channels of notices: e-mail and push notices. A person has separate settings for each."""

import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from sessions_app.models import MailChoice, MailedItem, PushBrowser

Choices = Mapping[uuid.UUID, MailChoice]


@dataclass(frozen=True, slots=True)
class NoticeWay:
    """A delivery channel of notices (e-mail or push), with functions that read a person's settings for it.

    `chosen` filters the people who have chosen kinds of events for this channel.
    """

    name: str
    what: Callable[[MailChoice], str]
    news: Callable[[MailChoice], Sequence[str]]
    since: Callable[[MailChoice], datetime | None]
    delay: Callable[[MailChoice], timedelta]
    chosen: Q

    def choices(self) -> QuerySet[MailChoice]:
        """Return the notice settings of active people who want notices of events by this delivery channel."""
        return MailChoice.objects.filter(self.chosen, user__is_active=True).select_related("user")

    def who_want(self, kind: str, choices: Choices) -> list[uuid.UUID]:
        return [user_id for user_id, choice in choices.items() if kind in self.news(choice)]

    def known(self, people: Collection[uuid.UUID], since: datetime) -> set[tuple[uuid.UUID, str]]:
        """Return pairs (person id, item key) for the notices that these people got by this channel after `since`."""
        rows = MailedItem.objects.filter(user__in=people, way=self.name, at__gte=since)
        return set(rows.values_list("user", "item"))


MAIL: Final = NoticeWay(
    name="mail",
    what=lambda choice: choice.what,
    news=lambda choice: choice.news,
    since=lambda choice: choice.news_since,
    delay=lambda choice: timedelta(minutes=choice.delay_minutes),
    chosen=Q(news_since__isnull=False),
)
PUSH: Final = NoticeWay(
    name="push",
    what=lambda choice: choice.push_what,
    news=lambda choice: choice.push_news,
    since=lambda choice: choice.push_since,
    delay=lambda _choice: timedelta(0),
    chosen=Q(push_since__isnull=False) & Q(Exists(PushBrowser.objects.filter(user=OuterRef("user")))),
)
