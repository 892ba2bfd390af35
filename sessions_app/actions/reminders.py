"""Send e-mails and push notices about requests and questions that wait, and about the other events that people have
chosen.

People who are online, or in their quiet hours, get none. E-mails come after a delay, and at most once in 15 minutes.
The items of a notice are recorded in the transaction that stores the notice, so nobody gets two e-mails or two push
notices about the same item, even if a process is killed. A notice says where something waits, but not what the agent
wants to do, because notices leave the site.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from redis.exceptions import RedisError

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.mail import send_mail_later
from agentsite.tenancy.models import Membership
from agentsite.tenancy.roles import Act
from sessions_app.actions.approvers import answerer, stricter, unmet_rule
from sessions_app.actions.notice_items import Notice, news_items
from sessions_app.actions.notice_texts import mail_subject, mail_text, push_message, waiting_notice
from sessions_app.actions.notice_ways import MAIL, PUSH, NoticeWay
from sessions_app.actions.notification_choices import MIN_DELAY_MINUTES
from sessions_app.actions.reminder_batches import Item, waiting_items
from sessions_app.audience import readers_of
from sessions_app.events.presence import watching
from sessions_app.models import MailChoice, MailedItem, Question, Session
from sessions_app.policy import session_policies
from sessions_app.push.outbox import people_with_push, push
from sessions_app.queries.quiet_hours import end_of_quiet_hours

MIN_TIME_BETWEEN_MAILS: Final = timedelta(minutes=15)
MAX_ITEM_AGE: Final = timedelta(days=60)
People = Collection[uuid.UUID]


def send_reminders(now: datetime) -> int:
    """Send the e-mails and push notices that are due, and return their number."""
    with sqlite_write_lock():
        MailedItem.objects.filter(at__lt=now - MAX_ITEM_AGE).delete()
    due: Mapping[str, dict[uuid.UUID, list[Notice]]] = {way.name: defaultdict(list) for way in (MAIL, PUSH)}
    with_push = people_with_push()
    for item in waiting_items(now if with_push else now - timedelta(minutes=MIN_DELAY_MINUTES)):
        for way, user_id in _recipients(item, now, with_push):
            due[way.name][user_id].append(waiting_notice(item))
    waiting = {notice.key for by_person in due.values() for found in by_person.values() for notice in found}
    for way in (MAIL, PUSH) if with_push else (MAIL,):
        for user_id, notice in news_items(way, now):
            due[way.name][user_id].append(notice)
    pushed = sum(_send_push(user_id, found, now, waiting) for user_id, found in due[PUSH.name].items())
    return pushed + sum(_send_mail(user_id, found, now, waiting) for user_id, found in due[MAIL.name].items())


def _recipients(item: Item, now: datetime, with_push: People) -> list[tuple[NoticeWay, uuid.UUID]]:
    """Return (delivery channel, person id) for each notice about the item that is to be sent now.

    The person may answer the item, wants a notice about it by this channel, has not got one yet, and is not online.
    """
    session, root = item.session, item.session.audience_root
    told = set(MailedItem.objects.filter(item=item.public_id).values_list("way", "user"))
    done = [user for way, user in told if way == MAIL.name and (user not in with_push or (PUSH.name, user) in told)]
    readers = readers_of(session).exclude(pk__in=done)
    rows = Membership.objects.filter(team_id=session.project.team_id, user__in=readers).select_related("user")
    choices = MailChoice.objects.in_bulk([row.user_id for row in rows])
    own = {root.created_by_id, item.turn.started_by_id}
    may = _answerers(item, rows)
    wanted = [
        (way, row.user_id)
        for row in rows
        for way in ((MAIL, PUSH) if row.user_id in with_push else (MAIL,))
        if row.user_id in may
        and (way.name, row.user_id) not in told
        and _wants(way, choices.get(row.user_id), item, now, is_own=row.user_id in own)
    ]
    online = _people_online(session, root) if wanted else ()
    return [(way, user_id) for way, user_id in wanted if user_id not in online]


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


def _wants(way: NoticeWay, choice: MailChoice | None, item: Item, now: datetime, *, is_own: bool) -> bool:
    choice = choice or MailChoice()
    what = way.what(choice)
    if what == MailChoice.What.OFF or (what == MailChoice.What.OWN and not is_own):
        return False
    return bool(item.created_at <= now - way.delay(choice))


def _people_online(*sessions: Session) -> set[uuid.UUID]:
    """Return the people who have one of the sessions open. If presence cannot be read, return nobody, because an
    unneeded notice is better than a missing one."""
    try:
        return {user_id for session in sessions for user_id in watching(session.pk)}
    except RedisError:
        return set()


def _send_mail(user_id: uuid.UUID, due: Sequence[Notice], now: datetime, waiting: Collection[str]) -> bool:
    """Send one e-mail about all due notices, unless the person got an e-mail a short while ago or has quiet hours.
    Notices that are still due later are sent in a later e-mail. `waiting` are the keys of items that wait for an
    answer. Returns whether an e-mail is sent."""
    with sqlite_write_lock(), transaction.atomic():
        choice = _locked_choice(user_id)
        if choice.sent_at is not None and choice.sent_at > now - MIN_TIME_BETWEEN_MAILS:
            return False
        fresh = _record(MAIL, choice, due, now)
        if fresh:
            choice.sent_at = now
            choice.save(update_fields=["sent_at"])
            send_mail_later(to=choice.user.email, subject=mail_subject(fresh, waiting), text=mail_text(fresh))
        return bool(fresh)


def _send_push(user_id: uuid.UUID, due: Sequence[Notice], now: datetime, waiting: Collection[str]) -> bool:
    """Send one push notice about all items, unless the person has quiet hours. Items that are still due when the quiet
    hours end come in a later notice."""
    with sqlite_write_lock(), transaction.atomic():
        fresh = _record(PUSH, _locked_choice(user_id), due, now)
        if fresh:
            push(user_id, push_message(fresh, waiting))
        return bool(fresh)


def _locked_choice(user_id: uuid.UUID) -> MailChoice:
    MailChoice.objects.get_or_create(user_id=user_id)
    return MailChoice.objects.select_for_update(of=("self",)).select_related("user").get(user_id=user_id)


def _record(way: NoticeWay, choice: MailChoice, due: Sequence[Notice], now: datetime) -> list[Notice]:
    """Record notices as sent to a person, and return the notices that the person has not received before.

    Returns nothing in quiet hours or for a deactivated account.
    """
    if end_of_quiet_hours(choice, now) is not None or not choice.user.is_active:
        return []
    items = MailedItem.objects.filter(user=choice.user_id, way=way.name, item__in=[each.key for each in due])
    known = set(items.values_list("item", flat=True))
    fresh = [each for each in due if each.key not in known]
    MailedItem.objects.bulk_create(
        [MailedItem(user_id=choice.user_id, item=each.key, way=way.name, at=now) for each in fresh]
    )
    return fresh
