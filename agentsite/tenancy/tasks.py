"""Functions of the periodic tasks that `queueing` declares."""

from django.utils import timezone


def send_due_mail() -> None:
    from agentsite.tenancy.mail import deliver_due

    deliver_due(timezone.now())


def cut_audit() -> None:
    from agentsite.tenancy.actions import audit

    audit.cut_audit(timezone.now())


def delete_expired() -> None:
    from agentsite.tenancy.actions import expiry

    expiry.delete_expired(timezone.now())
