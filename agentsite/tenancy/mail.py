"""Outgoing e-mail: stored in the transaction of the change, sent after its commit, and retried for a day.

An e-mail is a row of OutgoingMail until the mail server has accepted it, so none is lost when a process or the broker
fails. It can arrive twice if a process dies between sending the e-mail and deleting its row.
"""

import smtplib
import uuid
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from agentsite.base.sqlite_lock import sqlite_write_lock
from agentsite.tenancy.models import OutgoingMail
from agentsite.tenancy.queueing import enqueue_mail

GIVE_UP_AFTER: Final = timedelta(days=1)
FIRST_RETRY_DELAY: Final = timedelta(minutes=1)
MAX_RETRY_DELAY: Final = timedelta(hours=1)
MAX_PER_RUN: Final = 100  # e-mails that one periodic run sends
logger = structlog.get_logger(__name__)


def send_mail_later(*, to: str, subject: str, text: str) -> None:
    """Store a plain-text e-mail and send it after the caller's transaction commits. A rollback sends nothing."""
    mail = _store(to, subject, text, timezone.now())
    transaction.on_commit(partial(enqueue_mail, mail.pk))


def send_mail_after(due_at: datetime, *, to: str, subject: str, text: str) -> None:
    """Store a plain-text e-mail that is sent at `due_at`, by `deliver_due`."""
    _store(to, subject, text, due_at)


def _store(to: str, subject: str, text: str, due_at: datetime) -> OutgoingMail:
    line = " ".join(subject.split())[:200]
    with sqlite_write_lock():
        return OutgoingMail.objects.create(to=to, subject=line, text=text, due_at=due_at)


def deliver(mail_id: uuid.UUID) -> None:
    """Send the e-mail if it is due. Does nothing if it was already sent or another process is sending it."""
    now = timezone.now()
    mail = _claim(mail_id, now)
    if mail is None:
        return
    try:
        EmailMessage(mail.subject, mail.text, to=[mail.to]).send()
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("mail_not_sent", mail=mail.public_id, tries=mail.tries, error=type(error).__name__)
        if now - mail.created_at < GIVE_UP_AFTER:
            return
        logger.error("mail_given_up", mail=mail.public_id)
    with sqlite_write_lock():
        mail.delete()


def deliver_due(now: datetime) -> None:
    """Send all due e-mails, at most MAX_PER_RUN: e-mails that were stored for a later time, and e-mails whose own
    Celery task was lost or whose last attempt failed."""
    due = OutgoingMail.objects.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)
    for mail_id in list(due[:MAX_PER_RUN]):
        deliver(mail_id)


def _claim(mail_id: uuid.UUID, now: datetime) -> OutgoingMail | None:
    """Claim a due e-mail by postponing its due time, and return it; None if the e-mail is not due or another process
    has claimed it."""
    mail = OutgoingMail.objects.filter(pk=mail_id, due_at__lte=now).first()
    if mail is None:
        return None
    wait = min(FIRST_RETRY_DELAY * 2 ** min(mail.tries, 10), MAX_RETRY_DELAY)
    mine = OutgoingMail.objects.filter(pk=mail_id, tries=mail.tries)
    with sqlite_write_lock():
        claimed = mine.update(tries=F("tries") + 1, due_at=now + wait)
    return mail if claimed else None
