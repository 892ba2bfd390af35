"""Find events for notices: turns that ended, comments and failed checks.

Requests that wait for people are not among them. The events are read from rows that exist anyway, so turns do not
become slower. A person gets no notice of an event that they have already seen.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from django.conf import settings
from redis.exceptions import RedisError

from agentsite.base.sqlite_lock import sqlite_write_lock
from sessions_app.actions.notice_ways import Choices, NoticeWay
from sessions_app.actions.pending_checks import read_pending_checks
from sessions_app.events.presence import watching
from sessions_app.models import MailChoice, MailedItem, PullRequest, ReviewComment, Session, SessionMark, Turn

WINDOW: Final = timedelta(hours=26)  # longer than quiet hours can last
LONGEST_STEP: Final = timedelta(hours=2)  # `moved_at` of a turn that has ended is the beginning of its last step
BATCH: Final = 500
MAX_ITEMS: Final = 1000  # of one kind that one round reads for one batch of people


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice about one event: one line of an e-mail, or one push notice. `key` identifies its subject, such as a
    turn."""

    key: str
    text: str
    address: str


def address_of(session: Session, part: str = "") -> str:
    return f"{settings.SITE_URL}/sessions/{session.public_id}{part}"


def place_of(session: Session) -> str:
    return f"“{session.title or 'Untitled session'}” ({session.project.name})"


def news_items(way: NoticeWay, now: datetime) -> Iterator[tuple[uuid.UUID, Notice]]:
    """Yield the due notices of events to send by `way` (e-mail or push), each with the id of the person who gets it.

    The events are of the kinds that the person has chosen. A notice that the person got before is not repeated.
    """
    for batch in _batches(way.choices().order_by("user_id").iterator(chunk_size=BATCH)):
        choices = {row.user_id: row for row in batch}
        known = way.known(choices, now - WINDOW * 2)
        for find in (_turns, _comments, _checks):
            for user_id, at, session, notice in find(way, choices, now):
                if user_id is None or (user_id, notice.key) in known:
                    continue
                choice = choices[user_id]
                if not max(way.since(choice) or now, now - WINDOW) < at <= now - way.delay(choice):
                    continue
                if _needs_none(choice, session, at):
                    _settle(way, user_id, notice.key, now)
                else:
                    yield user_id, notice


Found = tuple[uuid.UUID | None, datetime, Session, Notice]


def _turns(way: NoticeWay, choices: Choices, now: datetime) -> Iterator[Found]:
    kinds = {Turn.State.COMPLETED: "turn_ended", Turn.State.FAILED: "turn_failed"}
    for state, kind in kinds.items():
        people = way.who_want(kind, choices)
        rows = Turn.objects.filter(
            state=state, moved_at__gte=now - WINDOW - LONGEST_STEP, ended_at__gte=now - WINDOW, root=None,
            started_by__in=people,
        )  # fmt: skip
        for turn in rows.select_related("session__project").order_by("id")[:MAX_ITEMS]:
            done = "has finished in" if kind == "turn_ended" else "has failed in"
            notice = Notice(turn.public_id, f"An agent {done} {place_of(turn.session)}.", address_of(turn.session))
            yield turn.started_by_id, turn.ended_at or now, turn.session, notice


def _comments(way: NoticeWay, choices: Choices, now: datetime) -> Iterator[Found]:
    rows = ReviewComment.objects.filter(
        updated_at__gte=now - WINDOW,
        created_at__gte=now - WINDOW,
        session__created_by__in=way.who_want("comment", choices),
    ).exclude(state=ReviewComment.State.DRAFT)
    for row in rows.select_related("session__project").order_by("id")[:MAX_ITEMS]:
        if row.author_id != row.session.created_by_id:
            text = f"Somebody commented on the changes of {place_of(row.session)}."
            yield row.session.created_by_id, row.created_at, row.session, Notice(
                row.public_id, text, address_of(row.session, "/review")
            )  # fmt: skip


def _checks(way: NoticeWay, choices: Choices, now: datetime) -> Iterator[Found]:
    people = way.who_want("checks_failed", choices)
    read_pending_checks(people, now)
    rows = PullRequest.objects.filter(
        state=PullRequest.State.OPEN, failed_at__gte=now - WINDOW, session__created_by__in=people
    )
    for row in rows.select_related("session__project").order_by("id")[:MAX_ITEMS]:
        text = f"Checks of pull request {row.number} have failed in {place_of(row.session)}."
        notice = Notice(f"{row.public_id}:{row.commit}", text, address_of(row.session))
        yield row.session.created_by_id, row.failed_at or now, row.session, notice


def _needs_none(choice: MailChoice, session: Session, at: datetime) -> bool:
    """Return whether the person needs no notice of an event: they have seen it, have its session open, or can no longer
    see the session."""
    if SessionMark.objects.filter(user=choice.user_id, session=session, seen_at__gte=at).exists():
        return True
    if not Session.objects.visible_to(choice.user).filter(pk=session.pk).exists():
        return True
    try:
        return choice.user_id in watching(session.pk)
    except RedisError:
        return False


def _settle(way: NoticeWay, user_id: uuid.UUID, key: str, now: datetime) -> None:
    row = MailedItem(user_id=user_id, item=key, way=way.name, at=now)
    with sqlite_write_lock():
        MailedItem.objects.bulk_create([row], ignore_conflicts=True)


def _batches(rows: Iterable[Any]) -> Iterator[Sequence[Any]]:
    rest = iter(rows)
    while batch := list(islice(rest, BATCH)):
        yield batch
