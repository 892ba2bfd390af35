"""E-mails are sent after the change that they report, retried after failures, and deleted when sent."""

import smtplib
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail as sent
from django.core.mail.backends.locmem import EmailBackend
from django.db import transaction
from django.utils import timezone
from time_machine import travel

from agentsite.tenancy.mail import deliver, deliver_due, send_mail_later
from agentsite.tenancy.models import OutgoingMail

pytestmark = pytest.mark.django_db(transaction=True)
LETTER = {"to": "ada@example.org", "subject": "Tea", "text": "It is ready.\n"}


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any) -> int:
        raise smtplib.SMTPServerDisconnected("away")

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)


def test_a_letter_is_sent_once_and_then_forgotten() -> None:
    send_mail_later(**LETTER)
    mail = OutgoingMail.objects.get()
    deliver(mail.pk)
    deliver(mail.pk)
    assert [(letter.to, letter.subject, letter.body) for letter in sent.outbox] == [
        (["ada@example.org"], "Tea", "It is ready.\n")
    ]
    assert not OutgoingMail.objects.exists()


def test_a_change_that_is_taken_back_sends_no_letter() -> None:
    with transaction.atomic():
        send_mail_later(**LETTER)
        transaction.set_rollback(True)
    assert not OutgoingMail.objects.exists()


def test_a_letter_whose_wake_up_got_lost_is_found_by_the_clock() -> None:
    send_mail_later(**LETTER)
    deliver_due(timezone.now())
    assert len(sent.outbox) == 1


@pytest.mark.usefixtures("refusing")
def test_a_letter_that_nobody_takes_is_tried_later_and_given_up_after_a_day() -> None:
    send_mail_later(**LETTER)
    start = timezone.now()
    deliver_due(start)
    first = OutgoingMail.objects.get()
    assert first.tries == 1
    assert first.due_at > start
    deliver_due(start)
    assert OutgoingMail.objects.get().tries == 1
    with travel(start + timedelta(days=1, minutes=1)):
        deliver_due(timezone.now())
    assert not OutgoingMail.objects.exists()


def test_a_subject_is_one_line_whatever_was_in_it() -> None:
    send_mail_later(to="ada@example.org", subject="Tea\nBcc: eve@example.org", text="x")
    deliver_due(timezone.now())
    assert sent.outbox[0].subject == "Tea Bcc: eve@example.org"
