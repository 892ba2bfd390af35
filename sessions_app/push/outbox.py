"""Queue push notices as rows, in the transaction that records the event, so that none is lost."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction
from django.utils import timezone

from sessions_app.push.models import PushBrowser, PushNotice
from sessions_app.queueing import enqueue_push


@dataclass(frozen=True, slots=True)
class Message:
    """The content of a push notice. It contains no more than an e-mail would: what happened, the title of the session,
    and the path of a page."""

    topic: str
    title: str
    text: str
    path: str
    is_urgent: bool = False


def people_with_push() -> set[uuid.UUID]:
    """Return the ids of people who have turned push notices on in a browser."""
    return set(PushBrowser.objects.order_by().values_list("user_id", flat=True).distinct())


def push(user_id: uuid.UUID, message: Message, *, due_at: datetime | None = None) -> None:
    """Queue the message for all browsers of a person, inside the caller's transaction."""
    queue_notice(message, PushBrowser.objects.filter(user=user_id), due_at=due_at)


def queue_notice(message: Message, browsers: Iterable[PushBrowser], *, due_at: datetime | None = None) -> None:
    """Queue the message for these browsers, inside the caller's transaction. The notice is sent after the commit, or at
    `due_at` by `wake_pushes`."""
    rows = [
        PushNotice(
            browser=browser, topic=message.topic, title=message.title[:200], text=message.text[:500],
            path=message.path[:300], is_urgent=message.is_urgent, due_at=due_at or timezone.now(),
        )
        for browser in browsers
    ]  # fmt: skip
    PushNotice.objects.bulk_create(rows)
    if due_at is None:
        for row in rows:
            transaction.on_commit(partial(enqueue_push, row.pk))
