"""Letters to people: written with the change that they are about, sent after it, and tried again for a day.

A letter is a row until the mail server took it, so none is lost with a process or the broker. It may arrive twice when
a process dies between sending and forgetting it.
"""

import smtplib
import uuid
from datetime import datetime, timedelta
from typing import Final

import structlog
from celery import current_app
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from agentsite.base.sqlite_lock import writers_turn
from agentsite.tenancy.models import OutgoingMail
from agentsite.tenancy.queueing import MAIL_QUEUE

GIVE_UP_AFTER: Final = timedelta(days=1)
FIRST_WAIT: Final = timedelta(minutes=1)
LONGEST_WAIT: Final = timedelta(hours=1)
AT_ONCE: Final = 100
logger = structlog.get_logger(__name__)


def send_mail_later(*, to: str, subject: str, text: str) -> None:
    """Send a plain letter once the caller's transaction is committed; none if it is not."""
    line = " ".join(subject.split())[:200]
    with writers_turn():
        mail = OutgoingMail.objects.create(to=to, subject=line, text=text)
    transaction.on_commit(lambda: _wake(mail.pk))


def deliver(mail_id: uuid.UUID) -> None:
    """Send the letter if it is due; harmless when it was sent already, or is being sent."""
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
    with writers_turn():
        mail.delete()


def deliver_due(now: datetime) -> None:
    """Send what is due and was not sent by its own wake-up."""
    due = OutgoingMail.objects.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)
    for mail_id in list(due[:AT_ONCE]):
        deliver(mail_id)


def _claim(mail_id: uuid.UUID, now: datetime) -> OutgoingMail | None:
    """The letter, which is then nobody else's until it is due again."""
    mail = OutgoingMail.objects.filter(pk=mail_id, due_at__lte=now).first()
    if mail is None:
        return None
    wait = min(FIRST_WAIT * 2 ** min(mail.tries, 10), LONGEST_WAIT)
    mine = OutgoingMail.objects.filter(pk=mail_id, tries=mail.tries)
    with writers_turn():
        claimed = mine.update(tries=F("tries") + 1, due_at=now + wait)
    return mail if claimed else None


def _wake(mail_id: uuid.UUID) -> None:
    try:
        current_app.send_task("tenancy.send_mail", args=(str(mail_id),), queue=MAIL_QUEUE, ignore_result=True)
    except (OSError, OperationalError, RedisError) as error:  # the letter is a row: it is found when it is looked for
        logger.warning("enqueue_failed", task="tenancy.send_mail", error=repr(error))
