"""Celery tasks of tenancy. The beat worker runs them, as only it has the password of the mail server."""

import uuid

from celery import shared_task
from django.utils import timezone


@shared_task(name="tenancy.send_mail")
def send_mail(mail_id: str) -> None:
    from agentsite.tenancy.mail import deliver

    deliver(uuid.UUID(mail_id))


@shared_task(name="tenancy.send_due_mail")
def send_due_mail() -> None:
    from agentsite.tenancy.mail import deliver_due

    deliver_due(timezone.now())


@shared_task(name="tenancy.cut_audit")
def cut_audit() -> None:
    from agentsite.tenancy.actions import audit

    audit.cut_audit(timezone.now())


@shared_task(name="tenancy.sweep_over")
def sweep_over() -> None:
    from agentsite.tenancy.actions import expiry

    expiry.sweep_over(timezone.now())
