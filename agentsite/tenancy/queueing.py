"""The queues and the clock of tenancy's own tasks."""

from typing import Final

# Served by the beat worker alone, because it alone knows the mail server's password.
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
        "options": {"queue": "beat", "expires": 3600.0},
    },
}
