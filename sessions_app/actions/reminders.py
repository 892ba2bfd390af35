"""Tell people by e-mail of requests and questions that nobody answered, and of what else they have chosen: after a
delay, not to people who are online, not in their quiet hours, and at most once in 15 minutes.

What an e-mail is about is recorded in the transaction that stores the e-mail, so that nobody gets two about the same,
whatever process is killed. An e-mail says where something waits, but not what the agent wants to do, because e-mails
leave the site.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from redis.exceptions import RedisError

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import answerer, stricter, unmet_rule
from sessions_app.actions.notice_items import Notice, address_of, news_items, place_of
from sessions_app.actions.notification_choices import MIN_DELAY_MINUTES
from sessions_app.actions.reminder_batches import Item, waiting_items
from sessions_app.audience import readers_of, root_of
from sessions_app.events.presence import watching
from sessions_app.models import MailChoice, MailedItem, Question, Session
from sessions_app.policy import session_policies
from sessions_app.queries.quiet_hours import end_of_quiet_hours

MIN_TIME_BETWEEN_MAILS: Final = timedelta(minutes=15)
MAX_ITEM_AGE: Final = timedelta(days=60)
MAX_LINES: Final = 20


def send_reminders(now: datetime) -> int:
    """Send the e-mails that are due. Returns how many."""
    with sqlite_write_lock():
        MailedItem.objects.filter(at__lt=now - MAX_ITEM_AGE).delete()
    due: dict[uuid.UUID, list[Notice]] = defaultdict(list)
    for item in waiting_items(now - timedelta(minutes=MIN_DELAY_MINUTES)):
        for user_id in _recipients(item, now):
            due[user_id].append(_notice(item))
    waiting = {notice.key for found in due.values() for notice in found}
    for user_id, notice in news_items(now):
        due[user_id].append(notice)
    return sum(_send_mail(user_id, found, now, waiting) for user_id, found in due.items())


def _recipients(item: Item, now: datetime) -> list[uuid.UUID]:
    """Return the ids of people who may answer the item, want e-mails about it, are not online and have not got one
    yet."""
    session, root = item.session, root_of(item.session)
    readers = readers_of(session).exclude(pk__in=MailedItem.objects.filter(item=item.public_id).values("user"))
    rows = Membership.objects.filter(team_id=session.project.team_id, user__in=readers).select_related("user")
    choices = MailChoice.objects.in_bulk([row.user_id for row in rows])
    own = {root.created_by_id, item.turn.started_by_id}
    may = _answerers(item, rows)
    wanted = [
        row.user_id
        for row in rows
        if row.user_id in may and _wants_mail(choices.get(row.user_id), item, now, is_own=row.user_id in own)
    ]
    return [user_id for user_id in wanted if user_id not in _people_online(session, root)] if wanted else []


def _answerers(item: Item, rows: Iterable[Membership]) -> set[uuid.UUID]:
    if isinstance(item, Question):
        return {row.user_id for row in rows if row.may(Act.PROMPT)}
    policies = session_policies(item.session)
    approvers = stricter(item.approvers, policies.approvers)
    others = {item.approvers, *policies.all_approvers}
    approver_ids = {given["person"]["id"] for given in item.approvals}
    return {
        row.user_id
        for row in rows
        if not unmet_rule(answerer(row, started=row.user_id == item.started_by_id), approvers, others)
        and row.user.public_id not in approver_ids
    }


def _wants_mail(choice: MailChoice | None, item: Item, now: datetime, *, is_own: bool) -> bool:
    choice = choice or MailChoice()
    if choice.what == MailChoice.What.OFF or (choice.what == MailChoice.What.OWN and not is_own):
        return False
    return bool(item.created_at <= now - timedelta(minutes=choice.delay_minutes))


def _people_online(*sessions: Session) -> set[uuid.UUID]:
    """Return the people who have one of the sessions open. If that is unknown, return nobody: one e-mail too many is
    the smaller harm."""
    try:
        return {user_id for session in sessions for user_id in watching(session.pk)}
    except RedisError:
        return set()


def _send_mail(user_id: uuid.UUID, due: Sequence[Notice], now: datetime, waiting: Collection[str]) -> bool:
    """Send one e-mail about all items, unless the person got one a short while ago or has quiet hours. What is still
    due then comes in a later one. `waiting` are the keys of what waits for an answer."""
    with sqlite_write_lock(), transaction.atomic():
        MailChoice.objects.get_or_create(user_id=user_id)
        choice = MailChoice.objects.select_for_update(of=("self",)).select_related("user").get(user_id=user_id)
        if choice.sent_at is not None and choice.sent_at > now - MIN_TIME_BETWEEN_MAILS:
            return False
        if end_of_quiet_hours(choice, now) is not None:
            return False
        known = set(MailedItem.objects.filter(user_id=user_id).values_list("item", flat=True))
        fresh = [each for each in due if each.key not in known]
        if not fresh or not choice.user.is_active:
            return False
        MailedItem.objects.bulk_create([MailedItem(user_id=user_id, item=each.key, at=now) for each in fresh])
        choice.sent_at = now
        choice.save(update_fields=["sent_at"])
        send_mail_later(to=choice.user.email, subject=_subject(fresh, waiting), text=_text(fresh))
        return True


def _subject(due: Sequence[Notice], waiting: Collection[str]) -> str:
    open_ones = sum(each.key in waiting for each in due)
    if open_ones < len(due):
        others = f"{len(due)} things happened in your sessions" if len(due) > 1 else due[0].text
        return f"{others}, {open_ones} of them wait for your answer" if open_ones else others
    return (
        "An agent is waiting for your answer" if open_ones == 1 else f"{open_ones} requests are waiting for your answer"
    )


def _text(due: Sequence[Notice]) -> str:
    lines = [f"{each.text}\n{each.address}\n" for each in due[:MAX_LINES]]
    if len(due) > MAX_LINES:
        lines.append(f"And {len(due) - MAX_LINES} more: {settings.SITE_URL}/\n")
    chosen = f"Change which e-mails you get: {settings.SITE_URL}/account/notifications\n"
    return "\n".join([*lines, chosen])


def _notice(item: Item) -> Notice:
    asks = "has a question" if isinstance(item, Question) else "asks for permission"
    address = address_of(item.session, f"#{item.public_id}")
    return Notice(item.public_id, f"An agent {asks} in {place_of(item.session)}.", address)
