"""Tasks of tenancy, their queues and their schedule."""

import uuid
from typing import Final

from agentsite.base.task_table import BEAT_QUEUE, task

# Only the beat worker consumes this queue, because only it has the password of the mail server.
MAIL_QUEUE: Final = "mail"
SCHEDULE: Final = {
    "send-due-mail": {
        "task": "tenancy.send_due_mail",
        "schedule": 30.0,
        "options": {"queue": MAIL_QUEUE, "expires": 30.0},
    },
    "cut-audit": {
        "task": "tenancy.cut_audit",
        "schedule": 3600.0,
        "options": {"queue": BEAT_QUEUE, "expires": 3600.0},
    },
    # Every hour instead of once a day: the schedule restarts with its process, so a process that is restarted daily
    # would never run a daily task.
    "delete-expired": {
        "task": "tenancy.delete_expired",
        "schedule": 3600.0,
        "options": {"queue": BEAT_QUEUE, "expires": 3600.0},
    },
}


@task("tenancy.send_mail", "agentsite.tenancy.mail:deliver", queue=MAIL_QUEUE)
def enqueue_mail(mail_id: uuid.UUID) -> None:
    """Enqueue the sending of an e-mail. If the task is lost, the periodic task `send_due_mail` sends it."""


@task("tenancy.send_due_mail", "agentsite.tenancy.tasks:send_due_mail", queue=MAIL_QUEUE)
def send_due_mail() -> None:
    """Send the due e-mails that were not sent when they were created."""


@task("tenancy.cut_audit", "agentsite.tenancy.tasks:cut_audit", queue=BEAT_QUEUE)
def cut_audit() -> None:
    """Delete audit entries whose retention has ended."""


@task("tenancy.delete_expired", "agentsite.tenancy.tasks:delete_expired", queue=BEAT_QUEUE)
def delete_expired() -> None:
    """Delete expired browser sessions, stored responses, socket tickets and e-mail counts."""
